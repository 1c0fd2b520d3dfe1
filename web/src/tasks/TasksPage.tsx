import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useDeferredValue, useEffect, useMemo, useState } from "react"
import { ApiError } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { meQuery } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Toolbar } from "../ui/Toolbar.tsx"
import { usePhone } from "../ui/usePhone.ts"
import { CommandQuestion, type Question } from "./CommandQuestion.tsx"
import { ExportMenu } from "./ExportMenu.tsx"
import { Facets, FacetsButton } from "./Facets.tsx"
import { ListSettings } from "./ListSettings.tsx"
import { usePreferences } from "./preferences.ts"
import { QueryLine } from "./QueryLine.tsx"
import { checkLine } from "./queryTokens.ts"
import { SavedViews } from "./SavedViews.tsx"
import { StateFilter } from "./StateFilter.tsx"
import { TaskRows } from "./TaskRows.tsx"
import { useKeptPlace } from "./useKeptPlace.ts"
import { useRowsFocus } from "./useRowsFocus.ts"
import { useTaskList } from "./useTaskList.ts"
import { useTaskSelection } from "./useTaskSelection.ts"

/** Every task of a project: filtered by the line in the address, live, and operated from the rows. */
export const TasksPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/tasks" })
  const { q = "" } = useSearch({ from: "/signed-in/projects/$slug/tasks" })
  const { tasks: texts } = useTexts()
  const navigate = useNavigate()
  const line = useDeferredValue(q)
  const { isPartial, problems, valid: query } = useMemo(() => checkLine(line), [line])
  const { data: me } = useQuery(meQuery)
  const personId = me?.id ?? ""
  const list = useTaskList(personId, slug, query)
  const selection = useTaskSelection(list, isPartial)
  const place = useKeptPlace(list, { personId, slug, line: q, query, selected: selection.ids })
  const [preferences, changePreferences] = usePreferences()
  const goToRows = useRowsFocus(line, list.data !== undefined || list.isError)
  const isPhone = usePhone()
  const [isSelecting, setSelecting] = useState(selection.ids.size > 0)
  const [question, setQuestion] = useState<Question | null>(null)
  useEffect(() => {
    if (list.tasks.length === 0) list.readOn()
  })
  const isRefused = list.error instanceof ApiError && list.error.status === 422
  const show = (text: string, replace = false) =>
    void navigate({ to: "/projects/$slug/tasks", params: { slug }, search: text === "" ? {} : { q: text }, replace })
  const facets = { slug, query, line: q, onChange: show }
  return (
    <div className="flex h-full flex-col">
      <PageHeader title={texts.title}>
        <QueryLine
          slug={slug}
          value={q}
          problems={problems}
          refusal={isRefused ? list.error?.message ?? null : null}
          onType={(text) => show(text, true)}
          onSubmit={(text) => {
            show(text)
            if (checkLine(text).problems.length === 0) goToRows(text) // a mistake keeps the focus
          }}
          onLeave={(text) => {
            show(text)
            goToRows(text)
          }}
        />
        <Toolbar label={texts.title} className="flex items-center">
          <SavedViews slug={slug} line={q} onApply={show} />
          {!isPartial && <ExportMenu slug={slug} query={query} />}
          <span className="max-md:hidden">
            <ListSettings preferences={preferences} change={changePreferences} />
          </span>
        </Toolbar>
      </PageHeader>
      <StateFilter slug={slug} line={line} onChange={show} />
      <div className="flex flex-wrap gap-2 px-4 pb-3 lg:hidden">
        <FacetsButton {...facets} />
        {isPhone && (
          <Button
            variant="quiet"
            aria-pressed={isSelecting}
            onClick={() => {
              setSelecting(!isSelecting)
              selection.clear()
            }}
          >
            {texts.selectMode}
          </Button>
        )}
      </div>
      <div className="flex min-h-0 flex-1 border-t border-line bg-paper">
        <TaskRows
          {...{ slug, query, list, selection, place, preferences, isPhone, isSelecting, isRefused }}
          hasFilter={q !== ""}
          onClearFilter={() => show("")}
          onAsk={setQuestion}
        />
        {preferences.hasFacets && <Facets {...facets} />}
      </div>
      {question !== null && (
        <CommandQuestion
          slug={slug}
          question={question}
          onClose={() => setQuestion(null)}
          onConfirm={selection.clear}
        />
      )}
    </div>
  )
}
