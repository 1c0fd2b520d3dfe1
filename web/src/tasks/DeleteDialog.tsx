import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, ApiError, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { useErrorText } from "../ui/Notices.tsx"
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
 * Asks, with the number to type, and deletes the tasks. Of a query the brain deletes 10 000 with each request; a notice
 * says how far it is. Tasks that arrive once the question is open stay, as far as the clocks of browser and brain agree.
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
  const [until] = useState(() => new Date().toISOString())
  const shown = format.number(count)
  const deleteSome = async (
    body: { readonly filter_query?: string; readonly filter_until?: string; task_ids?: Array<string> }
  ) => {
    const options = { params: { path: { slug } }, body }
    return (await unwrap(api.POST("/api/v1/projects/{slug}/tasks/bulk-delete", options))).deleted_count
  }

  /** Deletes the next ones; null at the end. */
  const makeNext = () => {
    if (selection.kind === "ids") {
      const ids = [...selection.ids]
      return async () => {
        if (ids.length === 0) return null
        const deleted = await deleteSome({ task_ids: ids.slice(0, maxIds) })
        ids.splice(0, maxIds)
        return deleted
      }
    }
    return async () => {
      const deleted = await deleteSome({
        filter_until: until,
        ...(selection.query !== "" && { filter_query: selection.query })
      })
      return deleted === 0 ? null : deleted
    }
  }
  const deleteRest = async (next: () => Promise<number | null>, before: number) => {
    let deleted = before
    const notice = toast.show({ title: texts.deleting, text: texts.deleted(format.number(deleted)), tone: "plain" })
    try {
      for (let isOver = false; !isOver;) {
        try {
          const some = await next()
          isOver = some === null
          deleted += some ?? 0
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
        tone: "bad"
      })
    }
    await queries.invalidateQueries({ queryKey: ["tasks", slug] })
  }
  const start = async () => {
    const next = makeNext()
    // the first request may be refused or wait for a second person, which the question shows
    const deleted = await next()
    onDeleted()
    void deleteRest(next, deleted ?? 0)
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
