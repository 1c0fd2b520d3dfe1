/**
 * Which schedules follow from what the streams of agents claim. A schedule of an engine's own scheduler exists while a
 * stream claims it; it is in quarantine while two live streams claim it differently. Pure.
 */
import type { AgentId, ScheduleId, ScheduleStreamId } from "../../kernel/Id.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { Schedule } from "../Schedule.ts"
import type { ExternalSchedule, Publication } from "./External.ts"
import { expectedRun } from "./ExternalRun.ts"
import { twoOwners } from "./Recovery.ts"

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

/** What decides whether a published row changes its claim. */
export interface StoredClaim {
  readonly source_key: string
  readonly schedule_id: ScheduleId
  readonly name: string
  readonly projection_digest: string
}

/** A claim as it is written. */
export interface NewClaim {
  readonly stream_id: ScheduleStreamId
  readonly schedule_id: ScheduleId
  readonly name: string
  readonly row: ExternalSchedule
}

/** The names by which the schedules of one stream are shown: a name that several have is followed by the source_key. */
const displayNames = (rows: ReadonlyArray<ExternalSchedule>): ReadonlyMap<string, string> => {
  const counts = new Map<string, number>()
  for (const { name } of rows) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    rows.map(({ name, source_key }) => [source_key, (counts.get(name) ?? 0) > 1 ? qualifyName(name, source_key) : name])
  )
}

/**
 * The names of what was published, by key. A change of single schedules does not say which names the others have, so a
 * name that is the same stays as shown.
 */
const publishedNames = (
  { isComplete, schedules }: Publication,
  stored: ReadonlyMap<string, { readonly name: string }>
): ReadonlyMap<string, string> =>
  isComplete
    ? displayNames(schedules)
    : new Map(schedules.map(({ name, source_key }) => {
      const storedName = stored.get(source_key)?.name
      return [source_key, storedName === qualifyName(name, source_key) ? storedName : name]
    }))

/** Characters of a name that its key follows: PostgreSQL indexes at most 2704 bytes, and a key may have 1536. */
const maxQualifiedLength = 200

/** The name with the key that distinguishes it from the same name of another schedule. */
export const qualifyName = (name: string, sourceKey: string): string => {
  const visibleName = name.length > maxQualifiedLength ? `${name.slice(0, maxQualifiedLength).toWellFormed()}…` : name
  return `${visibleName} (${sourceKey})`
}

/** A published row with the name that it is shown with. */
export interface NamedRow {
  readonly row: ExternalSchedule
  readonly name: string
}

/** What a publication changes in the claims of its stream, which are `stored` by key. */
export const compareClaims = (publication: Publication, stored: ReadonlyMap<string, StoredClaim>) => {
  const { deletedSourceKeys, isComplete, schedules } = publication
  const published = new Set(schedules.map(({ source_key }) => source_key))
  const deletedKeys = isComplete
    ? [...stored.keys()].filter((key) => !published.has(key))
    : deletedSourceKeys.filter((key) => stored.has(key) && !published.has(key))
  const deleted = new Set(deletedKeys)
  const names = publishedNames(publication, stored)
  const named = schedules.map((row): NamedRow => ({ row, name: names.get(row.source_key) ?? row.name }))
  return {
    deletedKeys,
    named,
    /** Rows whose keys the stream has not published before. */
    added: named.filter(({ row }) => !stored.has(row.source_key)),
    /** The schedules of claims that stay. */
    claimed: new Set(
      [...stored.values()].flatMap(({ schedule_id, source_key }) => deleted.has(source_key) ? [] : [schedule_id])
    )
  }
}

/** The claims of published rows that are not as stored; `assigned` has the schedules of new keys. */
export const listChangedClaims = (
  stream_id: ScheduleStreamId,
  named: ReadonlyArray<NamedRow>,
  stored: ReadonlyMap<string, StoredClaim>,
  assigned: ReadonlyMap<string, ScheduleId>
): ReadonlyArray<NewClaim> =>
  named.flatMap(({ name, row }) => {
    const before = stored.get(row.source_key)
    if (before?.name === name && before.projection_digest === row.projection_digest) return []
    const schedule_id = before?.schedule_id ?? assigned.get(row.source_key)
    return schedule_id === undefined ? [] : [{ stream_id, schedule_id, name, row }]
  })

