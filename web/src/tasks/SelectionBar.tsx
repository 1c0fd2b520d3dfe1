import { useState } from "react"
import { CancelDialog } from "../bulkJobs/CancelDialog.tsx"
import { BulkRetryDialog } from "../bulkRetries/BulkRetryDialog.tsx"
import { ExportTasksDialog } from "../exports/ExportTasksDialog.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import type { Question } from "./CommandQuestion.tsx"
import { DeleteDialog, type TaskSelection } from "./DeleteDialog.tsx"
import { useFacets } from "./Facets.tsx"
import type { Task } from "./useTaskList.ts"

/**
 * What can be done with the selected tasks. Once all loaded ones are selected, it offers all tasks that match instead: a
 * bulk retry of the query, and jobs that delete its tasks, cancel those that have not ended, or export them.
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
  const shown = format.number(count)
  const selection: TaskSelection = isAllMatching
    ? { kind: "query", query }
    : { kind: "ids", ids: selected.map(({ id }) => id) }
  return (
    <div
      role="region"
      aria-label={texts.tasks.selectColumn}
      className="flex flex-wrap items-center gap-4 border-t border-line bg-canvas px-5 py-3"
    >
      <span className="figures font-medium" role="status">
        {!isAllMatching
          ? texts.tasks.selected(shown)
          : isMore
          ? texts.tasks.moreSelected(shown)
          : texts.tasks.allSelected(shown)}
      </span>
      {onSelectMatching !== null && isAllLoaded && !isAllMatching && facets.data !== undefined &&
        (isMore || facets.data.counted > selected.length) && (
        <Button look="quiet" onClick={onSelectMatching}>
          {isMore ? texts.tasks.selectMore : texts.tasks.selectMatching(format.number(facets.data.counted))}
        </Button>
      )}
      {canOperate && (
        <>
          <Button onClick={() => isAllMatching ? setDialog("retry") : onAsk({ action: "retry", tasks: selected })}>
            {texts.tasks.retry}
          </Button>
          <Button
            look="danger"
            onClick={() => isAllMatching ? setDialog("cancel") : onAsk({ action: "cancel", tasks: selected })}
          >
            {texts.tasks.cancelSelected}
          </Button>
        </>
      )}
      {isAllMatching && <Button onClick={() => setDialog("export")}>{texts.exportJobs.export}</Button>}
      {isAdmin && <Button look="danger" onClick={() => setDialog("delete")}>{texts.tasks.delete}</Button>}
      <Button look="quiet" onClick={onClear}>{texts.tasks.clearSelection}</Button>
      {dialog === "retry" && (
        <BulkRetryDialog
          slug={slug}
          title={texts.tasks.retryMatching}
          hint={texts.tasks.retryMatchingHint}
          filter={query === "" ? {} : { query }}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "cancel" && (
        <CancelDialog
          slug={slug}
          query={query}
          onClose={() => setDialog(null)}
          onStarted={onClear}
        />
      )}
      {dialog === "export" && (
        <ExportTasksDialog
          slug={slug}
          query={query}
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
          onDeleted={onClear}
        />
      )}
    </div>
  )
}
