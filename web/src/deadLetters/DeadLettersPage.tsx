import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { agentsQuery } from "../agents/agents.ts"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { FailureTabs } from "../failures/FailureTabs.tsx"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { present } from "../searchParams.ts"
import { useCan } from "../session/session.ts"
import { formatQuery } from "../tasks/query.ts"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { canList, chooseEngine, enginesOf } from "./engines.ts"
import { RequeueQuestion } from "./RequeueQuestion.tsx"

/** The filter of the list, in the address of the page. */
export interface DeadLettersSearch {
  readonly engine?: string
  readonly queue?: string
  readonly agent?: string
}

type Letter = Schemas["DeadLetter"]

const pageSize = 100
/** The ids of its dead letters differ from those of its events, and it cannot requeue one (docs/dead-letters.md). */
const otherIdEngine = "dramatiq"

const useLetters = (slug: string, { agent, queue }: DeadLettersSearch, engine: string | undefined) =>
  useInfiniteQuery({
    queryKey: ["dead-letters", slug, engine, queue, agent],
    enabled: engine !== undefined,
    initialPageParam: null as string | null, // the cursor of the first page
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/dead-letters", {
          params: {
            path: { slug },
            query: {
              engine: engine ?? "", // it is enabled with an engine only
              limit: pageSize,
              ...(queue !== undefined && { queue }),
              ...(agent !== undefined && { agent_id: agent }),
              ...(pageParam !== null && { cursor: pageParam })
            }
          }
        })
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // each read asks the agent, which also has commands to execute: only a person asks again
    refetchOnWindowFocus: false,
    retry: false
  })

/** The failed tasks that an engine still has, read by its agent now, and the button that puts one back. */
export const DeadLettersPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/dead-letters" })
  const search = useSearch({ from: "/signed-in/projects/$slug/dead-letters" })
  const { deadLetters: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const canOperate = useCan(slug, "operator")
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
        {engine !== undefined && (
          <FilterSelect
            label={texts.engine}
            choices={Object.fromEntries(engines.map((one) => [one, one]))}
            value={engine}
            onChoose={(chosen) => show({ engine: chosen })}
          />
        )}
        {ofEngine.length > 1 && (
          <FilterSelect
            label={texts.agent}
            any={texts.anyAgent}
            choices={Object.fromEntries(ofEngine.map(({ id, name }) => [id, name]))}
            value={search.agent}
            onChoose={(agent) => show(present({ ...search, agent }))}
          />
        )}
        <form
          key={search.queue}
          role="search"
          className="flex"
          onSubmit={(event) => {
            event.preventDefault()
            const queue = String(new FormData(event.currentTarget).get("queue") ?? "").trim()
            const { queue: _, ...rest } = search
            show(queue === "" ? rest : { ...rest, queue })
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
            <Table
              label={texts.title}
              rows={rows}
              rowKey={({ task_id }) => task_id}
              columns={[
                {
                  title: texts.task,
                  cell: ({ task_id, task_name }) =>
                    engine === undefined || engine === otherIdEngine
                      ? <span className="font-medium">{task_name || task_id}</span>
                      : (
                        <TextLink
                          to="/projects/$slug/tasks/$engine/$taskId"
                          params={{ slug, engine, taskId: task_id }}
                          look="name"
                        >
                          {task_name || task_id}
                        </TextLink>
                      )
                },
                { title: texts.queue, isMinor: true, cell: ({ queue }) => queue },
                {
                  title: texts.error,
                  cell: ({ error_excerpt }) => (
                    <span
                      className="block max-w-[72ch] truncate font-mono text-small max-md:max-w-[30vw]"
                      title={error_excerpt}
                    >
                      {error_excerpt.split("\n", 1)[0]}
                    </span>
                  )
                },
                {
                  title: texts.attempts,
                  isNumber: true,
                  isMinor: true,
                  cell: ({ attempts }) => attempts === null ? "–" : format.number(attempts)
                },
                {
                  title: texts.failedAt,
                  isNumber: true,
                  isMinor: true,
                  cell: ({ failed_at }) => failed_at === null ? "–" : <Time at={failed_at} />
                },
                ...(canOperate && engine !== otherIdEngine
                  ? [{
                    title: texts.action,
                    isNumber: true,
                    cell: (letter: Letter) => (
                      <Button variant="quiet" onClick={() => setQuestion(letter)}>{texts.requeue}</Button>
                    )
                  }]
                  : [])
              ]}
            />
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
