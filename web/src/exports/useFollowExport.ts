import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { followJob } from "../api/followJob.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { download, type ExportJob, isActive, useProgressText } from "./exportJob.ts"
import { exportsKey, readTaskExport } from "./queries.ts"

const pauseMillis = 1_500

/** Says in a notice how far an export of tasks is, and offers its file at the end. The export needs no browser. */
export const useFollowExport = (slug: string) => {
  const { exportJobs: texts } = useTexts()
  const progress = useProgressText()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  return async (created: ExportJob) => {
    const notice = toast.show({
      title: texts.begun,
      text: progress.both(created),
      tone: "plain",
      action: {
        text: texts.see,
        run: () => void navigate({ to: "/projects/$slug/bulk-jobs", params: { slug } })
      }
    })
    const job = await followJob(created, {
      isActive,
      pauseMillis,
      read: () => readTaskExport(slug, created.id),
      show: (job) => notice.replace({ text: progress.both(job) })
    })
    if (job === null) notice.close()
    else if (job.status === "failed") notice.replace({ title: texts.failed, text: job.error ?? "", tone: "bad" })
    else {
      const { location } = job
      const text = job.truncated ? `${progress.both(job)}. ${texts.truncated}` : progress.both(job)
      notice.replace(
        location === null
          ? { title: texts.ready, text: texts.hidden }
          : { title: texts.ready, text, tone: "good", action: { text: texts.download, run: () => download(location) } }
      )
    }
    await queries.invalidateQueries({ queryKey: exportsKey(slug, "tasks") })
  }
}
