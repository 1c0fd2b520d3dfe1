import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { BulkRetryDialog } from "../bulkRetries/BulkRetryDialog.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { useErrorText } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"
import type { Question } from "./CommandQuestion.tsx"
import { DeleteDialog, type TaskSelection } from "./DeleteDialog.tsx"
import { useFacets } from "./Facets.tsx"
import { groupQuery } from "./query.ts"
import { readTasks } from "./readTasks.ts"
import type { Task } from "./useTaskList.ts"

/** Tasks of a query that are cancelled at a time: each is a command of its own. */
const maxCancelled = 500
const ended = "-state:success,failure,revoked,rejected"

/**
 * What can be done with the selected tasks. Once all loaded ones are selected, it offers all tasks that match instead: a
 * bulk retry of the query, its deletion, and commands that cancel the tasks that have not ended.
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
  const errorText = useErrorText()
  const toast = useToast()
  const canOperate = useCan(slug, "operator")
  const isAdmin = useCan(slug, "admin")
  const [dialog, setDialog] = useState<"retry" | "delete" | null>(null)
  const isAllLoaded = selected.length === tasks.length
  const facets = useFacets(slug, query, isAllLoaded)
  const isMore = facets.data?.is_complete === false
  const count = isAllMatching ? Math.max(facets.data?.counted ?? 0, selected.length) : selected.length
  const shown = format.number(count)
  const cancelMatching = useMutation({
    mutationFn: () => readTasks(slug, { query: `${groupQuery(query)} ${ended}`.trim(), limit: maxCancelled }),
    onSuccess: (found) =>
      found.length === 0
        ? toast.show({ title: texts.tasks.noneToCancel, text: "", tone: "plain" })
        : onAsk({
          action: "cancel",
          tasks: found,
          ...(found.length === maxCancelled && { note: texts.tasks.cancelPart(format.number(maxCancelled)) })
        }),
    onError: (error) => toast.show({ title: texts.error.actionTitle, text: errorText(error), tone: "bad" })
  })
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
            disabled={cancelMatching.isPending}
            onClick={() => isAllMatching ? cancelMatching.mutate() : onAsk({ action: "cancel", tasks: selected })}
          >
            {texts.tasks.cancelSelected}
          </Button>
        </>
      )}
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
