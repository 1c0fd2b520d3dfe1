import { useQueryClient } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
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

/**
 * Asks, with the number to type, and deletes the tasks. Of a query the brain deletes 10 000 with each request; a notice
 * says how far it is. Tasks that arrive after the question stay.
 */
export const DeleteDialog = ({ count, isMore, onClose, onDeleted, selection, slug }: {
  readonly slug: string
  readonly selection: TaskSelection
  readonly count: number
  /** There are more than `count`. */
  readonly isMore: boolean
  readonly onClose: () => void
  readonly onDeleted: () => void
}) => {
  const { forms: { delete: verb }, tasks: texts } = useTexts()
  const format = useFormat()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const toast = useToast()
  const shown = format.number(count)
  const deleteSome = (
    body: { readonly filter_query?: string; readonly filter_until?: string; task_ids?: Array<string> }
  ) => unwrap(api.POST("/api/v1/projects/{slug}/tasks/bulk-delete", { params: { path: { slug } }, body }))

  const deleteRest = async (next: () => Promise<number>, before: number) => {
    let deleted = before
    const notice = toast.show({ title: texts.deleting, text: texts.deleted(format.number(deleted)), tone: "plain" })
    try {
      for (let some = await next(); some > 0; some = await next()) {
        deleted += some
        notice.replace({ text: texts.deleted(format.number(deleted)) })
      }
      notice.replace({ title: texts.deletedTitle, tone: "good" })
    } catch (error) {
      notice.replace({ text: `${texts.deleted(format.number(deleted))} ${errorText(error)}`, tone: "bad" })
    }
    await queries.invalidateQueries({ queryKey: ["tasks", slug] })
    onDeleted()
  }
  const start = async () => {
    const until = new Date().toISOString()
    const ids = selection.kind === "ids" ? [...selection.ids] : []
    const next = async (): Promise<number> => {
      if (selection.kind === "ids" && ids.length === 0) return 0
      const { deleted_count } = await deleteSome(
        selection.kind === "ids"
          ? { task_ids: ids.splice(0, maxIds) }
          : { filter_until: until, ...(selection.query !== "" && { filter_query: selection.query }) }
      )
      return deleted_count
    }
    // the first request may be refused or wait for a second person, which the question shows
    void deleteRest(next, await next())
  }
  return (
    <FormDialog
      title={isMore ? texts.deleteMoreQuestion(shown) : texts.deleteQuestion(shown)}
      submit={verb}
      look="danger"
      phrase={shown}
      onClose={onClose}
      onSubmit={start}
    >
      <p className="text-soft">{texts.deleteHint}</p>
    </FormDialog>
  )
}