/** The schedules that new rows are about, by key: of those found, the one with the key, else the one with the name. */
export const assignKnown = (
  added: ReadonlyArray<NamedRow>,
  found: ReadonlyArray<Pick<Schedule, "id" | "name" | "source_key">>,
  claimed: ReadonlySet<ScheduleId>
): Map<string, ScheduleId> => {
  const assigned = new Map<string, ScheduleId>()
  const taken = new Set(claimed)
  const byKey = new Map(found.map(({ id, source_key }) => [source_key, id]))
  const byName = new Map(found.map(({ id, name }) => [name, id]))
  for (const find of [({ row }: NamedRow) => byKey.get(row.source_key), ({ name }: NamedRow) => byName.get(name)]) {
    for (const one of added) {
      const id = find(one)
      if (id === undefined || taken.has(id) || assigned.has(one.row.source_key)) continue
      taken.add(id)
      assigned.set(one.row.source_key, id)
    }
  }
  return assigned
}

/** The schedules with names that no other one of the scheduler has: a claimed name may be another agent's. */
export const chooseNames = (
  written: ReadonlyArray<Schedule>,
  others: ReadonlyArray<string>
): ReadonlyArray<Schedule> => {
  const taken = new Set(others)
  return written.map((schedule) => {
    const qualified = qualifyName(schedule.name, schedule.source_key ?? "")
    const name = [schedule.name, qualified].find((name) => !taken.has(name)) ?? `${qualified} ${schedule.id}`
    taken.add(name)
    return { ...schedule, name }
  })
}

/** What becomes of a schedule. */
type ClaimPlan =
  | { readonly kind: "delete" }
  | { readonly kind: "keep" }
  | { readonly kind: "write"; readonly fields: ExternalFields; readonly isDefinitionChanged: boolean }

/** The fields of a stored schedule that follow from its claims. */
type ExternalFields =
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
const planClaims = (
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

/** A schedule that follows from its claims; `before`: null for a new one. */
export interface ClaimedChange {
  readonly id: ScheduleId
  readonly before: Schedule | null
  readonly fields: ExternalFields
  readonly isDefinitionChanged: boolean
}

/** What becomes of the schedules `ids`, as in `planClaims`. */
export const planSchedules = (
  ids: ReadonlyArray<ScheduleId>,
  current: ReadonlyMap<ScheduleId, Schedule>,
  claims: Readonly<Record<string, ReadonlyArray<Claim>>>,
  scheduler: string,
  now: Timestamp,
  mask: (json: string) => string
) => {
  const deletes: Array<Schedule> = []
  const writes: Array<ClaimedChange> = []
  for (const id of ids) {
    const before = current.get(id) ?? null
    const plan = planClaims(before, claims[id] ?? [], scheduler, now, mask)
    if (plan.kind === "write") writes.push({ ...plan, id, before })
    else if (plan.kind === "delete" && before !== null) deletes.push(before)
  }
  return { deletes, writes }
}

interface ExternalScheduleOptions extends ClaimedChange, Pick<Schedule, "project_id" | "scheduler" | "control_token"> {
  readonly now: Timestamp
}

/** The schedule as it is written. */
export const makeExternalSchedule = (
  { before, control_token, fields, id, isDefinitionChanged, now, project_id, scheduler }: ExternalScheduleOptions
): Schedule => ({
  ...(before ?? {
    id,
    project_id,
    scheduler,
    priority: "normal",
    overlap_policy: "allow",
    cursor_at: null,
    paused_at: null,
    legacy_fire_control_token: null,
    quarantine_control_token: null,
    imported_digest: null,
    on_unknown_outcome: "continue",
    schedule_revision: null,
    jitter_seconds: 0,
    grace_seconds: null,
    anchor_at: now,
    enabled_at: now,
    created_at: now
  }),
  ...fields,
  control_token,
  updated_at: isDefinitionChanged || before === null ? now : before.updated_at,
  ...(before !== null && fields.is_enabled && !before.is_enabled && { enabled_at: now })
})
