import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { TaskState } from "./states.ts"
import type { Span } from "./times.ts"

/** The colours of `StateMark`, and patterns for people who do not see them. */
const stateFills: Readonly<Record<TaskState, string>> = {
  pending: "bg-waiting",
  received: "bg-waiting",
  started: "bg-running barred",
  success: "bg-success",
  failure: "bg-failure striped",
  retry: "bg-retry dotted",
  revoked: "bg-stopped crossed",
  rejected: "bg-stopped crossed",
  unknown: "bg-waiting dotted"
}

const fillOf = (span: Span): string =>
  span.kind === "attempt"
    ? stateFills[span.state]
    : span.kind === "queue"
    ? "bg-waiting opacity-40"
    : "bg-retry opacity-40"

/** What a span is, for its legend. */
const useSpanName = () => {
  const { states, task: texts } = useTexts()
  return (span: Span) =>
    span.kind === "attempt" ? states[span.state] : span.kind === "queue" ? texts.waited : texts.betweenAttempts
}

/** The spans to the scale of a window, each with its own state; `className` has the bar's size. */
export const SpanBar = ({ className, from, spans, to }: {
  readonly spans: ReadonlyArray<Span>
  readonly from: number
  readonly to: number
  readonly className: string
}) => {
  const format = useFormat()
  const nameOf = useSpanName()
  const scale = 100 / Math.max(1, to - from)
  const textOf = (span: Span) =>
    `${nameOf(span)} ${format.duration(span.to - span.from)}${
      span.kind === "attempt" && span.exception !== null ? ` · ${span.exception}` : ""
    }`
  return (
    <div
      role="img"
      aria-label={spans.map(textOf).join(", ")}
      className={`relative overflow-hidden rounded-small bg-canvas ${className}`}
    >
      {spans.map((span, index) => (
        <div
          key={index}
          title={textOf(span)}
          data-span={span.kind === "attempt" ? span.state : span.kind}
          className={`absolute inset-y-0 ${fillOf(span)}`}
          style={{
            left: `${(span.from - from) * scale}%`,
            width: `max(2px, ${(span.to - span.from) * scale}%)`
          }}
        />
      ))}
    </div>
  )
}

/** What the fills of these spans mean. */
export const SpanLegend = ({ spans }: { readonly spans: ReadonlyArray<Span> }) => {
  const nameOf = useSpanName()
  const fills = new Map(spans.map((span) => [nameOf(span), fillOf(span)]))
  return (
    <ul className="flex flex-wrap gap-x-3 text-small text-soft" aria-hidden="true">
      {[...fills].map(([name, fill]) => (
        <li key={name} className="flex items-center gap-1">
          <span className={`h-2 w-4 rounded-small ${fill}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}
