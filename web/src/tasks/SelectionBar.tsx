import { useState } from "react"
import { CancelDialog } from "../bulkJobs/CancelDialog.tsx"
import { BulkRetryDialog } from "../bulkRetries/BulkRetryDialog.tsx"
import { ExportTasksDialog } from "../exports/ExportTasksDialog.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useKeys } from "../keys/useKeys.ts"
import { useContextActions } from "../palette/contextActions.ts"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/CopyButton.tsx"
import type { Question } from "./CommandQuestion.tsx"
import type { TaskAction } from "./commandsOfTask.ts"
import { DeleteDialog } from "./DeleteDialog.tsx"
import { useFacets } from "./Facets.tsx"
import { maxSelectedIds, type TaskSelection } from "./selection.ts"
import type { Task } from "./useTaskList.ts"

/**
 * What can be done with the selected tasks, and once all loaded ones are selected, with all tasks that match: a bulk retry,
 * and jobs that delete the tasks, cancel those that have not ended, or export them. These need no browser once they have
 * begun. A single task gets a command.
 */
export const SelectionBar = ({ isAllMatching, onAsk, onClear, onSelectMatching, query, selected, slug, tasks }: {
  readonly slug: string
  readonly query: string
  /** All that are loaded. */
  readonly tasks: ReadonlyArray<Task>
  readonly selected: ReadonlyArray<Task>
  readonly isAllMatching: boolean
  /** Null while the query is wider than what the person types. */
  readonly onSelectMatching: (() => void) | null
  readonly onClear: () => void
  readonly onAsk: (question: Question) => void
}) => {
  const texts = useTexts()
  const format = useFormat()
  const canOperate = useCan(slug, "operator")
  const isAdmin = useCan(slug, "admin")
  const [dialog, setDialog] = useState<"retry" | "cancel" | "delete" | "export" | null>(null)
  const isAllLoaded = selected.length === tasks.length
  const facets = useFacets(slug, query, isAllLoaded)
  const isMore = facets.data?.is_complete === false
  const count = isAllMatching ? Math.max(facets.data?.counted ?? 0, selected.length) : selected.length
  const shown = format.count(count)
  const isTooMany = !isAllMatching && selected.length > maxSelectedIds
  const ask = (action: TaskAction) =>
    selected.length > 1 || isAllMatching ? setDialog(action) : onAsk({ action, tasks: selected })
  const onKey = (action: TaskAction) => (event: KeyboardEvent) => {
    if (event.repeat) return
    event.preventDefault()
    ask(action)
  }
  useKeys(canOperate && !isTooMany ? { retry: onKey("retry"), cancel: onKey("cancel") } : {})
  const what = texts.tasks.count(shown)
  const offer = (id: string, verb: string, run: () => void) => [{ id, title: `${verb}: ${what}`, run }]
  useContextActions(
    isTooMany ? [] : [
      ...(canOperate
        ? [
          ...offer("retry", texts.tasks.retry, () => ask("retry")),
          ...offer("cancel", texts.tasks.cancelSelected, () => ask("cancel"))
        ]
        : []),
      ...offer("export", texts.exportJobs.export, () => setDialog("export")),
      ...(isAdmin ? offer("delete", texts.tasks.delete, () => setDialog("delete")) : []),
      ...(isAllMatching ? [] : [{
        id: "copy-ids",
        title: texts.palette.copyIds,
        run: () => void copyText(selected.map(({ task_id }) => task_id).join("\n"))
      }])
    ]
  )
  const selection: TaskSelection = isAllMatching
    ? { kind: "query", query }
    : { kind: "ids", ids: selected.map(({ id }) => id) }
  return (
    <div
      role="region"
      aria-label={texts.tasks.selectColumn}
      className="flex flex-wrap items-center gap-3 border-t border-line bg-canvas px-4 py-2"
    >
      <span className="figures font-medium" role="status">
        {!isAllMatching
          ? texts.tasks.selected(shown)
          : isMore
          ? texts.tasks.moreSelected(shown.text)
          : texts.tasks.allSelected(shown)}
      </span>
      {onSelectMatching !== null && isAllLoaded && !isAllMatching && facets.data !== undefined &&
        (isMore || facets.data.counted > selected.length) && (
        <Button variant="quiet" onClick={onSelectMatching}>
          {isMore ? texts.tasks.selectMore : texts.tasks.selectMatching(format.count(facets.data.counted))}
        </Button>
      )}
      {canOperate && (
        <>
          <Button disabled={isTooMany} onClick={() => ask("retry")}>{texts.tasks.retry}</Button>
          <Button disabled={isTooMany} variant="danger" onClick={() => ask("cancel")}>
            {texts.tasks.cancelSelected}
          </Button>
        </>
      )}
      <Button disabled={isTooMany} onClick={() => setDialog("export")}>{texts.exportJobs.export}</Button>
      {isAdmin && (
        <Button disabled={isTooMany} variant="danger" onClick={() => setDialog("delete")}>{texts.tasks.delete}</Button>
      )}
      <Button variant="quiet" onClick={onClear}>{texts.tasks.clearSelection}</Button>
      {isTooMany && <p className="basis-full">{texts.tasks.tooManySelected(format.number(maxSelectedIds))}</p>}
      {dialog === "retry" && (
        <BulkRetryDialog
          slug={slug}
          {...(selection.kind === "ids"
            ? { title: texts.task.retryQuestion(what), filter: { task_ids: [...selection.ids] } }
            : {
              title: texts.tasks.retryMatching,
              hint: texts.tasks.retryMatchingHint,
              filter: query === "" ? {} : { query }
            })}
          onStarted={onClear}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "cancel" && (
        <CancelDialog
          slug={slug}
          selection={selection}
          tasks={selected}
          onClose={() => setDialog(null)}
          onStarted={onClear}
        />
      )}
      {dialog === "export" && (
        <ExportTasksDialog
          slug={slug}
          selection={selection}
          onClose={() => setDialog(null)}
          onStarted={onClear}
        />
      )}
      {dialog === "delete" && (
        <DeleteDialog
          slug={slug}
          selection={selection}
          count={count}
          isMore={isAllMatching && isMore}
          onClose={() => setDialog(null)}
          onStarted={onClear}
        />
      )}
    </div>
  )
}
