/** What operators do after a failure that the brain cannot classify: bodies of the recovery routes. */
import { Option, Schema } from "effect"
import { CommandStatus, commandStatuses } from "../../commands/Command.ts"
import { describeBody, describeField, exampleId } from "../../kernel/Describe.ts"
import { caseInsensitiveId, CommandId, Id } from "../../kernel/Id.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import { type Schedule, SchedulePublic } from "../Schedule.ts"

/**
 * The quarantine of a schedule with on_unknown_outcome quarantine: one of its fires was sent, and its outcome is
 * unknown.
 */
export const outcomeUnknown = "outcome_unknown"

/** The quarantine of a schedule that connected agents publish with different definitions. */
export const twoOwners = "two_owners"

/** Whether a definition that compiles ends the quarantine: the brain or a scheduler could not evaluate the one before. */
export const isAboutDefinition = (code: string | null): boolean =>
  code !== null && code !== outcomeUnknown && code !== twoOwners

const exampleFireId = "5f0c7a52-3c1e-5b0a-9d57-0d9f2b3b7c11"
const id = caseInsensitiveId(Id)

const observedToken = describeField(
  id,
  "The schedule's `control_token` as the operator saw it. If it has changed since, the response is 409.",
  exampleId
)

const decision = {
  observed_control_token: observedToken,
  work_may_have_executed: describeField(
    Schema.Boolean,
    "`true`: the task ran, or may have run. `false`: it did not run. Neither repeats the fire.",
    true
  ),
  enabled_after_resolution: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => true }),
    "`false` disables the schedule. `true` leaves it as it is, so that a disabled one stays disabled.",
    true
  )
}

export const LegacyFireGrantRequest = Schema.Struct({
  observed_control_token: observedToken,
  allow: describeField(Schema.Boolean, "`true` grants, `false` revokes.", true),
  all_replicas_quiesced_and_resynced: describeField(
    Schema.optionalWith(Schema.Boolean, { default: () => false }),
    "Confirms that no replica of the old scheduler fires, and that each has read the schedules again. A grant needs it.",
    true
  )
}).annotations(describeBody("LegacyFireGrant", "Whether a scheduler without fencing may fire the schedule."))
export type LegacyFireGrant = typeof LegacyFireGrantRequest.Type

export const ResolveTerminalFireRequest = Schema.Struct({
  fire_id: describeField(id, "The fire, as `quarantine_detail` and the list of fires name it.", exampleFireId),
  command_id: describeField(caseInsensitiveId(CommandId), "The fire's command.", exampleId),
  expected_status: describeField(
    CommandStatus.annotations({ message: () => `must be one of ${commandStatuses.join(", ")}` }),
    "The command's status as the operator saw it.",
    "timeout"
  ),
  ...decision
}).annotations(describeBody("ResolveTerminalFire", "What an operator found out about a fire with an unknown outcome."))
export type ResolveTerminalFire = typeof ResolveTerminalFireRequest.Type

/** What can be evidence of a fire that no command of a fenced fire proves. */
export const evidenceKinds = ["command", "fire"] as const

export const ResolveLegacyEvidenceRequest = Schema.Struct({
  fire_id: describeField(id, "The fire that the evidence is about.", exampleFireId),
  source_evidence_kind: describeField(
    Schema.Literal(...evidenceKinds).annotations({ message: () => `must be ${evidenceKinds.join(" or ")}` }),
    "`command`: a command `schedule.fire` whose fire is not recorded. `fire`: a recorded fire without a command.",
    "command"
  ),
  source_evidence_id: describeField(
    id,
    "The id of the command, or of the fire's row (`id` in the list of fires).",
    exampleId
  ),
  ...decision
}).annotations(describeBody("ResolveLegacyEvidence", "What an operator found out about a fire from before fencing."))
export type ResolveLegacyEvidence = typeof ResolveLegacyEvidenceRequest.Type

const dispositions = ["resolved", "already_resolved"] as const

const result = {
  disposition: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: dispositions } }),
    "`resolved` by this request, or `already_resolved` by an equal one before.",
    "resolved"
  ),
  schedule: describeField(Schema.NullOr(SchedulePublic), "The schedule after it."),
  fire_id: describeField(Id, "The fire.", exampleFireId),
  resolution_control_token: describeField(
    Schema.NullOr(Id),
    "The schedule's control token after the resolution.",
    exampleId
  ),
  committed_revision: describeField(Schema.NullOr(Schema.Int), "The schedule's revision after the resolution.", 8)
}

export const ResolveTerminalFireResponse = Schema.Struct({
  ...result,
  command_id: describeField(CommandId, "The fire's command.", exampleId),
  command_status: describeField(CommandStatus, "Its status. The resolution does not change it.", "timeout"),
  grant_carried: describeField(
    Schema.Boolean,
    "Whether the grant for a scheduler without fencing is valid for the new control token.",
    false
  )
}).annotations(describeBody("ResolveTerminalFireResult", "A fire whose outcome an operator has decided."))

export const ResolveLegacyEvidenceResponse = Schema.Struct({
  ...result,
  source_evidence_kind: describeField(Schema.String, "The kind of the evidence.", "command"),
  source_evidence_id: describeField(Id, "Its id.", exampleId)
}).annotations(describeBody("ResolveLegacyEvidenceResult", "Evidence that an operator has resolved."))

/** The quarantine's detail: which fire an operator resolves. */
export const describeUnknown = (fireId: string): string =>
  `The fire ${fireId} was sent, and its outcome is unknown. Find out whether its task ran, and resolve the fire.`

/** The final status of a fire by an operator's word. Neither counts as a failure for the circuit breaker. */
export const resolvedStatus = (workMayHaveExecuted: boolean) =>
  workMayHaveExecuted ? ("terminal_completed" as const) : ("operator_skipped" as const)

/** What ends the quarantine of a schedule. */
export const noQuarantine = {
  quarantine_control_token: null,
  quarantine_code: null,
  quarantine_detail: null,
  quarantined_at: null
} satisfies Partial<Schedule>

/**
 * The quarantine of a schedule once one of its unknown outcomes is known. `next`: another fire with an unknown outcome,
 * which keeps the schedule in quarantine; none ends the quarantine.
 */
export const quarantineAfter = (next: Option.Option<string>): Partial<Schedule> =>
  Option.match(next, {
    onNone: () => noQuarantine,
    onSome: (fireId) => ({ quarantine_detail: describeUnknown(fireId) })
  })

interface DecidedBy extends Pick<Schedule, "control_token" | "schedule_revision"> {
  readonly enabled_after_resolution: boolean
  /** As in `quarantineAfter`. */
  readonly next: Option.Option<string>
  readonly now: Timestamp
}

/** The schedule after an operator has decided about one of its fires. A grant stays where the schedule fires on. */
export const decideSchedule = (
  schedule: Schedule,
  { control_token, enabled_after_resolution, next, now, schedule_revision }: DecidedBy
): Schedule => {
  const merged = {
    ...schedule,
    ...(schedule.quarantine_code === outcomeUnknown && quarantineAfter(next)),
    is_enabled: schedule.is_enabled && enabled_after_resolution
  }
  const isQuarantined = merged.quarantined_at !== null
  const isGranted = schedule.legacy_fire_control_token !== null && merged.is_enabled && !isQuarantined
  return {
    ...merged,
    control_token,
    quarantine_control_token: isQuarantined ? control_token : null,
    legacy_fire_control_token: isGranted ? control_token : null,
    schedule_revision,
    updated_at: now
  }
}
