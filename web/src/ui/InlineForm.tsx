import { type FormEvent, type ReactNode, useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useProof } from "../session/StepUp.tsx"
import { approvalIdOf } from "./ApprovalLink.tsx"
import { Button } from "./Button.tsx"
import { Problem } from "./Problem.tsx"
import { keepUnsaved } from "./unsaved.ts"

/** A form within a page: it says below its fields whether the values are saved, wait for a second person, or were refused. */
export const InlineForm = ({ children, onSubmit }: {
  readonly onSubmit: (form: FormData) => Promise<unknown>
  readonly children: ReactNode
}) => {
  const { forms: texts } = useTexts()
  const prove = useProof()
  const [isBusy, setBusy] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const resetStatus = () => {
    setSaved(false)
    setFailure(null)
  }
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const sent = event.currentTarget
    const form = new FormData(sent)
    setBusy(true)
    resetStatus()
    try {
      await prove(() => onSubmit(form))
      setSaved(true)
    } catch (error) {
      keepUnsaved(sent, error)
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className="grid max-w-160 gap-4 px-4 py-3"
      onSubmit={(event) => void send(event)}
      onChange={resetStatus}
    >
      {children}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" disabled={isBusy}>{texts.save}</Button>
        <p role="status" className="text-soft">
          {isSaved ? texts.saved : approvalIdOf(failure) !== null ? texts.awaitsApproval : ""}
        </p>
      </div>
      {failure !== null && <Problem error={failure} />}
    </form>
  )
}
