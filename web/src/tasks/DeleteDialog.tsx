import { useState } from "react"
import { createBulkJob } from "../bulkJobs/queries.ts"
import { useFollowJob } from "../bulkJobs/useFollowJob.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import type { TaskSelection } from "./selection.ts"

/**
 * Asks, with the number to type, and begins a job that deletes the tasks. Tasks that arrive once the question is open stay,
 * as far as the clocks of browser and brain agree.
 */
export const DeleteDialog = ({ count, isMore, onClose, onStarted, selection, slug }: {
  readonly slug: string
  readonly selection: TaskSelection
  readonly count: number
  /** There may be more than `count`. */
  readonly isMore: boolean
  readonly onClose: () => void
  readonly onStarted: () => void
}) => {
  const { forms: { delete: verb }, tasks: texts } = useTexts()
  const format = useFormat()
  const follow = useFollowJob(slug)
  const [until] = useState(() => new Date().toISOString())
  const shown = format.count(count)
  const start = async () => {
    const job = await createBulkJob(slug, "delete", selection, until)
    onStarted()
    void follow(job)
  }
  return (
    <FormDialog
      title={isMore ? texts.deleteMoreQuestion(shown.text) : texts.deleteQuestion(shown)}
      submit={verb}
      variant="danger"
      phrase={isMore ? slug : String(count)}
      onClose={onClose}
      onSubmit={start}
    >
      <p className="text-soft">{texts.deleteHint}</p>
    </FormDialog>
  )
}
