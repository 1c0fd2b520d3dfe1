import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, ApiError, unwrap } from "../api/client.ts"
import { createBulkJob } from "../bulkJobs/queries.ts"
import { useFollowJob } from "../bulkJobs/useFollowJob.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { requestIdOf, useErrorText } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"

/** The tasks of a query, or single ones by their ids. */
export type TaskSelection =
  | { readonly kind: "ids"; readonly ids: ReadonlyArray<string> }
  | { readonly kind: "query"; readonly query: string }

/** Ids that one request may name (docs/api.md, Bulk delete). */
const maxIds = 1000
/** The API takes ten such requests a minute (docs/access.md, Rate buckets). */
const limitedMillis = 7_000

const isLimited = (error: unknown) => error instanceof ApiError && error.status === 429

/**
 * Asks, with the number to type, and deletes the tasks: those of a query in a job, which needs no browser; single ones by
 * their ids, while a notice says how far it is. Tasks that arrive once the question is open stay, as far as the clocks of
 * browser and brain agree.
 */
export const DeleteDialog = ({ count, isMore, onClose, onDeleted, selection, slug }: {
  readonly slug: string
  readonly selection: TaskSelection
  readonly count: number
  /** There may be more than `count`. */
  readonly isMore: boolean
  readonly onClose: () => void
  /** The brain has begun to delete them. */
  readonly onDeleted: () => void
}) => {
  const { forms: { delete: verb }, tasks: texts } = useTexts()
  const format = useFormat()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const toast = useToast()
  const follow = useFollowJob(slug)
  const [until] = useState(() => new Date().toISOString())
  const shown = format.number(count)
  /** Deletes the first of the ids, and takes them off the list. */
  const deleteNext = async (ids: Array<string>) => {
    const options = { params: { path: { slug } }, body: { task_ids: ids.slice(0, maxIds) } }
    const { deleted_count } = await unwrap(api.POST("/api/v1/projects/{slug}/tasks/bulk-delete", options))
    ids.splice(0, maxIds)
    return deleted_count
  }
  const deleteRest = async (ids: Array<string>, before: number) => {
    let deleted = before
    const notice = toast.show({ title: texts.deleting, text: texts.deleted(format.number(deleted)), tone: "plain" })
    try {
      while (ids.length > 0) {
        try {
          deleted += await deleteNext(ids)
          notice.replace({ text: texts.deleted(format.number(deleted)) })
        } catch (error) {
          if (!isLimited(error)) throw error
          await new Promise((resolve) => setTimeout(resolve, limitedMillis))
        }
      }
      notice.replace({ title: texts.deletedTitle, tone: "good" })
    } catch (error) {
      notice.replace({
        title: texts.deleteStopped,
        text: `${texts.deleted(format.number(deleted))} ${errorText(error)}`,
        requestId: requestIdOf(error),
        tone: "bad"
      })
    }
    await queries.invalidateQueries({ queryKey: ["tasks", slug] })
  }
  const start = async () => {
    // the first request may be refused or wait for a second person, which the question shows
    if (selection.kind === "query") {
      const job = await createBulkJob(slug, "delete", selection.query, until)
      onDeleted()
      void follow(job)
      return
    }
    const ids = [...selection.ids]
    const deleted = await deleteNext(ids)
    onDeleted()
    void deleteRest(ids, deleted)
  }
  return (
    <FormDialog
      title={isMore ? texts.deleteMoreQuestion(shown) : texts.deleteQuestion(shown)}
      submit={verb}
      look="danger"
      phrase={isMore ? slug : String(count)}
      onClose={onClose}
      onSubmit={start}
    >
      <p className="text-soft">{texts.deleteHint}</p>
    </FormDialog>
  )
}
