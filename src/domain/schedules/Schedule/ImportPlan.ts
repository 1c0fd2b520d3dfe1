/** What an import changes: a comparison of its snapshot with the schedules that exist. */
import * as Either from "effect/Either"
import { canonicalize, CanonicalText, type JsonInput } from "../../kernel/CanonicalJson.ts"
import type { Issue } from "../../kernel/Errors.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { Schedule } from "../Schedule.ts"
import {
  argumentIssues,
  type Definition,
  type DefinitionName,
  definitionNames,
  differingNames,
  digestDefinition,
  hasSameCadence,
  isDrifted
} from "./Definition.ts"
import type { DiffSchedulesResponse, ImportedSchedule, ImportSchedules } from "./Import.ts"
import { compileSchedule, refusePast } from "./Plan.ts"
import { isAboutDefinition } from "./Recovery.ts"

/** A schedule of a snapshot whose owner is known. */
export interface ProposedSchedule extends ImportedSchedule {
  readonly scheduler: string
}

interface Change {
  readonly current: Schedule
  readonly proposed: ProposedSchedule
  readonly fields: ReadonlyArray<DefinitionName>
}

export interface ImportPlan {
  readonly inserts: ReadonlyArray<ProposedSchedule>
  readonly updates: ReadonlyArray<Change>
  readonly unchanged: ReadonlyArray<Schedule>
  /** Unchanged, but drifted until now: the source has followed a person's change. */
  readonly reconciled: ReadonlyArray<Schedule>
  readonly deletes: ReadonlyArray<Schedule>
}

export const keyOf = ({ name, scheduler }: { readonly name: string; readonly scheduler: string }): string =>
  JSON.stringify([scheduler, name])

/** `existing` has the schedules that the snapshot names, and those of `source_filter` if it replaces. */
export const planImport = (
  proposed: ReadonlyArray<ProposedSchedule>,
  existing: ReadonlyArray<Schedule>,
  mode: ImportSchedules["mode"]
): ImportPlan => {
  const byKey = new Map(existing.map((schedule) => [keyOf(schedule), schedule]))
  const inserts: Array<ProposedSchedule> = []
  const updates: Array<Change> = []
  const unchanged: Array<Schedule> = []
  for (const schedule of proposed) {
    const current = byKey.get(keyOf(schedule))
    byKey.delete(keyOf(schedule))
    if (current === undefined) {
      inserts.push(schedule)
      continue
    }
    const fields = differingNames(current, schedule)
    // the snapshot's definition compiles, which ends a quarantine for the definition
    if (fields.length === 0 && !isAboutDefinition(current.quarantine_code)) unchanged.push(current)
    else updates.push({ current, proposed: schedule, fields })
  }
  return {
    inserts,
    updates,
    unchanged,
    reconciled: unchanged.filter((schedule) => schedule.imported_digest !== digestDefinition(schedule)),
    deletes: mode === "replace" ? [...byKey.values()] : []
  }
}

/** An issue of a schedule, in the snapshot. */
export const inRow = (index: number) => ({ message, path }: Issue): Issue => ({
  path: `schedules.${index}.${path}`,
  message
})

interface RowContext extends Pick<ImportSchedules, "source_filter"> {
  readonly anchor_at: Timestamp
  /** The row of the snapshot that has the schedule's name first; undefined: this one. */
  readonly first: number | undefined
}

/** The problems of a schedule in its snapshot, but for those of its scheduler. */
export const listRowIssues = (
  schedule: ProposedSchedule,
  { anchor_at, first, source_filter }: RowContext
): ReadonlyArray<Issue> => {
  const cadence = compileSchedule({ ...schedule, anchor_at })
  return [
    ...argumentIssues(schedule),
    ...(first === undefined ? [] : [{ path: "name", message: `is the name of schedules.${first} too` }]),
    ...(source_filter === null || schedule.source === source_filter
      ? []
      : [{ path: "source", message: `must be ${source_filter}, the source_filter` }]),
    ...(Either.isLeft(cadence) ? cadence.left.issues : [])
  ]
}

/** What the plan would insert or change to a date and time that has passed. What has fired since stays. */
export const listPastIssues = (
  { inserts, updates }: ImportPlan,
  proposed: ReadonlyArray<ProposedSchedule>,
  now: Timestamp
): ReadonlyArray<Issue> => {
  const moved = updates.filter(({ current, proposed }) => !hasSameCadence(current, proposed))
  return [...inserts, ...moved.map(({ proposed }) => proposed)].flatMap((schedule) => {
    const past = Either.flatMap(compileSchedule({ ...schedule, anchor_at: now }), (cadence) => refusePast(cadence, now))
    return Either.isLeft(past) ? past.left.issues.map(inRow(proposed.indexOf(schedule))) : []
  })
}

export const countPlan = ({ deletes, inserts, unchanged, updates }: ImportPlan): DiffSchedulesResponse["summary"] => ({
  inserted: inserts.length,
  updated: updates.length,
  unchanged: unchanged.length,
  deleted: deletes.length
})

const pickJson = (definition: Definition, names: ReadonlyArray<DefinitionName>): JsonInput =>
  Object.fromEntries(names.map((name) => [
    name,
    name === "args" || name === "kwargs" ? new CanonicalText(definition[name]) : definition[name]
  ]))

const entryOf = (
  { name, scheduler }: ProposedSchedule | Schedule,
  sides: { readonly current?: Schedule; readonly proposed?: ProposedSchedule; readonly fields?: Change["fields"] }
): JsonInput => {
  const { current, fields = definitionNames, proposed } = sides
  return {
    name,
    scheduler,
    is_drifted: current !== undefined && isDrifted(current),
    proposed: proposed === undefined ? {} : pickJson(proposed, fields),
    current: current === undefined ? {} : pickJson(current, fields)
  }
}

/** The JSON text of a DiffSchedulesResponse, with all digits of the arguments. */
export const planJson = (plan: ImportPlan): string =>
  canonicalize({
    inserted: plan.inserts.map((proposed) => entryOf(proposed, { proposed })),
    updated: plan.updates.map((change) => entryOf(change.current, change)),
    unchanged: plan.unchanged.map((current) => entryOf(current, { current, fields: [] })),
    deleted: plan.deletes.map((current) => entryOf(current, { current })),
    summary: { ...countPlan(plan) }
  })
