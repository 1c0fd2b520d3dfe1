import { Array as Arr, Effect } from "effect"
import { type AgentId, CommandId } from "../../../domain/kernel/Id.ts"
import * as Ids from "../../kernel/Ids.ts"
import type { IssuedIntent } from "../Issue.ts"
import type { BulkRow } from "./Row.ts"

/** The action of each command of a job. */
export const actionOf = { retry: "retry_task", cancel: "cancel_task" } as const

/** A task of a job, and the agent that its command goes to. */
interface CommandedTask {
  readonly agent_id: AgentId
  readonly engine: string
  readonly task_id: string
  /** Sent where it is known. */
  readonly task_name?: string | undefined
}

/**
 * A command for each of the tasks, in their order: commands are sent in the order of their ids, and ids of one
 * millisecond are in none.
 */
export const makeIssues = (
  { action, id, project_id }: BulkRow,
  tasks: ReadonlyArray<CommandedTask>,
  timeout_seconds: number
): Effect.Effect<ReadonlyArray<IssuedIntent>> =>
  Effect.map(
    Effect.replicateEffect(Ids.nextOf(CommandId), tasks.length),
    (ids) =>
      Arr.zipWith(tasks, [...ids].sort(), ({ agent_id, engine, task_id, task_name }, commandId): IssuedIntent => ({
        id: commandId,
        project_id,
        intent: {
          agent_id,
          action: action === "retry" ? actionOf.retry : actionOf.cancel,
          engine,
          target_type: "task",
          target_id: task_id,
          parameters: { task_id, task_name },
          timeout_seconds,
          // a retry finds the outcomes by its items
          ...(action === "retry"
            ? { metadata: { bulk_retry_id: id } }
            : { bulk_job_id: id, metadata: { bulk_job_id: id } })
        }
      }))
  )
