import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { ApiError } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { meQuery, useCan } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { EmptyState, ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Pills } from "../ui/Pills.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { Toolbar } from "../ui/Toolbar.tsx"
import { usePhone } from "../ui/usePhone.ts"
import { CommandQuestion, type Question } from "./CommandQuestion.tsx"
import type { TaskAction } from "./commandsOfTask.ts"
import { ExportMenu } from "./ExportMenu.tsx"
import { Facets, FacetsButton } from "./Facets.tsx"
import { keepList, type Place, readEntryKey } from "./keptLists.ts"
import { ListSettings } from "./ListSettings.tsx"
import { usePreferences } from "./preferences.ts"
import { QueryLine } from "./QueryLine.tsx"
import { checkLine, replaceState, valuesOf } from "./queryTokens.ts"
import { SavedViews } from "./SavedViews.tsx"
import { SelectionBar } from "./SelectionBar.tsx"
import { type TaskState, taskStates } from "./states.ts"
import { TaskTable } from "./TaskTable.tsx"
import { useRowsFocus } from "./useRowsFocus.ts"
import { maxNewCount, type Task, useTaskList } from "./useTaskList.ts"

const topOfList: Place = { scrollTop: 0, focusedId: null }

const StateFilter = ({ onChoose, values }: {
  readonly values: ReadonlyArray<string>
  readonly onChoose: (state: TaskState | undefined) => void
}) => {
  const { states, tasks: texts } = useTexts()
  return (
    <Pills<TaskState | undefined>
      label={texts.columns.state}
      className="px-4 pb-3"
      choices={[
        { value: undefined, text: texts.allStates },
        ...taskStates.map((state) => ({
          value: state,
          text: (
            <>
              <StateShape state={state} />
              {states[state]}
            </>
          )
        }))
      ]}
      isChosen={(state) => state === undefined ? values.length === 0 : values.includes(state)}
      onChoose={onChoose}
    />
  )
}

