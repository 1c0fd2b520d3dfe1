import type { Schemas } from "../api/client.ts"

type Event = Pick<Schemas["Event"], "kind" | "occurred_at">

export interface Span {
  readonly kind: "wait" | "run" | "gap"
  readonly from: number
  readonly to: number
  readonly isEndBad: boolean
}

/**
 * What the task did between its events: it waited until a start, ran until an end or a retry, and waited for its next
 * attempt. The last span of a task that has not ended reaches to `now`.
 */
export const spansOf = (events: ReadonlyArray<Event>, now: number, hasEnded: boolean): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let openSpan: { kind: Span["kind"]; from: number } | null = null
  const close = (to: number, isEndBad: boolean) => {
    if (openSpan !== null && to >= openSpan.from) spans.push({ ...openSpan, to, isEndBad })
    openSpan = null
  }
  for (const { kind, occurred_at } of events) {
    const at = Date.parse(occurred_at)
    if (kind === "task.sent" || kind === "task.received") openSpan ??= { kind: "wait", from: at }
    else if (kind === "task.started") {
      close(at, false)
      openSpan = { kind: "run", from: at }
    } else if (kind === "task.retried") {
      close(at, true)
      openSpan = { kind: "gap", from: at }
    } else if (kind !== "unknown") close(at, kind !== "task.succeeded")
  }
  if (!hasEnded) close(now, false)
  return spans
}
