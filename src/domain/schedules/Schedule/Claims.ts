/**
 * Which schedules follow from what the streams of agents claim. A schedule of an engine's own scheduler exists while a
 * stream claims it; it is in quarantine while two live streams claim it differently. Pure.
 */
import type { AgentId, ScheduleId, ScheduleStreamId } from "../../kernel/Id.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { Schedule } from "../Schedule.ts"
import type { ExternalSchedule } from "./External.ts"
import { expectedRun } from "./ExternalRun.ts"
import { twoOwners } from "./TwoOwners.ts"

/** What one stream says of one schedule. */
export interface Claim {
  readonly stream_id: ScheduleStreamId
  readonly agent_id: AgentId
  readonly agent_name: string
  /** Whether the stream's newest snapshot is of the session that it is bound to now. */
  readonly is_live: boolean
  readonly schedule_id: ScheduleId
  /** The name that the schedule is shown with. */
  readonly name: string
  readonly row: ExternalSchedule
}

/** The names by which the schedules of one stream are shown: a name that several have is followed by the source_key. */
export const displayNames = (rows: ReadonlyArray<ExternalSchedule>): ReadonlyMap<string, string> => {
  const counts = new Map<string, number>()
  for (const { name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    rows.map(({ name, source_key }) => [source_key, (counts.get(name) ?? 0) > 1 ? qualifyName(name, source_key) : name])
  )
}

/** Characters of a name that its key follows: PostgreSQL indexes at most 2704 bytes, and a key may have 1536. */
const maxQualifiedLength = 200

/** The name with the key that tells it from the same name of another schedule. */
export const qualifyName = (name: string, sourceKey: string): string => {
  const visibleName = name.length > maxQualifiedLength ? `${name.slice(0, maxQualifiedLength).toWellFormed()}…` : name
  return `${visibleName} (${sourceKey})`
}

/** What becomes of a schedule. */
export type ClaimPlan =
  | { readonly kind: "delete" }
  | { readonly kind: "keep" }
  | { readonly kind: "write"; readonly fields: ExternalFields; readonly isDefinitionChanged: boolean }

/** The fields of a stored schedule that follow from its claims. */
export type ExternalFields =
  & Pick<
    Schedule,
    | "stream_id"
    | "source_key"
    | "name"
    | "engine"
    | "task_name"
    | "kind"
    | "expression"
    | "timezone"
    | "queue"
    | "args"
    | "kwargs"
    | "is_enabled"
    | "last_run_at"
    | "next_run_at"
    | "total_runs"
    | "external_id"
    | "catch_up"
    | "source"
    | "source_hash"
  >
  & Pick<Schedule, "due_at" | "quarantine_code" | "quarantine_detail" | "quarantined_at">

const runFields = [
  "last_run_at",
  "next_run_at",
  "total_runs",
  "due_at",
  "stream_id",
  "source_key"
] as const satisfies ReadonlyArray<
  keyof ExternalFields
>

/**
 * The plan of a schedule with these claims; `current` is null for a new one. `mask` hides the secrets of arguments, which
 * the published agents do not.
 */
export const planClaims = (
  current: Schedule | null,
  claims: ReadonlyArray<Claim>,
  scheduler: string,
  now: Timestamp,
  mask: (json: string) => string
): ClaimPlan => {
  const live = claims.filter(({ is_live }) => is_live)
  const candidates = live.length > 0 ? live : claims
  const primary = candidates.find(({ stream_id }) => stream_id === current?.stream_id) ?? candidates[0]
  if (primary === undefined) return { kind: "delete" }
  const claimed = fieldsOf(primary, mask)
  // a name that another schedule had at some time stays qualified: a shown name changes as rarely as possible
  const isQualified = current?.name === qualifyName(claimed.name, claimed.source_key)
  const fields: ExternalFields = {
    ...claimed,
    name: isQualified ? current.name : claimed.name,
    // what a stream that ended has left open stays open
    due_at: live.length > 0 || current === null ? expectedRun({ ...claimed, scheduler }, current, now) : current.due_at,
    ...quarantineOf(current, live, primary, now)
  }
  if (current === null) return { kind: "write", fields, isDefinitionChanged: true }
  // the cast: the keys of a record with exactly these keys
  const changed = (Object.keys(fields) as Array<keyof ExternalFields>).filter((key) => fields[key] !== current[key])
  if (changed.length === 0) return { kind: "keep" }
  const isRun = (key: keyof ExternalFields) => runFields.some((field) => field === key)
  return { kind: "write", fields, isDefinitionChanged: changed.some((key) => !isRun(key)) }
}

const fieldsOf = ({ name, row, stream_id }: Claim, mask: (json: string) => string) => ({
  stream_id,
  source_key: row.source_key,
  name,
  engine: row.engine,
  task_name: row.task_name,
  kind: row.kind,
  expression: row.expression,
  timezone: row.timezone,
  queue: row.queue,
  args: mask(row.args),
  kwargs: mask(row.kwargs),
  is_enabled: row.is_enabled,
  last_run_at: row.last_run_at,
  next_run_at: row.next_run_at,
  total_runs: row.total_runs,
  external_id: row.external_id,
  catch_up: row.catch_up,
  source: row.source,
  source_hash: row.source_hash
})

const notQuarantined = { quarantine_code: null, quarantine_detail: null, quarantined_at: null }

/** Two live streams with one definition are one owner. While none is live, the quarantine stays as it is. */
const quarantineOf = (current: Schedule | null, live: ReadonlyArray<Claim>, primary: Claim, now: Timestamp) => {
  const definitions = new Set(live.map(({ row }) => `${row.source_key} ${row.configuration}`))
  const isQuarantined = live.length === 0 ? current?.quarantine_code === twoOwners : definitions.size > 1
  if (!isQuarantined) return notQuarantined
  return {
    quarantine_code: twoOwners,
    quarantine_detail: live.length === 0 ? current?.quarantine_detail ?? null : describeOwners(live, primary),
    quarantined_at: current?.quarantined_at ?? now
  }
}

/** Agents that a sentence names. */
const maxNames = 5

const describeOwners = (live: ReadonlyArray<Claim>, primary: Claim): string => {
  const names = [...new Set(live.map(({ agent_name }) => `"${agent_name}"`))].sort()
  const firstNames = names.slice(0, maxNames).join(", ")
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : ""
  return `The agents ${firstNames}${more} publish it with different definitions; the one of "${primary.agent_name}" is shown. ` +
    "Let one agent publish it, or give the schedules different names."
}
