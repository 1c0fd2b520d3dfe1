import type { Schemas } from "../api/client.ts"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Time } from "../ui/Time.tsx"
import { type Span, spansOf } from "./spans.ts"

const fills = {
  wait: "bg-waiting opacity-40",
  gap: "bg-retry opacity-40 dotted",
  runs: "bg-running barred",
  succeeded: "bg-success",
  failed: "bg-failure striped"
} as const

const fillOf = ({ isEndBad, kind }: Span, hasEnded: boolean): keyof typeof fills =>
  kind !== "run" ? kind : isEndBad ? "failed" : hasEnded ? "succeeded" : "runs"

/** The attempts to scale, and the events below them. */
export const Timeline = ({ events, hasEnded, isTruncated }: {
  readonly events: ReadonlyArray<Schemas["Event"]>
  readonly hasEnded: boolean
  /** There are further events. */
  readonly isTruncated: boolean
}) => {
  const now = useNow()
  const { states, task: texts } = useTexts()
  const format = useFormat()
  const spans = spansOf(events, now, hasEnded)
  const from = spans[0]?.from ?? 0
  const whole = Math.max(1, (spans.at(-1)?.to ?? 0) - from)
  const names = {
    wait: texts.waited,
    gap: texts.betweenAttempts,
    runs: states.started,
    succeeded: states.success,
    failed: states.failure
  } as const
  const drawn = spans.map((span) => {
    const fill = fillOf(span, hasEnded)
    return { ...span, look: fill, text: `${names[fill]} ${format.duration(span.to - span.from)}` }
  })
  return (
    <div className="px-5 py-4">
      {drawn.length > 0 && (
        <>
          <div
            className="relative h-[28px] overflow-hidden rounded-small bg-canvas"
            role="img"
            aria-label={drawn.map(({ text }) => text).join(", ")}
          >
            {drawn.map(({ from: begun, look: fill, text, to }, index) => (
              <div
                key={index}
                title={text}
                className={`absolute inset-y-0 ${fills[fill]}`}
                style={{
                  left: `${((begun - from) / whole) * 100}%`,
                  width: `max(2px, ${((to - begun) / whole) * 100}%)`
                }}
              />
            ))}
          </div>
          <ul className="mt-2 mb-4 flex flex-wrap gap-x-4 text-small text-soft" aria-hidden="true">
            {[...new Set(drawn.map(({ look: fill }) => fill))].map((fill) => (
              <li key={fill} className="flex items-center gap-2">
                <span className={`h-[8px] w-[16px] rounded-small ${fills[fill]}`} />
                {names[fill]}
              </li>
            ))}
          </ul>
        </>
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
      {isTruncated && <p className="mt-3 text-soft">{texts.eventsTruncated(format.number(events.length))}</p>}
    </div>
  )
}
