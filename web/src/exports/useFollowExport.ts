import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
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
    try {
      let job = created
      while (isActive(job)) {
        await new Promise((resolve) => setTimeout(resolve, pauseMillis))
        job = await readTaskExport(slug, job.id)
        notice.replace({ text: progress.both(job) })
      }
      const { error, location } = job
      if (location === null) notice.replace({ title: texts.failed, text: error ?? "", tone: "bad" })
      else {
        notice.replace({
          title: texts.ready,
          tone: "good",
          action: { text: texts.download, run: () => download(location) }
        })
      }
    } catch {
      // the export goes on; the page of bulk jobs shows how far it is
    }
    await queries.invalidateQueries({ queryKey: exportsKey(slug, "tasks") })
  }
}
