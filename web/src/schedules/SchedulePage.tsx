import { useQuery } from "@tanstack/react-query"
import { Link, useParams, useSearch } from "@tanstack/react-router"
import { stringify } from "lossless-json"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { JsonTree } from "../tasks/JsonTree.tsx"
import { Icon } from "../ui/Icon.tsx"
import { EmptyState, ErrorNotice, Loading } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Panel } from "../ui/Panel.tsx"
import { FireTable } from "./FireTable.tsx"
import { MisfireTable } from "./MisfireTable.tsx"
import { firesQuery, misfiresQuery, previewQuery, scheduleQuery, schedulesQuery } from "./queries.ts"
import { FireRecovery, LegacyPanel, QuarantinePanel } from "./Recovery.tsx"
import { ScheduleActions, usePossible } from "./ScheduleActions.tsx"
import { ScheduleFacts } from "./ScheduleFacts.tsx"
import { ScheduleStateMarks } from "./ScheduleState.tsx"
import { isServiceOwned, type Schedule, stateOf } from "./states.ts"
import { cadenceOf, showExpression } from "./ticks.ts"
import { TickTable } from "./TickTable.tsx"

const refetchMillis = 5_000
const previewRefetchMillis = 15_000
const tickCount = 8

const NextTicks = ({ readAt, schedule, slug }: {
  readonly slug: string
  readonly schedule: Schedule
  /** When the schedule was read: by the present time instead, each tick would read the preview, also while paused. */
  readonly readAt: number
}) => {
  const { schedules: { page: texts } } = useTexts()
  const refetchInterval = useRefetchInterval(previewRefetchMillis)
  const preview = useQuery({ ...previewQuery(slug, cadenceOf(schedule, readAt), tickCount), refetchInterval })
  const ticks = preview.data?.ticks ?? []
  return (
    <Panel title={texts.ticks}>
      <p className="px-4 py-3">
        {schedule.summary}{" "}
        <code className="font-mono text-small text-soft">
          {`${showExpression(schedule.expression)} · ${schedule.timezone}`}
        </code>
      </p>
      {(stateOf(schedule) !== "active" || !isServiceOwned(schedule)) && (
        <p className="px-4 pb-3 text-small text-soft">
          {isServiceOwned(schedule) ? texts.inactiveTicks : texts.foreignTicks}
        </p>
      )}
      {preview.isError
        ? <ErrorNotice error={preview.error} />
        : preview.data !== undefined && (ticks.length === 0
          ? <p className="px-4 pb-3 text-soft">{texts.noTicks}</p>
          : (
            <TickTable
              label={texts.ticks}
              ticks={ticks}
              nextDst={preview.data.next_dst}
              zone={schedule.timezone}
            />
          ))}
    </Panel>
  )
}

const Fires = ({ chosen, schedule, slug }: {
  readonly slug: string
  readonly schedule: Schedule
  readonly chosen: string | undefined
}) => {
  const { schedules: { page: texts } } = useTexts()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const isOwn = isServiceOwned(schedule)
  const fires = useQuery({ ...firesQuery(slug, schedule.id), refetchInterval, enabled: isOwn })
  return (
    <Panel title={texts.fires}>
      {!isOwn
        ? <p className="px-4 py-3 text-soft">{texts.foreignFires}</p>
        : fires.isError
        ? <ErrorNotice error={fires.error} onRetry={() => void fires.refetch()} />
        : fires.data === undefined
        ? <Loading />
        : fires.data.length === 0
        ? <EmptyState title={texts.noFires} hint={texts.noFiresHint} />
        : (
          <FireTable
            slug={slug}
            scheduleId={schedule.id}
            fires={fires.data}
            chosen={chosen}
            actions={(fire) => <FireRecovery slug={slug} schedule={schedule} fire={fire} />}
          />
        )}
    </Panel>
  )
}

