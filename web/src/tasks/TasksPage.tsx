import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useCallback, useDeferredValue, useMemo, useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { EmptyState, ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { CommandQuestion, type Question } from "./CommandQuestion.tsx"
import type { TaskAction } from "./commandsOfTask.ts"
import { formatQuery, parseQuery } from "./query.ts"
import { QueryLine } from "./QueryLine.tsx"
import { type TaskState, taskStates } from "./states.ts"
import { SelectedTaskActions } from "./TaskActions.tsx"
import { type Density, densityStore, TaskTable } from "./TaskTable.tsx"
import { maxNewCount, type Task, useTaskList } from "./useTaskList.ts"

const StateFilter = ({ onChoose, value }: {
  readonly value: TaskState | undefined
  readonly onChoose: (state: TaskState | undefined) => void
}) => {
  const { states, tasks: texts } = useTexts()
  const choices: ReadonlyArray<TaskState | undefined> = [undefined, ...taskStates]
  return (
    <div role="group" aria-label={texts.columns.state} className="flex gap-1 overflow-x-auto px-5 pb-4">
      {choices.map((state) => (
        <button
          key={state ?? "all"}
          type="button"
          aria-pressed={value === state}
          className="inline-flex h-[26px] shrink-0 items-center gap-3 rounded-base px-3 text-soft hover:bg-hover hover:text-ink aria-pressed:bg-press aria-pressed:font-medium aria-pressed:text-ink"
          onClick={() => onChoose(state)}
        >
          {state !== undefined && <StateShape state={state} />}
          {state === undefined ? texts.allStates : states[state]}
        </button>
      ))}
    </div>
  )
}

const DensitySwitch = ({ density, onChoose }: {
  readonly density: Density
  readonly onChoose: (density: Density) => void
}) => {
  const { tasks: texts } = useTexts()
  return (
    <select
      aria-label={texts.density}
      value={density}
      onChange={({ target }) => onChoose(target.value === "compact" ? "compact" : "comfortable")}
      className="h-[30px] rounded-base border border-line bg-paper px-3 max-md:hidden"
    >
      <option value="compact">{texts.densities.compact}</option>
      <option value="comfortable">{texts.densities.comfortable}</option>
    </select>
  )
}

/** Every task of a project: filtered by the line in the address, live, and operated from the rows. */
export const TasksPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/tasks" })
  const { q = "" } = useSearch({ from: "/signed-in/projects/$slug/tasks" })
  const texts = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const line = useDeferredValue(q)
  const { problems, query } = useMemo(() => parseQuery(line), [line])
  const list = useTaskList(slug, query)
  const canOperate = useCan(slug, "operator")
  const [density, setDensity] = useState(densityStore.read)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())

  const [question, setQuestion] = useState<Question | null>(null)
  const show = useCallback(
    (text: string, replace = false) =>
      navigate({ to: "/projects/$slug/tasks", params: { slug }, search: text === "" ? {} : { q: text }, replace }),
    [navigate, slug]
  )
  const toggle = useCallback(
    (id: string) =>
      setSelected((known) => {
        const next = new Set(known)
        if (!next.delete(id)) next.add(id)
        return next
      }),
    []
  )
  const chosen = list.tasks.filter(({ id }) => selected.has(id))
  const ask = useCallback((action: TaskAction, task: Task) => setQuestion({ action, tasks: [task] }), [])

  return (
    <div className="flex h-full flex-col">
      <PageHeader title={texts.tasks.title}>
        <QueryLine
          value={q}
          problems={problems}
          onType={(text) => void show(text, true)}
          onSubmit={(text) => void show(text)}
        />
        <DensitySwitch
          density={density}
          onChoose={(chosen) => {
            densityStore.write(chosen)
            setDensity(chosen)
          }}
        />
      </PageHeader>
      <StateFilter
        value={query.state}
        onChoose={(state) => {
          const { state: _, ...rest } = query
          void show(formatQuery(state === undefined ? rest : { ...rest, state }))
        }}
      />
      <div className="relative flex min-h-0 flex-1 flex-col border-t border-line bg-paper">
        {(list.newCount > 0 || list.isOutdated) && list.tasks.length > 0 && (
          <button
            type="button"
            className="absolute top-[44px] left-1/2 z-10 -translate-x-1/2 rounded-full bg-ink px-5 py-2 font-medium text-inverse shadow-lg hover:opacity-85"
            onClick={() => void list.showNew()}
          >
            {list.newCount > 0
              ? texts.tasks.newTasks(
                list.newCount > maxNewCount ? `${format.number(maxNewCount)}+` : format.number(list.newCount)
              )
              : texts.tasks.showNew}
          </button>
        )}
        {list.isError && (
          <ErrorNotice
            error={list.error}
            onRetry={() => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch())}
          />
        )}
        {list.data === undefined
          ? !list.isError && <Loading />
          : list.tasks.length === 0
          ? (q === ""
            ? <EmptyState title={texts.tasks.noTasks} hint={texts.tasks.noTasksHint} />
            : (
              <EmptyState title={texts.tasks.noMatch} hint={texts.tasks.noMatchHint}>
                <Button onClick={() => void show("")}>{texts.tasks.clear}</Button>
              </EmptyState>
            ))
          : (
            <TaskTable
              slug={slug}
              tasks={list.tasks}
              density={density}
              selected={selected}
              canOperate={canOperate}
              isEnd={!list.hasNextPage}
              isLoadingMore={list.isFetchingNextPage}
              onReachEnd={() => {
                if (list.hasNextPage && !list.isFetching && !list.isError) void list.fetchNextPage()
              }}
              onToggle={toggle}
              onAsk={ask}
            />
          )}
        <SelectedTaskActions
          tasks={chosen}
          canOperate={canOperate}
          onAsk={(action) => setQuestion({ action, tasks: chosen })}
        />
        {chosen.length > 0 && (
          <div className="flex flex-wrap items-center gap-4 border-t border-line bg-canvas px-5 py-3">
            <span className="figures font-medium">{texts.tasks.selected(format.number(chosen.length))}</span>
            {canOperate && (
              <>
                <Button onClick={() => setQuestion({ action: "retry", tasks: chosen })}>{texts.tasks.retry}</Button>
                <Button
                  look="danger"
                  onClick={() =>
                    setQuestion({ action: "cancel", tasks: chosen })}
                >
                  {texts.tasks.cancel}
                </Button>
              </>
            )}
            <Button look="quiet" onClick={() => setSelected(new Set())}>{texts.tasks.clearSelection}</Button>
          </div>
        )}
      </div>
      {question !== null && (
        <CommandQuestion
          slug={slug}
          question={question}
          onClose={() => setQuestion(null)}
          onAnswer={() => setSelected(new Set())}
        />
      )}
    </div>
  )
}
