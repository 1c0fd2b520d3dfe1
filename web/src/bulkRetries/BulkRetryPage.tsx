import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { HiddenQuery } from "../bulkJobs/FilterLink.tsx"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { type BulkRetry, countNamed, isMoving, isQueryHidden, lineOf } from "./bulkRetry.ts"
import { BulkRetryControls } from "./Controls.tsx"
import { Items } from "./Items.tsx"
import { Counts, OutcomeBar, OutcomeCounts, PhaseMark, ProgressBar } from "./Progress.tsx"
import { bulkRetriesKey, readBulkRetry } from "./queries.ts"

const refetchMillis = 2_000
/** Once its tasks have ended: one of them may run again. */
const endedMillis = 30_000

const RequestFacts = ({ request, slug }: { readonly slug: string; readonly request: BulkRetry }) => {
  const { bulkRetries: texts, tasks } = useTexts()
  const format = useFormat()
  const named = countNamed(request.filter)
  const now = useNow()
  return (
    <Facts>
      <Fact name={texts.rate}>
        {request.rate_per_second === null ? texts.noRate : texts.perSecond(format.number(request.rate_per_second))}
      </Fact>
      <Fact name={texts.created}>
        <Time at={request.created_at} />
      </Fact>
      <Fact name={texts.lastProgress}>
        {request.last_progress_at === null ? "–" : <Time at={request.last_progress_at} />}
      </Fact>
      {request.finished_at === null
        ? (
          <Fact name={texts.deadline}>
            <time dateTime={request.deadline_at} title={format.dateTime(Date.parse(request.deadline_at))}>
              {format.relative(Date.parse(request.deadline_at), now)}
            </time>
          </Fact>
        )
        : (
          <Fact name={texts.finished}>
            <Time at={request.finished_at} />
          </Fact>
        )}
      <div className="col-span-full grid gap-0.5">
        <dt className="text-small text-soft">{texts.filter}</dt>
        <dd className="min-w-0">
          {named !== null
            ? tasks.count(format.count(named))
            : isQueryHidden(request.filter)
            ? <HiddenQuery line={lineOf(request.filter)} />
            : (
              <TextLink
                to="/projects/$slug/tasks"
                params={{ slug }}
                search={{ q: lineOf(request.filter) }}
                className="font-mono text-small break-words"
              >
                {lineOf(request.filter)}
              </TextLink>
            )}
          {request.capped && <p className="text-soft">{texts.capped(format.number(request.counts.total))}</p>}
        </dd>
      </div>
    </Facts>
  )
}

/** What became of the retried tasks, and the way to those that failed again. */
const Outcomes = ({ outcomes, requestId, retried, slug }: {
  readonly slug: string
  readonly requestId: string
  readonly outcomes: NonNullable<BulkRetry["outcomes"]>
  readonly retried: number
}) => {
  const { bulkRetries: texts } = useTexts()
  return (
    <section aria-labelledby="outcomes" className="mt-2 grid gap-3 border-t border-line pt-3">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 id="outcomes" className="font-medium">{texts.outcomeTitle}</h3>
        {outcomes.failed > 0 && (
          <TextLink
            to="/projects/$slug/bulk-retries/$requestId"
            params={{ slug, requestId }}
            search={{ status: "succeeded", outcome: "failed" }}
          >
            {texts.showFailedAgain}
          </TextLink>
        )}
      </div>
      <OutcomeBar outcomes={outcomes} retried={retried} />
      <OutcomeCounts outcomes={outcomes} />
    </section>
  )
}

/** One bulk retry: how far it is, what it waits for, what became of each task, and how to stop it. */
export const BulkRetryPage = () => {
  const { requestId, slug } = useParams({ from: "/signed-in/projects/$slug/bulk-retries/$requestId" })
  const { bulkRetries: texts } = useTexts()
  const canOperate = useCan(slug, "operator")
  const interval = useRefetchInterval(refetchMillis)
  const endedInterval = useRefetchInterval(endedMillis)
  const read = useQuery({
    queryKey: [...bulkRetriesKey(slug), requestId],
    queryFn: () => readBulkRetry(slug, requestId),
    refetchInterval: ({ state }) => (state.data !== undefined && isMoving(state.data) ? interval : endedInterval)
  })
  const request = read.data
  if (request === undefined) {
    return read.isError ? <ErrorNotice isPage error={read.error} onRetry={() => void read.refetch()} /> : <Loading />
  }
  return (
    <>
      <PageHeader title={texts.one}>
        <PhaseMark request={request} />
        {canOperate && request.status === "running" && <BulkRetryControls slug={slug} request={request} />}
      </PageHeader>
      {read.isError && <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />}
      <div className="grid gap-4 px-4 pb-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Panel title={texts.progress}>
          <div className="grid gap-3 px-4 py-3">
            <ProgressBar counts={request.counts} />
            <Counts counts={request.counts} />
            {request.note !== null && <p>{request.note}</p>}
            {request.outcomes !== null && request.counts.succeeded > 0 && (
              <Outcomes
                slug={slug}
                requestId={request.id}
                outcomes={request.outcomes}
                retried={request.counts.succeeded}
              />
            )}
          </div>
        </Panel>
        <Panel title={texts.facts}>
          <RequestFacts slug={slug} request={request} />
        </Panel>
      </div>
      <Items slug={slug} request={request} />
    </>
  )
}
