import type { ReactNode } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { approvalIdOf } from "./ApprovalLink.tsx"
import { Button } from "./Button.tsx"
import { Problem } from "./Problem.tsx"
import { useSubmit } from "./useSubmit.ts"

/** A form within a page: it says below its fields whether the values are saved, wait for a second person, or were refused. */
export const InlineForm = ({ children, onSubmit }: {
  readonly onSubmit: (form: FormData) => Promise<unknown>
  readonly children: ReactNode
}) => {
  const { forms: texts } = useTexts()
  const { failure, isBusy, isDone, reset, submitWith } = useSubmit()
  return (
    <form className="grid max-w-160 gap-4 px-4 py-3" onSubmit={submitWith(onSubmit)} onChange={reset}>
      {children}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" disabled={isBusy}>{texts.save}</Button>
        <p role="status" className="text-soft">
          {isDone ? texts.saved : approvalIdOf(failure) !== null ? texts.awaitsApproval : ""}
        </p>
      </div>
      {failure !== null && <Problem error={failure} />}
    </form>
  )
}
