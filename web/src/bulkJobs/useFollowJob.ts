import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { followJob } from "../api/followJob.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { outdateKeptLists } from "../tasks/keptLists.ts"
import { useToast } from "../ui/Toasts.tsx"
import type { BulkJob } from "./bulkJob.ts"
import { bulkJobsKey, readBulkJob } from "./queries.ts"

const pauseMillis = 2_000

const isGood = ({ outcomes, status }: BulkJob) =>
  status === "completed" && (outcomes === null || outcomes.failed + outcomes.unknown === 0)

/** Says in a notice that a job has begun and how far it is, with a link to its page. The job needs no browser. */
export const useFollowJob = (slug: string) => {
  const { bulkJobs: texts } = useTexts()
  const format = useFormat()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  return async (created: BulkJob) => {
    const textOf = ({ done, total }: BulkJob) =>
      total === null ? format.number(done) : texts.ofTotal(format.number(done), format.number(Math.max(total, done)))
    const notice = toast.show({
      title: texts.begun[created.act],
      text: textOf(created),
      tone: "plain",
      action: {
        text: texts.see,
        run: () => void navigate({ to: "/projects/$slug/bulk-jobs", params: { slug } })
      }
    })
    const job = await followJob(created, {
      isActive: ({ status }) => status === "running",
      pauseMillis,
      read: () => readBulkJob(slug, created.id),
      show: (job) => notice.replace({ text: textOf(job) })
    })
    if (job === null) notice.close()
    else notice.replace({ title: texts.ended[job.act], ...(isGood(job) && { tone: "good" }) })
    await queries.invalidateQueries({ queryKey: ["tasks", slug] })
    outdateKeptLists(slug) // the stream does not report deletions
    await queries.invalidateQueries({ queryKey: bulkJobsKey(slug) })
  }
}
