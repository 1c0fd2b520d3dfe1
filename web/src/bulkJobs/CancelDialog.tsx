import { useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useFacets } from "../tasks/Facets.tsx"
import { hasNoMatch, MatchCount } from "../tasks/MatchCount.tsx"
import { groupQuery } from "../tasks/query.ts"
import { FormDialog } from "../ui/FormDialog.tsx"
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
  const follow = useFollowJob(slug)
  const [until] = useState(() => new Date().toISOString())
  const facets = useFacets(slug, `${groupQuery(query)} ${notEnded}`.trim())
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
      isBlocked={facets.data === undefined || hasNoMatch(facets)}
      onClose={onClose}
      onSubmit={start}
    >
      <MatchCount
        facets={facets}
        none={texts.tasks.noneToCancel}
        all={texts.bulkJobs.toCancel}
        more={texts.bulkJobs.moreToCancel}
      />
      <p className="text-soft">{texts.bulkJobs.cancelHint}</p>
    </FormDialog>
  )
}
