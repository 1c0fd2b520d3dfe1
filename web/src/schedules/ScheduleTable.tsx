import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { FireStrip } from "./FireMark.tsx"
import { NextMoment } from "./NextMoment.tsx"
import { runsQuery } from "./queries.ts"
import { ScheduleStateMarks } from "./ScheduleState.tsx"
import { isServiceOwned, type Schedule, stateOf } from "./states.ts"
import { showExpression } from "./ticks.ts"

const pageSize = 50
const refetchMillis = 5_000

const Next = ({ schedule }: { readonly schedule: Schedule }) => {
  const { schedules: texts } = useTexts()
  if (stateOf(schedule) !== "active") return <span className="text-soft" title={texts.next.notFiring}>–</span>
  if (schedule.next_run_at !== null) return <NextMoment at={schedule.next_run_at} zone={schedule.timezone} />
  return isServiceOwned(schedule)
    ? <span className="text-soft">{texts.noNext}</span>
    : <span className="text-soft" title={texts.next.unknown}>–</span>
}

const When = ({ schedule: { expression, summary } }: { readonly schedule: Schedule }) => (
  <span className="grid min-w-[16ch]">
    {summary}
    <code className={`font-mono ${summary === null ? "" : "text-small text-soft"}`}>{showExpression(expression)}</code>
  </span>
)

/** The schedules with their last fires; the first 50, and more on demand. */
export const ScheduleTable = ({ schedules, slug, threshold }: {
  readonly slug: string
  readonly schedules: ReadonlyArray<Schedule>
  readonly threshold: number
}) => {
  const { schedules: texts } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const [shownCount, setShownCount] = useState(pageSize)
  const shown = schedules.slice(0, shownCount)
  const own = shown.filter(isServiceOwned).map(({ id }) => id)
  const { data: runs } = useQuery({ ...runsQuery(slug, own), refetchInterval })
  const hiddenCount = schedules.length - shown.length
  return (
    <>
      <Table
        label={texts.title}
        rows={shown}
        rowKey={({ id }) => id}
        columns={[
          {
            title: texts.columns.name,
            cell: ({ engine, id, name, task_name }) => (
              <span className="grid min-w-[22ch] max-md:min-w-0">
                <TextLink
                  to="/projects/$slug/schedules/$scheduleId"
                  params={{ slug, scheduleId: id }}
                  look="row"
                  className="max-w-[34ch] truncate font-medium max-md:whitespace-normal"
                >
                  {name}
                </TextLink>
                <span className="max-w-[40ch] truncate text-small text-soft max-md:max-w-[18ch]">
                  {`${task_name} · ${engine}`}
                </span>
              </span>
            )
          },
          {
            title: texts.columns.fires,
            isMinor: true,
            cell: (schedule) =>
              isServiceOwned(schedule)
                ? runs !== undefined && (
                  <FireStrip slug={slug} scheduleId={schedule.id} runs={runs.get(schedule.id) ?? []} />
                )
                : (
                  <span className="text-soft" title={texts.firesElsewhereHint}>
                    {texts.firesElsewhere}
                  </span>
                )
          },
          { title: texts.columns.when, isMinor: true, cell: (schedule) => <When schedule={schedule} /> },
          { title: texts.columns.next, cell: (schedule) => <Next schedule={schedule} /> },
          {
            title: texts.columns.state,
            cell: (schedule) => (
              <span className="grid">
                <ScheduleStateMarks schedule={schedule} threshold={threshold} />
                <span className="text-small text-soft max-md:hidden">{texts.firedBy(schedule.scheduler)}</span>
              </span>
            )
          }
        ]}
      />
      {hiddenCount > 0 && (
        <div className="px-4 pb-6">
          <Button onClick={() => setShownCount((count) => count + pageSize)}>
            {texts.more(format.number(Math.min(hiddenCount, pageSize)))}
          </Button>
        </div>
      )}
    </>
  )
}
