/** Whether a queue is paused, who paused it, why and until when. */
import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, CommandId, UserId } from "../kernel/Id.ts"
import * as Timestamp from "../kernel/Timestamp.ts"

/** The longest pause that ends by itself. */
export const maxPauseDays = 30
export const maxPauseReasonLength = 500

export const QueuePause = Schema.Struct({
  status: describeField(
    Schema.Literal("pausing", "paused", "resuming"),
    "`pausing` and `resuming`: the command to its agent has no outcome yet.",
    "paused"
  ),
  reason: describeField(
    Schema.NullOr(Schema.String),
    "Why, in the words of who paused it; null: it was paused in the engine.",
    "The bank's API is down."
  ),
  paused_by: describeField(
    Schema.NullOr(Schema.Struct({
      id: describeField(UserId, "The user's id.", exampleId),
      name: describeField(
        Schema.NullOr(Schema.String),
        "The name that others see; null: none is chosen.",
        "Ada Lovelace"
      )
    })),
    "Who; null: the program, a deleted user, or a pause in the engine.",
    { id: exampleId, name: "Ada Lovelace" }
  ),
  paused_at: describeField(
    Schema.NullOr(Timestamp.Timestamp),
    "When; null: in the engine, at an unknown time.",
    exampleTime
  ),
  resume_at: describeField(
    Schema.NullOr(Timestamp.Timestamp),
    "When the server resumes it; null: once a user does.",
    exampleTime
  ),
  command_id: describeField(Schema.NullOr(CommandId), "The command that paused it; null: in the engine.", exampleId),
  agent_id: describeField(
    Schema.NullOr(AgentId),
    "The agent that paused it, on its own broker; null: in the engine.",
    exampleId
  )
}).annotations(describeBody("QueuePause", "A pause of a queue: no worker takes its tasks."))
export type QueuePause = typeof QueuePause.Type

/** Statuses of a command without an outcome. */
const open: ReadonlySet<string | null> = new Set(["pending", "dispatched"])
/** Statuses of a command that was not executed, or perhaps not. */
const doubtful: ReadonlySet<string | null> = new Set(["failed", "timeout", "cancelled"])

/** A report so much later than a command's outcome was read from the engine after it. */
const reportSeconds = 60

export interface PauseFacts {
  /** 1 or 0 as the engine last reported it, null where its agent cannot see pauses. */
  readonly reported: number | null
  readonly reportedAt: Timestamp.Timestamp | null
  /** Of the commands that paused it and that should resume it; null: none, or its row has been deleted since. */
  readonly pauseStatus: string | null
  readonly pauseEndedAt: Timestamp.Timestamp | null
  readonly resumeStatus: string | null
  readonly resumeEndedAt: Timestamp.Timestamp | null
}

const isAfter = (reportedAt: Timestamp.Timestamp | null, endedAt: Timestamp.Timestamp | null): boolean =>
  reportedAt !== null && endedAt !== null && reportedAt > Timestamp.addSeconds(endedAt, reportSeconds)

/** Whether the engine's last report is one from after the end of the pause. */
export const isReportedSince = ({ reportedAt, resumeEndedAt, resumeStatus }: PauseFacts): boolean =>
  resumeStatus !== "completed" || isAfter(reportedAt, resumeEndedAt)

/** How a pause by a command is now; null: it was not executed, or is over. */
export const pauseStatusOf = (
  { pauseEndedAt, pauseStatus, reported, reportedAt, resumeStatus }: PauseFacts
): QueuePause["status"] | null => {
  if (open.has(pauseStatus)) return "pausing"
  if (resumeStatus === "completed") return null
  if (doubtful.has(pauseStatus)) return reported === 1 ? "paused" : null
  if (reported === 0 && isAfter(reportedAt, pauseEndedAt)) return null // resumed elsewhere
  return open.has(resumeStatus) ? "resuming" : "paused"
}

/** Whether the command of a pause was executed, or may yet be; null: it has been deleted since. */
export const isExecuted = (pauseStatus: string | null): boolean => !doubtful.has(pauseStatus)

/** So long after its command ended without success a pause may yet be reported, by an agent that was away. */
const doubtSeconds = 3600

/** Whether a pause has ended for good, or will not be executed: nothing is to be shown or resumed any more. */
export const isPauseOver = (facts: PauseFacts, now: Timestamp.Timestamp): boolean => {
  const { pauseEndedAt, pauseStatus, reported, reportedAt, resumeEndedAt, resumeStatus } = facts
  if (pauseStatusOf(facts) !== null) return false
  if (resumeStatus === "completed") return isAfter(now, resumeEndedAt)
  if (isExecuted(pauseStatus) || pauseEndedAt === null) return true
  return (reported === 0 && isAfter(reportedAt, pauseEndedAt)) ||
    pauseEndedAt <= Timestamp.addSeconds(now, -doubtSeconds)
}

/** A pause of which only the engine tells. */
export const pauseInEngine: QueuePause = {
  status: "paused",
  reason: null,
  paused_by: null,
  paused_at: null,
  resume_at: null,
  command_id: null,
  agent_id: null
}
