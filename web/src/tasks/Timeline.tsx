import type { Schemas } from "../api/client.ts"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Time } from "../ui/Time.tsx"
import { spansOf } from "./spans.ts"

const fills = { wait: "bg-waiting opacity-40", gap: "bg-retry opacity-40", run: "bg-running" } as const

/** The attempts to scale, and the events below them. */
export const Timeline = ({ events, hasEnded, isCut }: {
  readonly events: ReadonlyArray<Schemas["Event"]>
  readonly hasEnded: boolean
  /** There are further events. */
  readonly isCut: boolean
}) => {
  const now = useNow()
  const { task: texts } = useTexts()
  const format = useFormat()
  if (events.length === 0) return <p className="px-5 py-4 text-soft">{texts.noEvents}</p>
  const spans = spansOf(events, now, hasEnded)
  const from = spans[0]?.from ?? 0
  const whole = Math.max(1, (spans.at(-1)?.to ?? 0) - from)
  const names = { wait: texts.waited, run: texts.ran, gap: texts.betweenAttempts } as const
  return (
    <div className="px-5 py-4">
      {spans.length > 0 && (
        <div
          className="relative mb-4 h-[28px] overflow-hidden rounded-small bg-canvas"
          role="img"
          aria-label={spans.map((span) => `${names[span.kind]} ${format.duration(span.to - span.from)}`).join(", ")}
        >
          {spans.map((span, index) => (
            <div
              key={index}
              title={`${names[span.kind]}: ${format.duration(span.to - span.from)}`}
              className={`absolute inset-y-0 ${
                span.kind === "run" && span.isEndBad
                  ? "bg-failure"
                  : span.kind === "run" && hasEnded
                  ? "bg-success"
                  : fills[span.kind]
              }`}
              style={{
                left: `${((span.from - from) / whole) * 100}%`,
                width: `max(2px, ${((span.to - span.from) / whole) * 100}%)`
              }}
            />
          ))}
        </div>
      )}
      <ol className="grid gap-2">
        {events.map(({ id, kind, occurred_at }, index) => {
          const before = events[index - 1]
          const sinceBefore = before === undefined ? null : Date.parse(occurred_at) - Date.parse(before.occurred_at)
          return (
            <li key={id} className="flex items-baseline gap-4">
              <span className="w-[100px] font-medium">{texts.events[kind]}</span>
              <span className="figures w-[90px] text-right text-soft">
                {sinceBefore !== null && sinceBefore >= 0 ? `+${format.duration(sinceBefore)}` : ""}
              </span>
              <Time at={occurred_at} className="figures text-soft" />
            </li>
          )
        })}
      </ol>
      {isCut && <p className="mt-3 text-soft">{texts.eventsCut(format.number(events.length))}</p>}
    </div>
  )
}
