import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { type CommandId } from "../../../src/domain/kernel/Id.ts"
import { Agents } from "../../../src/services/agents/Agents.ts"
import { Commands } from "../../../src/services/commands/Commands.ts"
import { CommandInbox } from "../../../src/services/commands/Inbox.ts"
import type { ResultReport } from "../../../src/services/commands/Model.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import { freshProject } from "../../brain.ts"
import { until } from "../../until.ts"
import type { Process } from "./line.ts"

/** A project with an agent of Celery, and what tests do with its commands. */
export const world = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const agents = yield* Agents
  const commands = yield* Commands
  const inbox = yield* CommandInbox
  const project = yield* freshProject()
  const { agent, hmac_secret } = yield* Effect.orDie(agents.create({ name: "a" })).pipe(
    Effect.provideService(CurrentActor, system("test")),
    Effect.provideService(CurrentProject, project)
  )
  yield* Effect.orDie(sql`UPDATE agents SET engine_adapters = '["celery"]' WHERE id = ${agent.id}`)
  const inProject = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(CurrentActor, system("test")),
      Effect.provideService(CurrentProject, project),
      Effect.orDie
    )
  const agent_id = agent.id
  const restart = (worker_name = "w1@box", engine: string | null = null) =>
    inProject(commands.restartWorker({ agent_id, engine, worker_name, idempotency_key: null }))
  const cancelTask = (task_id: string, engine = "celery") =>
    inProject(commands.cancelTask({ agent_id, engine, task_id, idempotency_key: null }))
  const get = (id: CommandId) => inProject(commands.get(id))
  /** Waits until the command has this status. */
  const reaches = (id: CommandId, status: string) =>
    Effect.orDie(until(get(id), (command) => command.status === status))
  const report = (process: Process, commandId: string) => ({
    agentId: process.session.agentId,
    sessionId: process.session.sessionId,
    workerId: process.session.workerId,
    commandId
  })
  const ack = (process: Process, id: string) =>
    Effect.zipRight(inbox.offerAck(report(process, id)), inbox.awaitCommitted)
  const sendResult = (process: Process, id: string, result: Partial<ResultReport> = {}) =>
    Effect.zipRight(
      inbox.offerResult({
        ...report(process, id),
        status: "success",
        result: "{}",
        error: null,
        onCommit: () => {},
        ...result
      }),
      inbox.awaitCommitted
    )
  /** Waits until the process was sent that many frames. */
  const awaitFrames = (process: Process, count: number) =>
    Effect.orDie(until(Effect.sync(() => process.frames.length), (length) => length >= count))
  return {
    sql,
    project,
    agent,
    agent_id,
    hmac_secret,
    commands,
    inbox,
    inProject,
    restart,
    cancelTask,
    get,
    reaches,
    ack,
    sendResult,
    awaitFrames
  }
})
