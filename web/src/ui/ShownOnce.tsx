import type { ReactNode } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "./Button.tsx"
import { CopyButton } from "./CopyButton.tsx"
import { Dialog } from "./Dialog.tsx"

/** A text to copy, such as a token: whole, in a line that breaks where it must. */
export const CopyLine = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div className="grid gap-1">
    <p className="text-small text-soft">{label}</p>
    <div className="flex items-start gap-2 rounded-base border border-line bg-canvas px-3 py-2">
      <code className="min-w-0 flex-1 font-mono break-all select-all">{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  </div>
)

/** A dialog with a secret that the API gives in one response only; one button closes it. */
export const ShownOnce = ({ children, onClose, title }: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}) => {
  const { forms: texts } = useTexts()
  return (
    <Dialog title={title} onClose={onClose} isKept>
      {(close) => (
        <div className="mt-3 grid gap-4">
          {children}
          <div className="flex justify-end">
            <Button variant="primary" onClick={close}>{texts.done}</Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
