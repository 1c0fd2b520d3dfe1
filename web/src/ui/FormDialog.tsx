import { type ReactNode, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { approvalIdOf } from "./ApprovalLink.tsx"
import { Button, type ButtonProps } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { TextField } from "./Fields.tsx"
import { Problem } from "./Problem.tsx"
import { useSubmit } from "./useSubmit.ts"

/**
 * A question or form in a dialog. It closes once `onSubmit` is done, and shows its failure until then.
 * Where the API requires the password or a code again, the dialog asks for it and sends the form again.
 */
export const FormDialog = (
  { children, dismiss, isBlocked = false, variant = "primary", onClose, onSubmit, phrase, size, submit, title }: {
    readonly title: string
    /** What the button says: a verb. */
    readonly submit: string
    /** What the button says that changes nothing, where "Cancel" could be taken for the action. */
    readonly dismiss?: string
    readonly variant?: ButtonProps["variant"]
    readonly size?: "base" | "large"
    /** What the person types to confirm an action that cannot be undone, such as the name of a queue. */
    readonly phrase?: string
    /** There is nothing to send, such as an empty selection. */
    readonly isBlocked?: boolean
    readonly onSubmit: (form: FormData) => Promise<unknown>
    readonly onClose: () => void
    readonly children?: ReactNode
  }
) => {
  const texts = useTexts()
  const { failure, isBusy, submitWith } = useSubmit()
  const [typed, setTyped] = useState("")
  /** The action was requested: sent again it would be the same request. */
  const awaitsApproval = approvalIdOf(failure) !== null
  return (
    <Dialog title={title} onClose={onClose} {...(size !== undefined && { size })}>
      {(close) => (
        <form className="mt-3 grid gap-4" onSubmit={submitWith(onSubmit, close)}>
          {children}
          {phrase !== undefined && (
            <TextField
              label={texts.forms.typeToConfirm(phrase)}
              value={typed}
              autoComplete="off"
              data-autofocus
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
          {failure !== null && <Problem error={failure} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>{awaitsApproval ? texts.close : dismiss ?? texts.cancel}</Button>
            {!awaitsApproval && (
              <Button
                type="submit"
                variant={variant}
                disabled={isBusy || isBlocked || (phrase !== undefined && typed !== phrase)}
                data-autofocus={phrase === undefined && children === undefined ? true : undefined}
              >
                {submit}
              </Button>
            )}
          </div>
        </form>
      )}
    </Dialog>
  )
}
