/** What becomes of a fire by the end of its command (docs/schedules.md, Outcomes). Pure. */
import type { CommandStatus } from "../../commands/Command.ts"
import type { CommandId, FireRowId, ProjectId, ScheduleId } from "../../kernel/Id.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"
import type { FireStatus } from "./Fire.ts"

/** The primary key of a fire. */
export interface FireKey {
  readonly fire_id: string
  readonly scheduled_for: Timestamp.Timestamp
}

/** A fire beside its command, whose status is ahead. */
export interface CommandedFire extends FireKey {
  readonly id: FireRowId
  readonly schedule_id: ScheduleId
  readonly project_id: ProjectId
  /** Null: retention has deleted the command. */
  readonly command_status: CommandStatus | null
  readonly dispatched_at: Timestamp.Timestamp | null
  readonly completed_at: Timestamp.Timestamp | null
  readonly error: string | null
  /** Of the fire: `lateResultCode` where it had ended as `terminal_timeout` before. */
  readonly error_code: string | null
}

/** Marks a fire that has ended, and that is open again because its command got its result after the timeout. */
export const lateResultCode = "answered_late"

/** A status that a fire moves to, with what the API shows of it. */
export interface FireMove extends FireKey {
  readonly status: FireStatus
  readonly command_id?: CommandId
  readonly acked_at?: Timestamp.Timestamp | null
  readonly latency_ms?: number | null
  readonly error_code?: string
  readonly error_message?: string | null
}

/** Whether the fire had ended without a result before its agent reported one. */
export const hasLateResult = ({ error_code }: CommandedFire): boolean => error_code === lateResultCode

/** Where the status of its command moves a fire (docs/schedules.md, Outcomes). */
export const moveOf = (fire: CommandedFire): FireMove => {
  const { command_status, completed_at, dispatched_at, error, fire_id, scheduled_for } = fire
  const key = { fire_id, scheduled_for }
  switch (command_status) {
    case "completed":
      return {
        ...key,
        status: hasLateResult(fire) ? "terminal_completed" : "acked_success",
        acked_at: completed_at,
        latency_ms: latencyOf(fire)
      }
    case "failed":
      return dispatched_at === null
        ? { ...key, status: "failed", error_code: "not_sent", error_message: error }
        : {
          ...key,
          status: hasLateResult(fire) ? "terminal_failed" : "acked_failed",
          acked_at: completed_at,
          latency_ms: latencyOf(fire),
          error_code: "agent_failed",
          error_message: error
        }
    case "timeout":
      return dispatched_at === null
        ? { ...key, status: "failed", error_code: "not_sent", error_message: error }
        : { ...key, status: "terminal_timeout", error_code: "no_answer", error_message: error }
    case "cancelled":
      return { ...key, status: "terminal_cancelled", error_code: "cancelled", error_message: error }
    case null:
      return {
        ...key,
        status: "terminal_timeout",
        error_code: "command_deleted",
        error_message: "Its command was deleted before its outcome was read."
      }
    case "pending":
    case "dispatched":
      return { ...key, status: "delivered" }
  }
}

const latencyOf = ({ completed_at, dispatched_at }: CommandedFire): number | null =>
  completed_at === null || dispatched_at === null
    ? null
    : Timestamp.toEpochMillis(completed_at) - Timestamp.toEpochMillis(dispatched_at)

/** Whether the fire was sent, and nothing says whether its task was submitted. */
export const isUnknown = (status: FireStatus | undefined, { dispatched_at }: CommandedFire): boolean =>
  status === "terminal_timeout" || (status === "terminal_cancelled" && dispatched_at !== null)
