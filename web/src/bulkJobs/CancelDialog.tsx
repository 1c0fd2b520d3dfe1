import { useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useFacets } from "../tasks/Facets.tsx"
import { hasNoMatch, MatchCount } from "../tasks/MatchCount.tsx"
import { groupQuery } from "../tasks/query.ts"
import type { TaskSelection } from "../tasks/selection.ts"
import { isOver } from "../tasks/states.ts"
import type { Task } from "../tasks/useTaskList.ts"
import { FormDialog } from "../ui/FormDialog.tsx"
import { createBulkJob } from "./queries.ts"
import { useFollowJob } from "./useFollowJob.ts"

const notEnded = "-state:success,failure,revoked,rejected"

/** How many of the selected tasks have not ended, as far as the list knows. */
const SelectedCount = ({ tasks }: { readonly tasks: ReadonlyArray<Task> }) => {
  const { bulkJobs: texts, tasks: { noneToCancel } } = useTexts()
  const format = useFormat()
  const ended = tasks.filter(isOver).length
  return (
    <>
      <p className="text-large font-medium">
        {ended === tasks.length ? noneToCancel : texts.toCancel(format.count(tasks.length - ended))}
      </p>
      {ended > 0 && <p>{texts.endedLeftOut(format.count(ended))}</p>}
    </>
  )
}

/** Says how many tasks of the selection have not ended, and begins a job that cancels them. */
export const CancelDialog = ({ onClose, onStarted, selection, slug, tasks }: {
  readonly slug: string
  readonly selection: TaskSelection
  /** The rows of a selection by ids. */
  readonly tasks: ReadonlyArray<Task>
  readonly onClose: () => void
  readonly onStarted: () => void
}) => {
  const texts = useTexts()
  const format = useFormat()
  const follow = useFollowJob(slug)
  const [until] = useState(() => new Date().toISOString())
  const isQuery = selection.kind === "query"
  const facets = useFacets(slug, isQuery ? `${groupQuery(selection.query)} ${notEnded}`.trim() : "", isQuery)
  const start = async () => {
    const job = await createBulkJob(slug, "cancel", selection, until)
    onStarted()
    void follow(job)
  }
  return (
    <FormDialog
      title={isQuery
        ? texts.bulkJobs.cancelQuestion
        : texts.task.cancelQuestion(texts.tasks.count(format.count(tasks.length)))}
      submit={texts.tasks.cancelSelected}
      dismiss={texts.keepRunning}
      variant="danger"
      isBlocked={isQuery ? facets.data === undefined || hasNoMatch(facets) : tasks.every(isOver)}
      onClose={onClose}
      onSubmit={start}
    >
      {isQuery
        ? (
          <MatchCount
            facets={facets}
            none={texts.tasks.noneToCancel}
            all={texts.bulkJobs.toCancel}
            more={texts.bulkJobs.moreToCancel}
          />
        )
        : <SelectedCount tasks={tasks} />}
      <p className="text-soft">{texts.bulkJobs.cancelHint}</p>
    </FormDialog>
  )
}
