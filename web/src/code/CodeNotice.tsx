import { useEffect, useState } from "react"
import { useIsLost } from "../api/connection.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { EmptyState, Loading } from "../ui/Notices.tsx"
import { hasUnsaved } from "../ui/unsaved.ts"
import type { CodeState } from "./Code.ts"
import { canReloadAlone, reload } from "./reload.ts"

type Missing = Exclude<CodeState<unknown>["kind"], "loaded">

const reloadMillis = 1_500

/** Reloads the page once, as soon as no input would be lost. */
const useReload = () => {
  const [willReload] = useState(canReloadAlone)
  const [isUnsaved, setUnsaved] = useState(hasUnsaved)
  useEffect(() => {
    if (!willReload) return
    const timer = setInterval(() => {
      setUnsaved(hasUnsaved())
      if (!hasUnsaved()) void reload()
    }, reloadMillis)
    return () => clearInterval(timer)
  }, [willReload])
  return { willReload, isUnsaved }
}

const ReloadNotice = ({ state }: { readonly state: Exclude<Missing, "loading"> }) => {
  const { connection: texts, error } = useTexts()
  const { isUnsaved, willReload } = useReload()
  const hint = isUnsaved ? texts.saveFirst : willReload ? texts.reloads : undefined
  return (
    <div role="alert">
      <EmptyState title={state === "outdated" ? texts.upgraded : error.title} {...(hint !== undefined && { hint })}>
        <Button onClick={() => void reload()}>{texts.reload}</Button>
      </EmptyState>
    </div>
  )
}

/** In place of code that is not loaded: why, and what happens next. */
export const CodeNotice = ({ state }: { readonly state: Missing }) => {
  const { connection: texts } = useTexts()
  const isLost = useIsLost()
  if (isLost) return <p role="status" className="px-6 py-12 text-center">{texts.lost}</p>
  return state === "loading" ? <Loading /> : <ReloadNotice state={state} />
}

/** The same for a dialog. The page behind it is in use, so a button reloads it. */
export const CodeDialog = ({ onClose, state }: { readonly state: Missing; readonly onClose: () => void }) => {
  const { close: closeText, connection: texts, error } = useTexts()
  const isLost = useIsLost()
  if (state === "loading" && !isLost) return null
  const title = isLost ? texts.lost : state === "outdated" ? texts.upgraded : error.title
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <div className="mt-3 flex justify-end gap-2">
          <Button onClick={close}>{closeText}</Button>
          {!isLost && <Button variant="primary" onClick={() => void reload()}>{texts.reload}</Button>}
        </div>
      )}
    </Dialog>
  )
}
