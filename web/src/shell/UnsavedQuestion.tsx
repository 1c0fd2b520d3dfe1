import { useBlocker } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { hasUnsaved, useHasUnsaved } from "../ui/unsaved.ts"

/** The session may have ended: the person must sign in before anything can be saved. */
const signInPaths = /\/(sign-in|second-factor)$/

/** Asks before a page is left whose form has input that is not saved. */
export const UnsavedQuestion = () => {
  const { unsaved: texts } = useTexts()
  const blocker = useBlocker({
    // a search that is replaced is a setting of the same page
    shouldBlockFn: ({ action, current, next }) =>
      hasUnsaved() && !signInPaths.test(next.pathname) &&
      (action !== "REPLACE" || current.pathname !== next.pathname),
    enableBeforeUnload: hasUnsaved,
    disabled: !useHasUnsaved(),
    withResolver: true
  })
  if (blocker.status !== "blocked") return null
  return (
    <Dialog title={texts.title} onClose={blocker.reset}>
      {(close) => (
        <div className="mt-4 flex justify-end gap-2">
          <Button onClick={close} data-autofocus>{texts.keep}</Button>
          <Button variant="danger" onClick={blocker.proceed}>{texts.discard}</Button>
        </div>
      )}
    </Dialog>
  )
}