const Misfires = ({ scheduleId, slug }: { readonly slug: string; readonly scheduleId: string }) => {
  const { schedules: { misfires: texts } } = useTexts()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const misfires = useQuery({ ...misfiresQuery(slug, scheduleId), refetchInterval })
  return (
    <Panel title={texts.title}>
      {misfires.isError && <ErrorNotice error={misfires.error} onRetry={() => void misfires.refetch()} />}
      {misfires.data?.length === 0 && <p className="px-4 py-3 text-soft">{`${texts.none}. ${texts.noneHint}`}</p>}
      {misfires.data !== undefined && misfires.data.length > 0 && (
        <MisfireTable slug={slug} misfires={misfires.data} hasNames={false} />
      )}
    </Panel>
  )
}

/** Who owns a schedule that svc does not fire, and what its scheduler takes from here. */
const ForeignOwner = ({ schedule, slug }: { readonly slug: string; readonly schedule: Schedule }) => {
  const { schedules: { foreign: texts, operations } } = useTexts()
  const possible = usePossible(slug, schedule)
  const names = [...possible].filter((name) => name !== "create").map((name) => operations[name])
  return (
    <p className="max-w-[100ch] px-4 pb-4 text-soft">
      {texts.owner(schedule.scheduler)} {names.length === 0 ? texts.nothing : texts.can(names.join(", "))}
    </p>
  )
}

/** One schedule: when it fires next, what became of its fires, why some did not come, and what to do about it. */
export const SchedulePage = () => {
  const { scheduleId, slug } = useParams({ from: "/signed-in/projects/$slug/schedules/$scheduleId" })
  const { fire } = useSearch({ from: "/signed-in/projects/$slug/schedules/$scheduleId" })
  const { none, schedules: texts } = useTexts()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const detail = useQuery({ ...scheduleQuery(slug, scheduleId), refetchInterval })
  const threshold = useQuery(schedulesQuery(slug)).data?.threshold ?? 0
  if (detail.data === undefined) {
    return detail.isError
      ? <ErrorNotice isPage error={detail.error} onRetry={() => void detail.refetch()} />
      : <Loading />
  }
  const { exact, schedule } = detail.data
  const values = [{ label: "args", value: exact.args }, { label: "kwargs", value: exact.kwargs }]
    .filter(({ value }) => typeof value === "object" && value !== null && Object.keys(value).length > 0)
  return (
    <>
      <div className="px-4 pt-3">
        <Link
          to="/projects/$slug/schedules"
          params={{ slug }}
          className="inline-flex items-center gap-1 text-soft hover:text-ink"
        >
          <Icon name="back" />
          {texts.page.back}
        </Link>
      </div>
      <PageHeader title={schedule.name}>
        <ScheduleStateMarks schedule={schedule} threshold={threshold} />
        <ScheduleActions slug={slug} schedule={schedule} exact={exact} />
      </PageHeader>
      {detail.isError && <ErrorNotice error={detail.error} onRetry={() => void detail.refetch()} />}
      {schedule.quarantined_at !== null && <QuarantinePanel slug={slug} schedule={schedule} />}
      {!isServiceOwned(schedule) && <ForeignOwner slug={slug} schedule={schedule} />}
      {schedule.is_drifted && <p className="max-w-[90ch] px-4 pb-4 text-soft">{texts.driftedHint}</p>}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pb-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          <Fires slug={slug} schedule={schedule} chosen={fire} />
          <Misfires slug={slug} scheduleId={schedule.id} />
        </div>
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
          <NextTicks slug={slug} schedule={schedule} readAt={detail.dataUpdatedAt} />
          <Panel title={texts.page.facts}>
            <ScheduleFacts slug={slug} schedule={schedule} />
          </Panel>
          <Panel title={texts.page.values}>
            {exact.args === null
              ? <p className="px-4 py-3 text-soft">{texts.page.hidden}</p>
              : values.length === 0
              ? <p className="px-4 py-3 text-soft">{none}</p>
              : values.map(({ label, value }) => (
                <JsonTree key={label} label={label} value={value} text={stringify(value, null, 2) ?? "null"} />
              ))}
          </Panel>
          {isServiceOwned(schedule) && <LegacyPanel slug={slug} schedule={schedule} />}
        </div>
      </div>
    </>
  )
}
