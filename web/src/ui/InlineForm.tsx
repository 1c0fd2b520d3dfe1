import { type FormEvent, type ReactNode, useState } from "react"
import { ApiError } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useProof } from "../session/StepUp.tsx"
import { Button } from "./Button.tsx"
import { useErrorText } from "./Notices.tsx"

/** A form within a page: it says below its fields whether the values are saved, wait for a second person, or were refused. */
export const InlineForm = ({ children, onSubmit }: {
  readonly onSubmit: (form: FormData) => Promise<unknown>
  readonly children: ReactNode
}) => {
  const { forms: texts } = useTexts()
  const errorText = useErrorText()
  const prove = useProof()
  const [isBusy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<{ readonly text: string; readonly isBad: boolean } | null>(null)
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setOutcome(null)
    try {
      await prove(() => onSubmit(form))
      setOutcome({ text: texts.saved, isBad: false })
    } catch (error) {
      const isHeld = error instanceof ApiError && error.code === "approval_required"
      setOutcome({ text: isHeld ? `${texts.held}. ${errorText(error)}` : errorText(error), isBad: !isHeld })
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      className="grid max-w-[40rem] gap-5 px-5 py-4"
      onSubmit={(event) => void send(event)}
      onChange={() => setOutcome(null)}
    >
      {children}
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit" look="primary" disabled={isBusy}>{texts.save}</Button>
        <p role="status" className={outcome?.isBad === true ? "text-failure" : "text-soft"}>{outcome?.text}</p>
      </div>
    </form>
  )
}
