import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import * as TaskHistory from "../../../domain/tasks/TaskHistory.ts"
import { replayHistory } from "../../../domain/tasks/TaskHistory/Replay.ts"
import type { Trigger, TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import { noFailures, readHistory, subtractFailures, toStorableOrNull } from "./Fold.ts"
import { findNewEnds, noTaskEnds } from "./TaskEnds.ts"
import { type EndedTask, makeTaskEvents } from "./TaskTriggers.ts"

/** A stored task. */
export interface ReplayedTask {
  readonly id: string
  readonly project_id: ProjectId
  readonly engine: string
  readonly task_id: string
  readonly history: string
  readonly updated_at: Timestamp
}

/** The events of one trigger that the ingest would have recorded, had each end of the task since then come alone. */
export const replayTask = (task: ReplayedTask, trigger: Trigger, since: Timestamp): ReadonlyArray<TriggerEvent> => {
  const [before, ...after] = replayHistory(TaskHistory.decode(task.history), task, since)
  if (before === undefined) return []
  const wanted = { hasTrigger: (other: Trigger) => other === trigger, consumersOf: () => ["rules" as const] }
  const interests = new Map([[task.project_id, wanted]])
  let previous = before.entries.length === 0
    ? { failures: noFailures, taskEnds: noTaskEnds }
    : readHistory(task.engine, before)
  return after.flatMap((history) => {
    const current = readHistory(task.engine, history)
    const { fields, fingerprint } = current
    const ended: EndedTask = {
      row: { ...task, ...fields, exception: toStorableOrNull(fields.exception), fingerprint },
      failures: subtractFailures(previous.failures, current.failures),
      newEnds: findNewEnds(previous.taskEnds, current.taskEnds)
    }
    previous = current
    return makeTaskEvents([ended], interests)
  })
}
