import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"

type Misfire = Schemas["ScheduleMisfire"]

/** Ticks that did not fire in time, with the cause; of one schedule, or of all of the project. */
export const MisfireTable = ({ hasNames, misfires, slug }: {
  readonly slug: string
  readonly misfires: ReadonlyArray<Misfire>
  /** The schedules are several, and each row names its own. */
  readonly hasNames: boolean
}) => {
  const { schedules: { misfires: texts } } = useTexts()
  const format = useFormat()
  return (
    <Table
      isInPanel={!hasNames}
      label={texts.title}
      rows={misfires}
      rowKey={({ cause, detected_at, expected_fire_at, schedule_id }) =>
        [schedule_id, detected_at, expected_fire_at, cause].join(" ")}
      columns={[
        ...(hasNames
          ? [{
            title: texts.schedule,
            cell: ({ name, schedule_id }: Misfire) => (
              <TextLink
                to="/projects/$slug/schedules/$scheduleId"
                params={{ slug, scheduleId: schedule_id }}
                look="name"
              >
                {name ?? schedule_id}
              </TextLink>
            )
          }]
          : []),
        {
          title: texts.cause,
          cell: ({ cause, detail }: Misfire) => (
            <span className="grid">
              <span>{texts.causes[cause]}</span>
              {detail !== null && <span className="max-w-[60ch] text-small text-soft">{detail}</span>}
            </span>
          )
        },
        {
          title: texts.tick,
          isNumber: true,
          cell: ({ expected_fire_at }: Misfire) =>
            expected_fire_at === null ? "–" : format.moment(Date.parse(expected_fire_at))
        },
        { title: texts.slots, isNumber: true, cell: ({ slots }: Misfire) => format.number(slots) },
        {
          title: texts.late,
          isNumber: true,
          isMinor: true,
          cell: ({ lateness_seconds }: Misfire) =>
            lateness_seconds === null ? "–" : format.duration(lateness_seconds * 1_000)
        },
        ...(hasNames
          ? [{
            title: texts.grace,
            isNumber: true,
            isMinor: true,
            cell: ({ grace_seconds }: Misfire) => grace_seconds === null ? "–" : format.duration(grace_seconds * 1_000)
          }, {
            title: texts.detected,
            isNumber: true,
            isMinor: true,
            cell: ({ detected_at }: Misfire) => <Time at={detected_at} />
          }]
          : [])
      ]}
    />
  )
}
