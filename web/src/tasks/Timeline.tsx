import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { HistoryRow } from "./HistoryRow.tsx"
import { attemptsOf } from "./times.ts"

/** The clock of a moment with its milliseconds; the date on hover. */
const Clock = ({ at }: { readonly at: string }) => {
  const format = useFormat()
  const time = Date.parse(at)
  return <time dateTime={at} title={format.dateTime(time)}>{format.preciseClock(time)}</time>
}

/** The attempts of the latest run, and all events of the task below them. */
export const Timeline = ({ events, isTruncated, task }: {
  readonly task: Schemas["TaskDetail"]
  readonly events: ReadonlyArray<Schemas["Event"]>
  /** There are further events. */
  readonly isTruncated: boolean
}) => {
  const { task: texts } = useTexts()
  const format = useFormat()
  const attempts = attemptsOf(task)
  return (
    <>
      {attempts.length > 1 && (
        <ol
          aria-label={texts.attempts}
          className="max-h-80 divide-y divide-line overflow-y-auto border-b border-line"
          tabIndex={0}
        >
          {attempts.map(({ exception, finished_at, number, runtime_ms, started_at, state }) => {
            const at = started_at ?? finished_at
            return (
              <HistoryRow
                key={number}
                number={number}
                state={state}
                runMillis={runtime_ms}
                time={at !== null && <Clock at={at} />}
                exception={exception}
              />
            )
          })}
        </ol>
      )}
      <ol className="grid gap-1 px-4 py-3">
        {events.map(({ id, kind, occurred_at }, index) => {
          const before = events[index - 1]
          const sinceBefore = before === undefined ? null : Date.parse(occurred_at) - Date.parse(before.occurred_at)
          return (
            <li key={id} className="flex items-baseline gap-3">
              <span className="w-25 font-medium">{texts.events[kind]}</span>
              <span className="figures w-22.5 text-right text-soft">
                {sinceBefore !== null && sinceBefore >= 0 ? `+${format.duration(sinceBefore)}` : ""}
              </span>
              <span className="figures text-soft">
                <Clock at={occurred_at} />
              </span>
            </li>
          )
        })}
      </ol>
      {isTruncated && <p className="px-4 pb-3 text-soft">{texts.eventsTruncated(format.number(events.length))}</p>}
    </>
  )
}
