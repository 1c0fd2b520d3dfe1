import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { CommandId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { makeQueuePauses, type StoredPause } from "../agents/Queues/Pauses.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { EngineAgents } from "./EngineAgents.ts"
import { CommandIssue } from "./Issue.ts"
import type { Intent } from "./Model.ts"

/** After a resumption without success the next one waits so long. */
const retrySeconds = 60

const isDue = ({ resume_at, resume_ended_at, resume_status, status }: StoredPause, now: Timestamp.Timestamp): boolean =>
  status === "paused" && resume_at !== null && resume_at <= now &&
  (resume_status === null || resume_ended_at === null || resume_ended_at <= Timestamp.addSeconds(now, -retrySeconds))

/**
 * Ends pauses of queues. At its time a pause gets a command to resume the queue, from any replica that runs then, again
 * after each one without success, and as soon as an agent is connected that can. Rows of pauses that are over are
 * deleted.
 */
export const makeEndPauses = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pauses = yield* makeQueuePauses
  const agents = yield* EngineAgents
  const { issueAll } = yield* CommandIssue
  const { commandTimeout } = yield* Settings

  const resume = Effect.fnUntraced(function*(pause: StoredPause) {
    const { agent_id, engine, project_id, queue } = pause
    const agentId = (yield* agents.chooseIn(project_id, "resume_queue"))(engine, agent_id)
    if (agentId === null) return // none is connected: the next tick looks again
    const id = yield* Ids.nextOf(CommandId)
    const intent: Intent = {
      agent_id: agentId,
      action: "resume_queue",
      engine,
      target_type: "queue",
      target_id: queue,
      parameters: { queue },
      timeout_seconds: commandTimeout,
      metadata: { pause: pause.command_id }
    }
    yield* sql.withTransaction(
      Effect.whenEffect(issueAll([{ id, project_id, intent }]), pauses.replaceResuming(pause, id))
    )
  })

  return Effect.fn("QueueResumption.endPauses")(
    function*() {
      const now = yield* Timestamp.now
      const stored = yield* pauses.list(null, now)
      yield* Effect.forEach(stored.pauses.filter((pause) => isDue(pause, now)), resume, { discard: true })
      yield* pauses.remove(stored.over.map(({ command_id }) => command_id))
    },
    Effect.provideService(CurrentActor, system("queue resumption")),
    orDieOnSql
  )
})

/** Every replica runs it: of two, one stores its command. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  const endPauses = yield* makeEndPauses
  yield* loops.every("queue resumption", "2 seconds", endPauses())
})).pipe(Layer.provide([CommandIssue.layer, EngineAgents.layer]))
