/** What an import changes: a comparison of its snapshot with the schedules that exist. */
import { canonicalize, CanonicalText, type JsonInput } from "../../kernel/CanonicalJson.ts"
import type { Schedule } from "../Schedule.ts"
import {
  type Definition,
  type DefinitionName,
  definitionNames,
  differingNames,
  digestDefinition,
  isDrifted
} from "./Definition.ts"
import type { DiffSchedulesResponse, ImportedSchedule, ImportSchedules } from "./Import.ts"
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
