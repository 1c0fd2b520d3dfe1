/** When agents were connected during the last 24 hours, from their outages and the times in which a brain watched. */
import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId } from "../kernel/Id.ts"
import * as Timestamp from "../kernel/Timestamp.ts"

/** Cells of a strip: half an hour each. */
export const uptimeCells = 48

/** The seconds that a strip covers. */
export const uptimeSeconds = Timestamp.secondsPerDay

/** Outages of an agent that a response names. */
const maxOutages = 50

export const UptimeCell = Schema.Literal("connected", "partly", "away", "unknown")
export type UptimeCell = typeof UptimeCell.Type

export const Outage = Schema.Struct({
  since: describeField(Timestamp.Timestamp, "The agent's last message before it.", exampleTime),
  until: describeField(Schema.NullOr(Timestamp.Timestamp), "When it was connected again; null: not yet.", exampleTime)
}).annotations(describeBody("AgentOutage", "A time in which no process of the agent was connected."))
export type Outage = typeof Outage.Type

/**
 * The last 24 hours of one agent.
 *
 * - `cells`: `partly` is away for a part of the cell. `unknown`: before the agent first connected, or no brain ran that
 *   could have seen it
 * - `outages` begin and end within the times that are known, but for one that began before the 24 hours
 */
export const AgentUptime = Schema.Struct({
  agent_id: describeField(AgentId, "The agent's id.", exampleId),
  uptime: describeField(
    Schema.NullOr(Schema.Number),
    "The share of the known time in which it was connected, rounded down to 0.1 %; null: no time is known.",
    0.986
  ),
  known_seconds: describeField(
    Schema.Int,
    "The seconds of the 24 hours that are known; the others are before it first connected, or no brain ran.",
    86_400
  ),
  away_seconds: describeField(Schema.Int, "The known seconds in which it was not connected.", 1200),
  cells: describeField(
    Schema.Array(UptimeCell),
    `${uptimeCells} equal parts of the time, the oldest first; \`unknown\`: before it first connected, or while no brain ran.`,
    ["connected", "partly", "connected"]
  ),
  outages: describeField(
    Schema.Array(Outage),
    `The newest first, at most ${maxOutages}; those shorter than \`SVC_AGENT_OFFLINE_CONFIRM_SECONDS\` are not recorded.`,
    [{ since: exampleTime, until: exampleTime }]
  )
}).annotations(describeBody("AgentUptime", "When one agent was connected during the last 24 hours."))
export type AgentUptime = typeof AgentUptime.Type

export const AgentsUptime = Schema.Struct({
  since: describeField(Timestamp.Timestamp, "The beginning of the 24 hours.", exampleTime),
  until: describeField(Timestamp.Timestamp, "The end of the 24 hours: now.", exampleTime),
  agents: Schema.Array(AgentUptime).annotations({ description: "Every agent of the project, the newest first." })
}).annotations(describeBody("AgentsUptime", "When a project's agents were connected during the last 24 hours."))
export type AgentsUptime = typeof AgentsUptime.Type

/** From one moment to another, in milliseconds since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Less than the 24 hours by so little is a rounding, or a brain that restarted. */
const toleranceSeconds = 5

/** Whether nearly all of the 24 hours are known, so that the uptime is one of all of them. */
export const isAllKnown = ({ known_seconds }: Pick<AgentUptime, "known_seconds">): boolean =>
  known_seconds >= uptimeSeconds - toleranceSeconds

export interface UptimeFacts {
  readonly window: Span
  /** When a brain watched; overlapping or not in order where clocks of replicas differ. */
  readonly watched: ReadonlyArray<Span>
  /** From then on the agent's outages are known; null: it has never connected. */
  readonly knownFrom: Timestamp.Timestamp | null
  readonly outages: ReadonlyArray<Outage>
}

export const uptimeOf = (
  { knownFrom, outages, watched, window }: UptimeFacts
): Omit<AgentUptime, "agent_id"> => {
  const from = knownFrom === null ? window.to : Timestamp.toEpochMillis(knownFrom)
  const known = union(clip(watched, { from: Math.max(from, window.from), to: window.to }))
  const pieces = outages.flatMap((outage) => clipOutage(outage, known, window))
  const away = union(pieces.map(({ span }) => span))
  const knownMillis = lengthOf(known)
  const awayMillis = lengthOf(away)
  return {
    // rounded down, so that only an agent without an outage has 100 %
    uptime: knownMillis === 0 ? null : Math.floor((1 - awayMillis / knownMillis) * 1000) / 1000,
    known_seconds: Math.round(knownMillis / 1000),
    away_seconds: Math.round(awayMillis / 1000),
    cells: Array.from({ length: uptimeCells }, (_, index) => {
      const cell = cellOf(window, index)
      return stateOf(lengthOf(clip(known, cell)), lengthOf(clip(away, cell)))
    }),
    outages: pieces.sort((left, right) => right.span.from - left.span.from).slice(0, maxOutages)
      .map(({ outage }) => outage)
  }
}

/** The known parts of an outage: what came between them, an outage or not, is unknown. */
const clipOutage = ({ since, until }: Outage, known: ReadonlyArray<Span>, window: Span) => {
  const whole = {
    from: Timestamp.toEpochMillis(since),
    to: until === null ? window.to : Timestamp.toEpochMillis(until)
  }
  return clip(known, whole).map((span) => ({
    span,
    outage: {
      since: span.from === whole.from || span.from === window.from ? since : Timestamp.fromEpochMillis(span.from),
      until: span.to === whole.to ? until : Timestamp.fromEpochMillis(span.to)
    }
  }))
}

const cellOf = ({ from, to }: Span, index: number): Span => {
  const startOf = (cell: number) => from + ((to - from) * cell) / uptimeCells
  return { from: startOf(index), to: startOf(index + 1) }
}

const stateOf = (knownMillis: number, awayMillis: number): UptimeCell =>
  knownMillis === 0 ? "unknown" : awayMillis === 0 ? "connected" : awayMillis < knownMillis ? "partly" : "away"

const lengthOf = (spans: ReadonlyArray<Span>): number => spans.reduce((sum, { from, to }) => sum + to - from, 0)

/** The parts of the spans that are within the bounds. */
const clip = (spans: ReadonlyArray<Span>, bounds: Span): ReadonlyArray<Span> =>
  spans.flatMap((span) => {
    const from = Math.max(span.from, bounds.from)
    const to = Math.min(span.to, bounds.to)
    return from < to ? [{ from, to }] : []
  })

/** In order, and without overlaps. */
const union = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const merged: Array<Span> = []
  for (const span of [...spans].sort((left, right) => left.from - right.from)) {
    const last = merged.at(-1)
    if (last === undefined || span.from > last.to) merged.push(span)
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
  }
  return merged
}
