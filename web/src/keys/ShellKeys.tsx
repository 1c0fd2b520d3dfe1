import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { lazyDialog } from "../code/lazyComponent.tsx"
import { useTexts } from "../i18n/Language.tsx"
import { useProjectPages } from "../shell/Navigation.tsx"
import { Icon } from "../ui/Icon.tsx"
import { findFilter } from "../ui/rows.ts"
import { useKeys } from "./useKeys.ts"

const Palette = lazyDialog(async () => (await import("../palette/Palette.tsx")).Palette)

const KeyHelp = lazyDialog(async () => (await import("./KeyHelp.tsx")).KeyHelp)

/** The keys that work on every page, and the buttons that open the palette and the help without a key. */
export const ShellKeys = ({ slug }: { readonly slug: string | undefined }) => {
  const { keys: texts, palette: paletteTexts } = useTexts()
  const navigate = useNavigate()
  const pages = useProjectPages(slug)
  const [openDialog, setOpenDialog] = useState<"palette" | "help" | null>(null)
  const openPalette = () => setOpenDialog("palette")
  useEffect(() => {
    // what a person types at once after its key would otherwise go to the keys of the page
    void Palette.preload()
  }, [])
  useKeys({
    palette: openPalette,
    search: (event) => {
      event.preventDefault()
      const filter = findFilter()
      if (filter === null) openPalette()
      else filter.focus()
    },
    help: (event) => {
      event.preventDefault()
      setOpenDialog("help")
    },
    go: (name) => {
      const page = pages.find((one) => one.name === name)
      if (page !== undefined && slug !== undefined) void navigate({ to: page.to, params: { slug } })
    }
  })
  const buttonClass = "shrink-0 rounded-base p-2 text-soft hover:bg-hover hover:text-ink"
  return (
    <>
      <button
        type="button"
        className={buttonClass}
        aria-label={paletteTexts.label}
        title={paletteTexts.label}
        onClick={() => setOpenDialog("palette")}
      >
        <Icon name="search" />
      </button>
      <button
        type="button"
        className={`${buttonClass} max-md:hidden`}
        aria-label={texts.title}
        title={texts.title}
        onClick={() => setOpenDialog("help")}
      >
        <Icon name="help" />
      </button>
      {openDialog === "palette" && <Palette slug={slug} onClose={() => setOpenDialog(null)} />}
      {openDialog === "help" && <KeyHelp slug={slug} onClose={() => setOpenDialog(null)} />}
    </>
  )
}
