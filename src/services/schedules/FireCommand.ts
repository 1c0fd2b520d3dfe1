import { CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import type { AgentId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import type { Intent } from "../commands/Model.ts"

export const fireAction = "schedule.fire"

interface FireTarget {
  readonly agent_id: AgentId
  readonly fire_id: string
  /** Null: a person triggered it. */
  readonly scheduled_for: Timestamp | null
  readonly timeout_seconds: number
}

/** The command that submits a schedule's task (the agents' protocol, section 6.1). */
export const makeFireIntent = (
  { args, engine, id, kwargs, name, queue, task_name }: Schedule,
  { agent_id, fire_id, scheduled_for, timeout_seconds }: FireTarget
): Intent => ({
  agent_id,
  action: fireAction,
  engine,
  target_type: "schedule",
  target_id: id,
  parameters: {
    engine,
    task_name,
    args: new CanonicalText(args),
    kwargs: new CanonicalText(kwargs),
    queue: queue ?? undefined,
    schedule_id: id,
    schedule_name: name,
    fire_id,
    scheduled_for: scheduled_for ?? undefined
  },
  timeout_seconds
})
