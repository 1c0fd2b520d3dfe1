import { isKnownName } from "../../tasks/UnknownName.ts"
import type { Command } from "../Command.ts"

/** What names a target besides its id. */
interface TargetFacts {
  /** Of the task that is the target; null where it is none, or one that the brain does not know. */
  readonly task_name: string | null
}

/** Members of a payload that name what a command is about. */
interface NamingPayload {
  readonly schedule_name?: unknown
  readonly task_name?: unknown
}

/** Targets of commands and of the audit log whose id is their name. */
export const namedByIds: ReadonlySet<string> = new Set(["queue", "worker", "scheduler", "endpoint"])

/**
 * The name of a command's target for people, who know a task by its name and not by its id; null where the command has no
 * single target, or its name is unknown. A limit for all workers is named by the tasks that it limits.
 */
export const targetNameOf = (
  { payload, target_id, target_type }: Pick<Command, "payload" | "target_id" | "target_type">,
  { task_name }: TargetFacts
): string | null => {
  if (task_name !== null && isKnownName(task_name)) return task_name
  if (target_id !== null && namedByIds.has(target_type)) return target_id
  if (target_type === "task" && target_id === null) return null // the payload of a bulk retry has up to a megabyte
  const names = JSON.parse(payload) as NamingPayload // the cast: the brain wrote an object
  const name = target_type === "schedule" ? names.schedule_name : names.task_name
  return typeof name === "string" ? name : null
}
