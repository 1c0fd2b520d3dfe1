import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { ScheduleState } from "./search.ts"
import { breakerOf, type Schedule, stateOf } from "./states.ts"

const colours: Readonly<Record<ScheduleState, string>> = {
  active: "text-success",
  paused: "text-retry",
  disabled: "text-waiting",
  quarantined: "text-failure"
}

const shapes: Readonly<Record<ScheduleState, React.ReactNode>> = {
  active: <circle cx="7" cy="7" r="4" fill="currentColor" stroke="none" />,
  paused: <path d="M4.8 3.5v7M9.2 3.5v7" />,
  disabled: <circle cx="7" cy="7" r="4" strokeDasharray="2 1.8" />,
  quarantined: <path d="M7 1.8 13 12H1zM7 5.6v2.6M7 10v.1" />
}

export const StateShape = ({ state }: { readonly state: ScheduleState }) => (
  <svg
    width="14"
    height="14"
    viewBox="0 0 14 14"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={`shrink-0 ${colours[state]}`}
  >
    {shapes[state]}
  </svg>
)

/** Whether the schedule fires, and what else one should know: failures in a row, and drift. */
export const ScheduleStateMarks = ({ schedule, threshold }: {
  readonly schedule: Schedule
  readonly threshold: number
}) => {
  const { schedules: texts } = useTexts()
  const format = useFormat()
  const state = stateOf(schedule)
  const breaker = breakerOf(schedule, threshold)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
      <span title={texts.stateHints[state]} className="inline-flex items-center gap-2 whitespace-nowrap">
        <StateShape state={state} />
        {texts.states[state]}
      </span>
      {breaker !== null && (
        <span
          className="text-small text-failure"
          title={breaker === "tripped"
            ? texts.breaker.trippedHint
            : texts.breaker.countingHint(format.number(threshold))}
        >
          {breaker === "tripped" ? texts.breaker.tripped : texts.breaker.counting(
            format.number(schedule.consecutive_failures ?? 0),
            format.number(threshold)
          )}
        </span>
      )}
      {schedule.is_drifted && (
        <span className="whitespace-nowrap text-small text-retry" title={texts.driftedHint}>{texts.drifted}</span>
      )}
    </span>
  )
}
