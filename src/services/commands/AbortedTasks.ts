import { Effect, Layer } from "effect"
import { canonicalize } from "../../domain/kernel/CanonicalJson.ts"
import type { AgentId, ProjectId } from "../../domain/kernel/Id.ts"
import type { AgentEvent } from "../../domain/kernel/TaskEvent.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { Ingest } from "../tasks/Ingest.ts"

/** How long after a cancellation its task's end may arrive. A disconnected agent sends it later, as a failure. */
const lookBackSeconds = 600

/** Cancellations per query. */
const maxTasks = 500

interface AbortedTask {
  readonly id: string
  readonly project_id: ProjectId
  readonly agent_id: AgentId
  readonly task_id: string
  readonly name: string
  readonly completed_at: Timestamp.Timestamp
  readonly finished_at: Timestamp.Timestamp
}

/**
 * The later of both times: the agent's clock may be ahead of the brain's, and the revocation must be the last event.
 */
const revokedAt = ({ completed_at, finished_at }: AbortedTask): Timestamp.Timestamp =>
  finished_at < completed_at ? completed_at : Timestamp.addSeconds(finished_at, 0.000_001)

/** The event has the command's id, so that repeated reports count once. */
const revocationOf = (aborted: AbortedTask): AgentEvent => ({
  id: aborted.id,
  kind: "task.revoked",
  engine: "arq",
  taskId: aborted.task_id,
  occurredAt: revokedAt(aborted),
  data: new Map([["task_name", canonicalize(aborted.name)], ["reason", canonicalize("aborted by a command")]])
})

/**
 * Reports the revocations that arq does not report: an aborted job ends there like any failed job. The agent's result
 * of cancel-task says that the job was aborted, so the brain adds a revocation to the task's events, and the task is
 * `revoked` (docs/attempts.md). The tables are the queue: a restart of the brain loses none.
 */
const reportAbortedTasks = Effect.gen(function*() {
  const read = yield* Reader
  const ingest = yield* Ingest
  const since = Timestamp.addSeconds(yield* Timestamp.now, -lookBackSeconds)
  const abortedTasks = yield* read<AbortedTask>`
    SELECT c.id, c.project_id, c.agent_id, t.task_id, t.name, c.completed_at, t.finished_at
    FROM commands c JOIN tasks t ON t.project_id = c.project_id AND t.engine = c.engine AND t.task_id = c.target_id
    WHERE c.completed_at > ${since} AND c.action = 'cancel_task' AND c.engine = 'arq' AND c.status = 'completed'
      AND c.agent_id IS NOT NULL AND c.result LIKE '%"aborted":true%'
      AND t.state = 'failure'
    LIMIT ${maxTasks}`
  for (const aborted of abortedTasks) {
    const events = [revocationOf(aborted)]
    // nothing is lost while the ingest queue is full: the next query finds the task again
    ingest.offer({
      projectId: aborted.project_id,
      agentId: aborted.agent_id,
      reporter: aborted.agent_id,
      events,
      size: 300,
      onCommit: () => {}
    })
  }
})

export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  yield* loops.every("commands aborted", "2 seconds", reportAbortedTasks)
})).pipe(Layer.provide(Ingest.layer))