/** Whether older tasks are read, are still to be searched, or there are none. */
const ListEnd = ({ list }: { readonly list: ReturnType<typeof useTaskList> }) => {
  const { tasks: texts } = useTexts()
  const format = useFormat()
  if (list.searchedTo === null) {
    return <p role="status">{list.isFetchingNextPage ? `${texts.loadingMore}…` : list.hasNextPage ? "" : texts.end}</p>
  }
  return (
    <>
      <p role="status" className="text-soft">
        {texts.searchedBack(format.dateTime(Date.parse(list.searchedTo)))}
        {list.isFetchingNextPage && ` ${texts.searchingOn}…`}
      </p>
      {!list.isSearchingOn && !list.isFetchingNextPage && !list.isError && (
        <Button onClick={list.searchOn}>{texts.searchOn}</Button>
      )}
    </>
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
  const { isPartial, problems, valid: query } = useMemo(() => checkLine(line), [line])
  const { data: me } = useQuery(meQuery)
  const personId = me?.id ?? ""
  const list = useTaskList(personId, slug, query)
  const canOperate = useCan(slug, "operator")
  const [preferences, changePreferences] = usePreferences()
  const [selected, setSelected] = useState<ReadonlySet<string>>(list.kept?.selected ?? new Set())
  const [isAllMatching, setAllMatching] = useState(false)
  const clearSelection = useCallback(() => {
    setSelected(new Set())
    setAllMatching(false)
  }, [])
  const [selectedIn, setSelectedIn] = useState(list.key)
  if (selectedIn !== list.key) {
    setSelectedIn(list.key)
    setSelected(list.kept?.selected ?? new Set())
    setAllMatching(false)
  }
  const place = useMemo(
    (): Place => ({ ...(list.rounds === 0 ? list.kept?.place ?? topOfList : topOfList) }),
    [list.kept, list.key, list.rounds]
  )
  const entry = useRef("")
  useEffect(() => {
    entry.current = readEntryKey()
  }, [slug, q, query])
  const keep = () => {
    const { pages, readUnshown } = list
    if (pages === undefined) return
    const { changes, isOutdated } = readUnshown()
    keepList(entry.current, {
      personId,
      slug,
      query,
      pages,
      place,
      selected,
      changes,
      isOutdated: isOutdated || list.isOutdated || list.newCount > 0
    })
  }
  const leave = useRef(keep)
  leave.current = keep
  useEffect(() => () => leave.current(), [])
  useEffect(() => setAllMatching(false), [isPartial])
  useEffect(() => {
    if (list.tasks.length === 0) list.readOn()
  })
  const goToRows = useRowsFocus(line, list.data !== undefined || list.isError)
  const isRefused = list.error instanceof ApiError && list.error.status === 422

  const isPhone = usePhone()
  const [isSelecting, setSelecting] = useState(selected.size > 0)
  const [question, setQuestion] = useState<Question | null>(null)
  const show = useCallback(
    (text: string, replace = false) =>
      navigate({ to: "/projects/$slug/tasks", params: { slug }, search: text === "" ? {} : { q: text }, replace }),
    [navigate, slug]
  )
  const toggle = useCallback(
    (id: string) => {
      setAllMatching(false)
      setSelected((known) => {
        const next = new Set(known)
        if (!next.delete(id)) next.add(id)
        return next
      })
    },
    []
  )
  const chosen = list.tasks.filter(({ id }) => selected.has(id))
  const ask = useCallback((action: TaskAction, task: Task) => setQuestion({ action, tasks: [task] }), [])

  return (
    <div className="flex h-full flex-col">
      <PageHeader title={texts.tasks.title}>
        <QueryLine
          slug={slug}
          value={q}
          problems={problems}
          refusal={isRefused ? list.error?.message ?? null : null}
          onType={(text) => void show(text, true)}
          onSubmit={(text) => {
            void show(text)
            if (checkLine(text).problems.length === 0) goToRows(text) // a mistake keeps the focus
          }}
          onLeave={(text) => {
            void show(text)
            goToRows(text)
          }}
        />
        <Toolbar label={texts.tasks.title} className="flex items-center">
          <SavedViews slug={slug} line={q} onApply={(text) => void show(text)} />
          {!isPartial && <ExportMenu slug={slug} query={query} />}
          <span className="max-md:hidden">
            <ListSettings preferences={preferences} change={changePreferences} />
          </span>
        </Toolbar>
      </PageHeader>
      <StateFilter
        values={valuesOf(line, "state")}
        onChoose={(state) => void show(replaceState(q, state))}
      />
      <div className="flex flex-wrap gap-2 px-4 pb-3 lg:hidden">
        <FacetsButton slug={slug} query={query} line={q} onChange={(text) => void show(text)} />
        {isPhone && (
          <Button
            variant="quiet"
            aria-pressed={isSelecting}
            onClick={() => {
              setSelecting(!isSelecting)
              clearSelection()
            }}
          >
            {texts.tasks.selectMode}
          </Button>
        )}
      </div>
      <div className="flex min-h-0 flex-1 border-t border-line bg-paper">
        <div className="relative flex min-w-0 flex-1 flex-col">
          {(list.newCount > 0 || list.isOutdated) && list.tasks.length > 0 && (
            <button
              type="button"
              className="absolute top-11 left-1/2 z-10 -translate-x-1/2 rounded-full bg-ink px-4 py-1 font-medium text-inverse shadow-lg hover:opacity-85"
              onClick={() => {
                clearSelection() // rows of further pages are not loaded again
                void list.showNew()
              }}
            >
              {list.newCount > 0
                ? texts.tasks.newTasks(
                  list.newCount > maxNewCount
                    ? { value: list.newCount, text: `${format.number(maxNewCount)}+` }
                    : format.count(list.newCount)
                )
                : texts.tasks.showNew}
            </button>
          )}
          {list.isError && !isRefused && (
            <ErrorNotice
              error={list.error}
              onRetry={() => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch())}
            />
          )}
          {list.data === undefined
            ? !list.isError && <Loading />
            : list.tasks.length === 0
            ? (list.searchedTo !== null
              ? (
                <EmptyState title={texts.tasks.noMatchYet}>
                  <ListEnd list={list} />
                </EmptyState>
              )
              : q === ""
              ? (
                <EmptyState title={texts.tasks.noTasks} hint={texts.tasks.noTasksHint}>
                  <ConnectLink slug={slug} />
                </EmptyState>
              )
              : (
                <EmptyState title={texts.tasks.noMatch} hint={texts.tasks.noMatchHint}>
                  <Button onClick={() => void show("")}>{texts.tasks.clear}</Button>
                </EmptyState>
              ))
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
                selected={selected}
                onSelectLoaded={(isSelected) => {
                  setAllMatching(false)
                  setSelected(new Set(isSelected ? list.tasks.map(({ id }) => id) : []))
                }}
                canOperate={canOperate}
                end={<ListEnd list={list} />}
                onReachEnd={list.readOn}
                onToggle={toggle}
                onAsk={ask}
              />
            )}
          {chosen.length > 0 && (
            <SelectionBar
              slug={slug}
              query={query}
              tasks={list.tasks}
              selected={chosen}
              isAllMatching={isAllMatching}
              onSelectMatching={isPartial ? null : () => setAllMatching(true)}
              onClear={clearSelection}
              onAsk={setQuestion}
            />
          )}
        </div>
        {preferences.hasFacets && <Facets slug={slug} query={query} line={q} onChange={(text) => void show(text)} />}
      </div>
      {question !== null && (
        <CommandQuestion
          slug={slug}
          question={question}
          onClose={() => setQuestion(null)}
          onConfirm={clearSelection}
        />
      )}
    </div>
  )
}
