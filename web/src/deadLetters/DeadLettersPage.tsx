import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { agentsQuery } from "../agents/agents.ts"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import type { Schemas } from "../api/client.ts"
import { FailureTabs } from "../failures/FailureTabs.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { present } from "../searchParams.ts"
import { formatQuery } from "../tasks/query.ts"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { canList, chooseEngine, enginesOf } from "./engines.ts"
import { type DeadLettersSearch, type Letter, useLetters } from "./letters.ts"
import { LetterTable } from "./LetterTable.tsx"
import { RequeueQuestion } from "./RequeueQuestion.tsx"

/** Whose dead letters are read: one engine's, of all its agents or one, and of all its queues or one. */
const Filters = ({ agents, engine, engines, onSearch, search }: {
  readonly engines: ReadonlyArray<string>
  readonly engine: string | undefined
  /** Those of the engine. */
  readonly agents: ReadonlyArray<Schemas["Agent"]>
  readonly search: DeadLettersSearch
  readonly onSearch: (search: DeadLettersSearch) => void
}) => {
  const { deadLetters: texts } = useTexts()
  return (
    <>
      {engine !== undefined && (
        <FilterSelect
          label={texts.engine}
          choices={Object.fromEntries(engines.map((one) => [one, one]))}
          value={engine}
          onChoose={(chosen) => onSearch({ engine: chosen })}
        />
      )}
      {agents.length > 1 && (
        <FilterSelect
          label={texts.agent}
          any={texts.anyAgent}
          choices={Object.fromEntries(agents.map(({ id, name }) => [id, name]))}
          value={search.agent}
          onChoose={(agent) => onSearch(present({ ...search, agent }))}
        />
      )}
      <form
        key={search.queue}
        role="search"
        className="flex"
        onSubmit={(event) => {
          event.preventDefault()
          const queue = String(new FormData(event.currentTarget).get("queue") ?? "").trim()
          onSearch(present({ ...search, queue: queue === "" ? undefined : queue }))
        }}
      >
        <input
          name="queue"
          aria-label={texts.queue}
          placeholder={texts.queueHint}
          defaultValue={search.queue}
          className="h-7.5 rounded-base border border-line bg-paper px-2"
        />
      </form>
    </>
  )
}

/** The failed tasks that an engine still has, read by its agent now, and the button that puts one back. */
export const DeadLettersPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/dead-letters" })
  const search = useSearch({ from: "/signed-in/projects/$slug/dead-letters" })
  const { deadLetters: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const [question, setQuestion] = useState<Letter | null>(null)
  const agents = useQuery(agentsQuery(slug))
  const known = agents.data ?? []
  const engines = enginesOf(known)
  const engine = search.engine ?? chooseEngine(known)
  const ofEngine = known.filter(({ engine_adapters }) => engine_adapters.some((one) => one === engine))
  const isListable = engine !== undefined && canList(known, engine)
  const list = useLetters(slug, search, isListable ? engine : undefined)
  const rows = list.data?.pages.flatMap(({ entries }) => entries) ?? []
  const firstPage = list.data?.pages[0]
  const show = (next: DeadLettersSearch) =>
    void navigate({ to: "/projects/$slug/dead-letters", params: { slug }, search: next })
  const failedTasks = (
    <TextLink
      to="/projects/$slug/tasks"
      params={{ slug }}
      search={{ q: formatQuery({ state: "failure", ...(engine !== undefined && { engine }) }) }}
    >
      {texts.failedTasks}
    </TextLink>
  )
  return (
    <>
      <PageHeader title={texts.title}>
        <Filters engines={engines} engine={engine} agents={ofEngine} search={search} onSearch={show} />
        <div className="ml-auto flex items-center gap-2">
          {list.dataUpdatedAt > 0 && (
            <span className="figures text-soft">{texts.readAt(format.clock(list.dataUpdatedAt))}</span>
          )}
          <Button disabled={!isListable || list.isFetching} onClick={() => void list.refetch()}>
            <Icon name="retry" />
            {texts.readAgain}
          </Button>
        </div>
      </PageHeader>
      <FailureTabs slug={slug} />
      {agents.data !== undefined && !isListable
        ? engines.length === 0
          ? (
            <EmptyState title={texts.noEngine} hint={texts.noEngineHint}>
              <ConnectLink slug={slug} />
            </EmptyState>
          )
          : (
            <EmptyState
              title={engine === undefined ? texts.noneCanList : texts.cannotList(engine)}
              hint={texts.cannotListHint}
            >
              {failedTasks}
            </EmptyState>
          )
        : (
          <ListFrame
            list={isListable ? list : agents}
            isEmpty={rows.length === 0}
            empty={<EmptyState title={texts.none} hint={texts.noneHint}>{failedTasks}</EmptyState>}
          >
            {firstPage !== undefined && firstPage.total !== null && (
              <p className="px-4 pb-3 text-soft">{texts.total(format.count(firstPage.total))}</p>
            )}
            <LetterTable slug={slug} engine={engine} rows={rows} onRequeue={setQuestion} />
            <MoreButton list={list} />
          </ListFrame>
        )}
      {question !== null && firstPage !== undefined && (
        <RequeueQuestion
          slug={slug}
          letter={question}
          engine={firstPage.engine}
          agentId={firstPage.agent_id}
          onClose={() => setQuestion(null)}
          onRequeued={() => void list.refetch()}
        />
      )}
    </>
  )
}
