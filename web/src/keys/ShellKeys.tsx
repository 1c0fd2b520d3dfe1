import { useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useProjectPages } from "../shell/Navigation.tsx"
import { Icon } from "../ui/Icon.tsx"
import { useKeys } from "./useKeys.ts"

const Palette = lazy(async () => ({ default: (await import("../palette/Palette.tsx")).Palette }))
const KeyHelp = lazy(async () => ({ default: (await import("./KeyHelp.tsx")).KeyHelp }))

/** The keys that work on every page, and the buttons that open the palette and the help without a key. */
export const ShellKeys = ({ slug }: { readonly slug: string | undefined }) => {
  const { keys: texts, palette } = useTexts()
  const navigate = useNavigate()
  const pages = useProjectPages(slug)
  const [open, setOpen] = useState<"palette" | "help" | null>(null)
  useKeys({
    palette: () => setOpen("palette"),
    help: (event) => {
      event.preventDefault()
      setOpen("help")
    },
    go: (name) => {
      const page = pages.find((one) => one.name === name)
      if (page !== undefined && slug !== undefined) void navigate({ to: page.to, params: { slug } })
    }
  })
  const look = "shrink-0 rounded-base p-3 text-soft hover:bg-hover hover:text-ink"
  return (
    <>
      <button
        type="button"
        className={look}
        aria-label={palette.label}
        title={palette.label}
        onClick={() => setOpen("palette")}
      >
        <Icon name="search" />
      </button>
      <button
        type="button"
        className={`${look} max-md:hidden`}
        aria-label={texts.title}
        title={texts.title}
        onClick={() => setOpen("help")}
      >
        <Icon name="help" />
      </button>
      <Suspense>
        {open === "palette" && <Palette slug={slug} onClose={() => setOpen(null)} />}
        {open === "help" && <KeyHelp slug={slug} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  )
}
