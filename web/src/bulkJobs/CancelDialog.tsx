import { useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useFacets } from "../tasks/Facets.tsx"
import { groupQuery } from "../tasks/query.ts"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { createBulkJob } from "./queries.ts"
import { useFollowJob } from "./useFollowJob.ts"

const notEnded = "-state:success,failure,revoked,rejected"

/** Says how many tasks of the query have not ended, and begins a job that cancels them. */
export const CancelDialog = ({ onClose, onStarted, query, slug }: {
  readonly slug: string
  readonly query: string
  readonly onClose: () => void
  readonly onStarted: () => void
}) => {
  const texts = useTexts()
  const format = useFormat()
  const follow = useFollowJob(slug)
  const [until] = useState(() => new Date().toISOString())
  const facets = useFacets(slug, `${groupQuery(query)} ${notEnded}`.trim())
  const { counted = 0, is_complete = true } = facets.data ?? {}
  const shown = format.number(counted)
  const start = async () => {
    const job = await createBulkJob(slug, "cancel", query, until)
    onStarted()
    void follow(job)
  }
  return (
    <FormDialog
      title={texts.bulkJobs.cancelQuestion}
      submit={texts.tasks.cancelSelected}
      look="danger"
      isBlocked={facets.data === undefined || (counted === 0 && is_complete)}
      onClose={onClose}
      onSubmit={start}
    >
      {facets.data !== undefined
        ? (
          <p className="text-large font-medium">
            {counted === 0 && is_complete
              ? texts.tasks.noneToCancel
              : is_complete
              ? texts.bulkJobs.toCancel(shown)
              : texts.bulkJobs.moreToCancel(shown)}
          </p>
        )
        : facets.isError
        ? <ErrorNotice error={facets.error} onRetry={() => void facets.refetch()} />
        : <Loading />}
      <p className="text-soft">{texts.bulkJobs.cancelHint}</p>
    </FormDialog>
  )
}
