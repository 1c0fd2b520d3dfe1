import { Link } from "@tanstack/react-router"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { familyOf, type FireFamily, type FireStatus } from "./states.ts"

const colours: Readonly<Record<FireFamily, string>> = {
  waiting: "text-waiting",
  running: "text-running",
  succeeded: "text-success",
  failed: "text-failure",
  unknown: "text-retry",
  stopped: "text-stopped"
}

/** Each family has a shape of its own, for people who do not see its colour. */
const shapes: Readonly<Record<FireFamily, React.ReactNode>> = {
  waiting: <rect x="1" y="2" width="8" height="12" rx="2" strokeDasharray="2 1.6" />,
  running: (
    <>
      <rect x="1" y="2" width="8" height="12" rx="2" />
      <circle cx="5" cy="8" r="1.6" fill="currentColor" stroke="none" />
    </>
  ),
  succeeded: <rect x="0.4" y="1.4" width="9.2" height="13.2" rx="2.4" fill="currentColor" stroke="none" />,
  failed: (
    <>
      <rect x="0.4" y="1.4" width="9.2" height="13.2" rx="2.4" fill="currentColor" stroke="none" />
      <path d="m2.8 5.6 4.4 4.8m0-4.8-4.4 4.8" className="stroke-paper" />
    </>
  ),
  unknown: (
    <>
      <rect x="1" y="2" width="8" height="12" rx="2" />
      <path d="M3.6 6.4c0-1 .6-1.5 1.4-1.5s1.4.5 1.4 1.3c0 1-1.4 1.1-1.4 2.2M5 10.8v.1" />
    </>
  ),
  stopped: <path d="M2 8h6" />
}

export const FireShape = ({ family }: { readonly family: FireFamily }) => (
  <svg
    width="10"
    height="16"
    viewBox="0 0 10 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    aria-hidden="true"
    className={`shrink-0 ${colours[family]}`}
  >
    {shapes[family]}
  </svg>
)

/** A fire's status as shape and words, explained on hover. */
export const FireMark = ({ status }: { readonly status: FireStatus }) => {
  const { schedules: texts } = useTexts()
  const family = familyOf[status]
  return (
    <span title={texts.statusHints[status]} className="inline-flex items-center gap-2">
      <FireShape family={family} />
      <span className={family === "failed" ? "text-failure" : undefined}>{texts.statuses[status]}</span>
    </span>
  )
}

/** The last fires of a schedule, the newest at the right; each is a link to its row on the schedule's page. */
export const FireStrip = ({ runs, scheduleId, slug }: {
  readonly slug: string
  readonly scheduleId: string
  /** Newest first, as the API has them. */
  readonly runs: ReadonlyArray<Schemas["ScheduleRun"]>
}) => {
  const { schedules: texts } = useTexts()
  const format = useFormat()
  if (runs.length === 0) return <span className="text-soft">{texts.noFires}</span>
  const failed = runs.filter(({ status }) => familyOf[status] === "failed").length
  return (
    <ol aria-label={texts.strip(format.count(runs.length), format.number(failed))} className="flex">
      {runs.toReversed().map(({ fire_id, scheduled_for, status }) => {
        const text = `${format.moment(Date.parse(scheduled_for))}: ${texts.statuses[status]}`
        return (
          <li key={fire_id}>
            <Link
              to="/projects/$slug/schedules/$scheduleId"
              params={{ slug, scheduleId }}
              search={{ fire: fire_id }}
              tabIndex={-1} // the keyboard goes by the schedule's name: 20 stops a row are no way through a list
              title={text}
              aria-label={text}
              className="block px-px py-1 hover:bg-press"
            >
              <FireShape family={familyOf[status]} />
            </Link>
          </li>
        )
      })}
    </ol>
  )
}
