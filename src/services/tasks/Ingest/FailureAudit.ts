import { system } from "../../../domain/kernel/Actor.ts"
import { findNewlyEnded } from "../../../domain/tasks/Rollup/Contribution.ts"
import type { ActorEntry } from "../../audit/Audit.ts"
import { auditEntry } from "../../audit/Row.ts"
import type { FoldedGroup } from "./Fold.ts"
import type { TaskGroup } from "./Grouping.ts"

const agentActor = system("agent")

/** Characters of an exception in the audit log: about its first line. The task has the rest. */
const MAX_EXCEPTION_CHARACTERS = 300

/**
 * Audit entries for tasks of which a run failed. A repeated report, or one by a second path, ends no further run and so
 * adds no entry. Secrets in the exception are already masked.
 */
export const makeFailureEntries = (folded: ReadonlyArray<FoldedGroup>): ReadonlyArray<ActorEntry> => {
  const failures: Array<ActorEntry> = []
  for (const one of folded) {
    if (findNewlyEnded(one.before, one.after).some(({ outcome }) => outcome === "failure")) {
      failures.push({ actor: agentActor, entry: makeFailureEntry(one) })
    }
  }
  return failures
}

const makeFailureEntry = ({ group, row }: FoldedGroup): ActorEntry["entry"] => {
  const event = findFailureEvent(group)
  return auditEntry("task.failed", "task", row.task_id, {
    project_id: row.project_id,
    result: "failure",
    event_id: event?.id ?? null,
    metadata: {
      agent_id: (event ?? group.events[0])?.agentId,
      engine: row.engine,
      name: row.name,
      queue: row.queue,
      exception: firstLine(row.exception)
    }
  })
}

/** The latest event of the failure; none where another event only made an earlier failure count. */
const findFailureEvent = ({ events }: TaskGroup) =>
  events.reduce<TaskGroup["events"][number] | undefined>(
    (latest, event) =>
      event.kind === "task.failed" && event.refusal === null &&
        (latest === undefined || event.occurredAt >= latest.occurredAt)
        ? event
        : latest,
    undefined
  )

const firstLine = (text: string | null): string | null => {
  if (text === null) return null
  const line = text.slice(0, MAX_EXCEPTION_CHARACTERS).split(/[\r\n]/, 1)[0] ?? ""
  return line.toWellFormed()
}
