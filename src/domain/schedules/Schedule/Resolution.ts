/** Which fires operators may decide about, and what they decided before. Pure. */
import { Schema } from "effect"
import { asString, JsonObject, parse } from "../../kernel/CanonicalJson.ts"
import { Conflict } from "../../kernel/Errors.ts"
import { Timestamp } from "../../kernel/Timestamp.ts"
import { type FireStatus, liveFireStatuses } from "./Fire.ts"
import type { ResolveTerminalFire } from "./Recovery.ts"

export type Decision = Pick<ResolveTerminalFire, "fire_id" | "work_may_have_executed" | "enabled_after_resolution">

/** Statuses of a fire that was sent and did not end by a word of its agent. */
const unknownStatuses: ReadonlyArray<string> = ["terminal_timeout", "terminal_cancelled"]

/** Of a fire without a command. A restore ends the fires that waited (`Restore/Schedules.ts`). */
const resolvableStatuses: ReadonlyArray<string> = [...liveFireStatuses, "terminal_timeout"]

export const notResolvable = (detail: string) => new Conflict({ code: "fire_not_resolvable", detail })

const decodeTick = Schema.decodeUnknownOption(Timestamp)

/** What the parameters of a command `schedule.fire` say about the fire. */
export const readFireParameters = (payload: string) => {
  const node = parse(payload)
  const members = node instanceof JsonObject ? node : null
  return { fire_id: asString(members?.get("fire_id")), tick: decodeTick(asString(members?.get("scheduled_for"))) }
}

/** Why the outcome of a fire that was sent is not to be decided; null: it is. */
export const checkUnknown = (status: FireStatus): Conflict | null =>
  unknownStatuses.includes(status)
    ? null
    : notResolvable(`The fire is ${status}: its outcome is known, or still to come.`)

/** The same of a fire that no command carries. */
export const checkUnsent = (status: FireStatus, command_id: string | null): Conflict | null => {
  if (command_id !== null) return notResolvable("The fire has a command: use resolve-terminal-fire.")
  return resolvableStatuses.includes(status) ? null : notResolvable(`The fire is ${status}: its outcome is known.`)
}

/** Why a fire is not resolved in this way: it was resolved in the `known` one. */
export const checkRepeat = (
  known: { readonly [field in "work_may_have_executed" | "enabled_after_resolution"]: boolean | null },
  { enabled_after_resolution, work_may_have_executed }: Decision
): Conflict | null =>
  known.work_may_have_executed === work_may_have_executed && known.enabled_after_resolution === enabled_after_resolution
    ? null
    : new Conflict({
      code: "fire_already_resolved",
      detail:
        `The fire was resolved with work_may_have_executed ${known.work_may_have_executed} and enabled_after_resolution ${known.enabled_after_resolution}.`
    })
