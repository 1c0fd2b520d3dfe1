import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { TaskState } from "./states.ts"
import type { Span } from "./times.ts"
import type { Section } from "./waterfall.ts"

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

/** The spans to the scale of a window, each with its own state, and below them their part of the critical path. */
export const SpanBar = ({ label, scale, sections, spans }: {
  readonly spans: ReadonlyArray<Span>
  readonly sections: ReadonlyArray<Section>
  readonly scale: Section
  /** Of spans that stand for several tasks, in place of each span's own text. */
  readonly label: string | null
}) => {
  const format = useFormat()
  const nameOf = useSpanName()
  const share = 100 / Math.max(1, scale.to - scale.from)
  const textOf = (span: Span) =>
    `${nameOf(span)} ${format.duration(span.to - span.from)}${
      span.kind === "attempt" && span.exception !== null ? ` · ${span.exception}` : ""
    }`
  const placeOf = ({ from, to }: Section) => ({
    left: `min(${(from - scale.from) * share}%, 100% - 2px)`,
    width: `max(2px, ${(to - from) * share}%)`
  })
  return (
    <div role="img" aria-label={label ?? spans.map(textOf).join(", ")} className="relative h-4">
      {spans.map((span, index) => (
        <div
          key={index}
          title={label ?? textOf(span)}
          data-span={span.kind === "attempt" ? span.state : span.kind}
          className={`absolute top-0 bottom-1 ${fillOf(span)}`}
          style={placeOf(span)}
        />
      ))}
      {sections.map((section) => (
        <div
          key={section.from}
          data-critical
          className="absolute bottom-0 h-0.5 bg-ink"
          style={placeOf(section)}
        />
      ))}
    </div>
  )
}

/** What the fills of these spans mean, and the line of the critical path where there is one. */
export const SpanLegend = ({ hasPath, spans }: {
  readonly spans: ReadonlyArray<Span>
  readonly hasPath: boolean
}) => {
  const { task: texts } = useTexts()
  const nameOf = useSpanName()
  const fills = new Map(spans.map((span) => [nameOf(span), `h-2 ${fillOf(span)}`]))
  if (hasPath) fills.set(texts.criticalPath, "h-0.5 bg-ink")
  return (
    <ul className="flex flex-wrap gap-x-3 px-4 py-2 text-small text-soft" aria-hidden="true">
      {[...fills].map(([name, fill]) => (
        <li key={name} className="flex items-center gap-1">
          <span className={`w-4 ${fill}`} />
          {name}
        </li>
      ))}
    </ul>
  )
}
