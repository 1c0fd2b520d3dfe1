import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, CommandId, ProjectId, UserId } from "../kernel/Id.ts"
import { Page } from "../kernel/Page.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** interface, Command statuses. */
export const commandStatuses = ["pending", "dispatched", "completed", "failed", "timeout", "cancelled"] as const
export const CommandStatus = Schema.Literal(...commandStatuses)
export type CommandStatus = typeof CommandStatus.Type

export const isCommandStatus = Schema.is(CommandStatus)

/**
 * Which status may follow which. `CommandStatusRepo` writes the statuses, and builds each UPDATE from this table.
 *
 * A new command is pending. A command that its agent cannot do, or that has nothing to do, ends when it is issued.
 *
 * - pending: waits for a process of its agent. Nothing was sent.
 * - dispatched: claimed for one process, then sent to that process and never to another one.
 *   It returns to pending only while it is certain that nothing was written to the socket.
 * - timeout: the outcome is unknown unless `error` says that it was never sent. A late result is still accepted.
 */
const nextStatuses = {
  pending: ["dispatched", "timeout", "cancelled"],
  dispatched: ["pending", "completed", "failed", "timeout", "cancelled"],
  completed: [],
  failed: [],
  timeout: ["completed", "failed"],
  cancelled: []
} as const satisfies Record<CommandStatus, ReadonlyArray<CommandStatus>>

export const canFollow = (from: CommandStatus, to: CommandStatus): boolean =>
  (nextStatuses[from] as ReadonlyArray<CommandStatus>).includes(to) // the cast widens a tuple, so that `includes` takes any status

/** The statuses from which a command may become `To`: a transition that the table forbids does not compile. */
export type SourceStatus<To extends CommandStatus> = {
  [From in CommandStatus]: To extends (typeof nextStatuses)[From][number] ? From : never
}[CommandStatus]

/** The statuses from which a command may become `to`, as a value. */
export const sourceStatusesOf = <To extends CommandStatus>(to: To): ReadonlyArray<SourceStatus<To>> =>
  commandStatuses.filter((from): from is SourceStatus<To> => canFollow(from, to))

/** The `error` of a command whose time ran out, by how far it had come. */
export const timeoutErrors = {
  pending: "Never sent: no connected process of the agent could take it before its time ran out.",
  sent: "Sent, but the agent did not confirm it in time. Whether it was executed is unknown.",
  acknowledged: "The agent confirmed it, but sent no result in time. Whether it was executed is unknown."
} as const

/** All actions that this brain asks of agents. The API document lists them; a command of a newer brain may have another one. */
export const commandActions = [
  "retry_task",
  "cancel_task",
  "requeue_dead_letter",
  "bulk_retry",
  "purge_queue",
  "pause_queue",
  "resume_queue",
  "restart_worker",
  "pool_grow",
  "pool_shrink",
  "add_consumer",
  "cancel_consumer",
  "rate_limit",
  "reconcile_task",
  "dlq.list",
  "schedule.fire",
  "schedule.trigger_now",
  "schedule.delete",
  "schedule.resync",
  "schedule.external.activate",
  "schedule.external.control",
  "schedule.external.mutate"
] as const
export type CommandAction = (typeof commandActions)[number]

/** Bytes of a frame that agents accept (the agents' protocol, section 1.1). */
export const maxFrameBytes = 1_048_576

/** Bytes of the envelope around target and parameters, rounded up. */
export const frameOverheadBytes = 1024

/** A command as people see it (bodies: CommandPublic). */
export const CommandPublic = Schema.Struct({
  id: describeField(CommandId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  agent_id: describeField(Schema.NullOr(AgentId), "The agent; null: it was deleted.", exampleId),
  agent_name: describeField(
    Schema.NullOr(Schema.String),
    "The agent's name; null: the agent was deleted.",
    "shop"
  ),
  issued_by: describeField(Schema.NullOr(UserId), "The user who issued it; null: the program.", exampleId),
  action: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: commandActions } }),
    "What the agent is asked to do.",
    "retry_task"
  ),
  engine: describeField(
    Schema.NullOr(Schema.String),
    "The engine of its target, in lower case; null: it has none.",
    "celery"
  ),
  target_type: describeField(Schema.String, "The kind of its target.", "task"),
  target_id: describeField(
    Schema.NullOr(Schema.String),
    "The id or name of its target.",
    "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"
  ),
  target_name: describeField(
    Schema.NullOr(Schema.String),
    "The name of its target: of a task the task's, of a schedule the schedule's; null: it has several targets, or the name is unknown.",
    "shop.pay"
  ),
  payload: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "The parameters as they are sent; overrides are masked. `args` and `kwargs` are null for callers whom `payload_role` excludes.",
    { engine: "celery" }
  ),
  status: describeField(CommandStatus, "Its status.", "completed"),
  result: describeField(Schema.Unknown, "The agent's result; arguments as in `payload`.", { new_task_id: "b4e2" }),
  error: describeField(Schema.NullOr(Schema.String), "Why it failed or timed out.", null),
  note: describeField(
    Schema.NullOr(Schema.String),
    "Advice for people: why the command waits, that a cancelled task still runs, what a retry needs.",
    null
  ),
  issued_at: describeField(Timestamp, "When it was issued.", exampleTime),
  dispatched_at: describeField(Schema.NullOr(Timestamp), "When it was dispatched; null: not yet.", exampleTime),
  completed_at: describeField(Schema.NullOr(Timestamp), "When it ended, with any outcome.", exampleTime),
  timeout_at: describeField(Timestamp, "When its time runs out.", exampleTime)
}).annotations(describeBody("Command", "What an agent was asked to do."))
export type CommandPublic = typeof CommandPublic.Type

export const CommandList = Page(CommandPublic).annotations(describeBody("CommandList", "A page of commands."))

/** A stored command: `payload` and `result` are JSON text with all digits that the agent sent. */
export interface Command extends Omit<CommandPublic, "payload" | "result"> {
  readonly payload: string
  readonly result: string | null
}

/** The JSON text of a CommandPublic. */
export const commandJson = ({ payload, result, ...rest }: Command): string =>
  `${JSON.stringify(rest).slice(0, -1)},"payload":${payload},"result":${result ?? "null"}}`
