import { useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useCallback, useEffect, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import type { Palette } from "../palette/Palette.tsx"
import { useProjectPages } from "../shell/Navigation.tsx"
import { Icon } from "../ui/Icon.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { useKeys } from "./useKeys.ts"

/**
 * The palette's code, loaded before its key is pressed: what a person types at once would otherwise go to the keys of
 * the page. Suspense would show it up to 300 ms late.
 */
const usePalette = () => {
  const [palette, setPalette] = useState<{ readonly Palette: typeof Palette } | null>(null)
  const load = useCallback(async () => setPalette(await import("../palette/Palette.tsx")), [])
  useEffect(() => {
    load().catch(() => {}) // opening it loads it again
  }, [load])
  return { palette, load }
}

const KeyHelp = lazy(async () => ({ default: (await import("./KeyHelp.tsx")).KeyHelp }))

/** The keys that work on every page, and the buttons that open the palette and the help without a key. */
export const ShellKeys = ({ slug }: { readonly slug: string | undefined }) => {
  const { keys: texts, palette: paletteTexts } = useTexts()
  const navigate = useNavigate()
  const pages = useProjectPages(slug)
  const [openDialog, setOpenDialog] = useState<"palette" | "help" | null>(null)
  const { load, palette } = usePalette()
  const toast = useToast()
  const openPalette = () => {
    setOpenDialog("palette")
    if (palette !== null) return
    load().catch(() => {
      setOpenDialog((shown) => shown === "palette" ? null : shown)
      toast.show({ title: paletteTexts.failed, text: paletteTexts.failedHint, tone: "bad" })
    })
  }
  useKeys({
    palette: openPalette,
    help: (event) => {
      event.preventDefault()
      setOpenDialog("help")
    },
    go: (name) => {
      const page = pages.find((one) => one.name === name)
      if (page !== undefined && slug !== undefined) void navigate({ to: page.to, params: { slug } })
    }
  })
  const buttonClass = "shrink-0 rounded-base p-3 text-soft hover:bg-hover hover:text-ink"
  return (
    <>
      <button
        type="button"
        className={buttonClass}
        aria-label={paletteTexts.label}
        title={paletteTexts.label}
        onClick={openPalette}
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
      {openDialog === "palette" && palette !== null && (
        <palette.Palette
          slug={slug}
          onClose={() => setOpenDialog(null)}
        />
      )}
      <Suspense>
        {openDialog === "help" && <KeyHelp slug={slug} onClose={() => setOpenDialog(null)} />}
      </Suspense>
    </>
  )
}
