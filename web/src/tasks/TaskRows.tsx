import { useCallback } from "react"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { EmptyState, ErrorNotice, Loading } from "../ui/Notices.tsx"
import type { Question } from "./CommandQuestion.tsx"
import type { TaskAction } from "./commandsOfTask.ts"
import type { Place } from "./keptLists.ts"
import { ListEnd } from "./ListEnd.tsx"
import type { Preferences } from "./preferences.ts"
import { SelectionBar } from "./SelectionBar.tsx"
import { TaskTable } from "./TaskTable.tsx"
import { maxNewCount, type Task, type TaskList } from "./useTaskList.ts"
import type { useTaskSelection } from "./useTaskSelection.ts"

/** Shows tasks that came after the list was read: by itself it would move rows under the pointer. */
const NewTasks = ({ list, onShow }: { readonly list: TaskList; readonly onShow: () => void }) => {
  const { tasks: texts } = useTexts()
  const format = useFormat()
  if ((list.newCount === 0 && !list.isOutdated) || list.tasks.length === 0) return null
  const count = list.newCount > maxNewCount
    ? { value: list.newCount, text: `${format.number(maxNewCount)}+` }
    : format.count(list.newCount)
  return (
    <button
      type="button"
      className="absolute top-11 left-1/2 z-10 -translate-x-1/2 rounded-full bg-accent px-4 py-1 font-medium text-inverse shadow-lg hover:opacity-85"
      onClick={onShow}
    >
      {list.newCount > 0 ? texts.newTasks(count) : texts.showNew}
    </button>
  )
}

/** Why there is no row, and what to do next. */
const NoTasks = ({ hasFilter, list, onClear, slug }: {
  readonly slug: string
  readonly list: TaskList
  readonly hasFilter: boolean
  readonly onClear: () => void
}) => {
  const { tasks: texts } = useTexts()
  if (list.searchedTo !== null) {
    return (
      <EmptyState title={texts.noMatchYet}>
        <ListEnd list={list} />
      </EmptyState>
    )
  }
  return hasFilter
    ? (
      <EmptyState title={texts.noMatch} hint={texts.noMatchHint}>
        <Button onClick={onClear}>{texts.clear}</Button>
      </EmptyState>
    )
    : (
      <EmptyState title={texts.noTasks} hint={texts.noTasksHint}>
        <ConnectLink slug={slug} />
      </EmptyState>
    )
}

/** The rows of the list, or why there are none, and what can be done with those that are selected. */
export const TaskRows = (
  {
    hasFilter,
    isPhone,
    isRefused,
    isSelecting,
    list,
    onAsk,
    onClearFilter,
    place,
    preferences,
    query,
    selection,
    slug
  }: {
    readonly slug: string
    readonly query: string
    readonly list: TaskList
    readonly selection: ReturnType<typeof useTaskSelection>
    readonly place: Place
    readonly preferences: Preferences
    readonly isPhone: boolean
    readonly isSelecting: boolean
    readonly hasFilter: boolean
    /** The line is at fault, and says so itself. */
    readonly isRefused: boolean
    readonly onClearFilter: () => void
    readonly onAsk: (question: Question) => void
  }
) => {
  const canOperate = useCan(slug, "operator")
  const ask = useCallback((action: TaskAction, task: Task) => onAsk({ action, tasks: [task] }), [onAsk])
  return (
    <div className="relative flex min-w-0 flex-1 flex-col">
      <NewTasks
        list={list}
        onShow={() => {
          selection.clear() // rows of further pages are not loaded again
          void list.showNew()
        }}
      />
      {list.isError && !isRefused && (
        <ErrorNotice
          error={list.error}
          onRetry={() => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch())}
        />
      )}
      {list.data === undefined
        ? !list.isError && <Loading />
        : list.tasks.length === 0
        ? <NoTasks slug={slug} list={list} hasFilter={hasFilter} onClear={onClearFilter} />
        : (
          <TaskTable
            key={`${list.key.join(" ")} ${list.rounds}`}
            slug={slug}
            tasks={list.tasks}
            place={place}
            isPhone={isPhone}
            isSelecting={isSelecting}
            density={preferences.density}
            columns={preferences.columns}
            selected={selection.ids}
            onSelectLoaded={selection.selectLoaded}
            canOperate={canOperate}
            end={<ListEnd list={list} />}
            onReachEnd={list.readOn}
            onToggle={selection.toggle}
            onAsk={ask}
          />
        )}
      {selection.tasks.length > 0 && (
        <SelectionBar
          slug={slug}
          query={query}
          tasks={list.tasks}
          selected={selection.tasks}
          isAllMatching={selection.isAllMatching}
          onSelectMatching={selection.selectMatching}
          onClear={selection.clear}
          onAsk={onAsk}
        />
      )}
    </div>
  )
}
