import { SqlError } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { CommandId } from "../../../src/domain/kernel/Id.ts"
import { AgentProcessesRepo } from "../../../src/services/agents/AgentProcesses/Repo.ts"
import { CommandDispatch } from "../../../src/services/commands/Dispatch.ts"
import * as Inbox from "../../../src/services/commands/Inbox.ts"
import { CommandQueueRepo } from "../../../src/services/commands/QueueRepo.ts"
import { CommandStatusRepo } from "../../../src/services/commands/StatusRepo.ts"
import * as LateFires from "../../../src/services/schedules/LateFires.ts"
import { brainOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { Line, lineLayer } from "./line.ts"
import { world } from "./world.ts"

const lost = new SqlError.SqlError({ cause: new Error("Connection terminated unexpectedly"), message: "lost" })

/** A statement whose next response may be lost. */
class Losses {
  next: "none" | "before the statement" | "after its commit" | "before a late commit" = "none"
  readonly taken: Array<string> = []
  /** A statement without a response, which the database commits just before the next one. */
  private late: Effect.Effect<unknown, unknown> = Effect.void

  of<Args extends ReadonlyArray<unknown>, A, E>(
    statement: (...args: Args) => Effect.Effect<A, E>
  ): (...args: Args) => Effect.Effect<A, E | SqlError.SqlError> {
    return (...args) =>
      Effect.suspend(() => {
        const loss = this.next
        const { late } = this
        this.late = Effect.void
        if (loss === "none") return Effect.zipRight(Effect.orDie(late), statement(...args))
        this.next = "none"
        this.taken.push(loss)
        if (loss === "before a late commit") this.late = statement(...args)
        return Effect.zipRight(loss === "after its commit" ? statement(...args) : Effect.void, lost)
      })
  }
}

/** The dispatch over a line in memory, with statements that may fail; the brain's own dispatch has no sessions. */
const dispatchWith = Effect.gen(function*() {
  const losses = { claim: new Losses(), release: new Losses(), updateSessions: new Losses() }
  const statuses = Layer.effect(
    CommandStatusRepo,
    Effect.map(
      CommandStatusRepo,
      (repo) =>
        new CommandStatusRepo({ ...repo, claim: losses.claim.of(repo.claim), release: losses.release.of(repo.release) })
    )
  ).pipe(Layer.provide(CommandStatusRepo.layer))
  const queue = Layer.effect(
    CommandQueueRepo,
    Effect.map(
      CommandQueueRepo,
      (repo) => new CommandQueueRepo({ ...repo, updateSessions: losses.updateSessions.of(repo.updateSessions) })
    )
  ).pipe(Layer.provide(CommandQueueRepo.layer))
  const context = yield* Layer.build(Layer.fresh(
    CommandDispatch.Default.pipe(
      Layer.provide([AgentProcessesRepo.layer, statuses, queue]),
      Layer.provideMerge(lineLayer)
    )
  ))
  return { losses, connect: (yield* Effect.provide(Line, context)).connect }
})

describe.each(engines)("a dispatch whose statements get no response, on %s", (engine) => {
  layer(Inbox.layer.pipe(Layer.provide(LateFires.layer), Layer.provideMerge(brainOn(engine))), {
    excludeTestServices: true
  })((it) => {
    it.scoped("sends claimed commands once, though the response to the claim was lost", () =>
      Effect.gen(function*() {
        const { connect, losses } = yield* dispatchWith
        const { agent_id, awaitFrames, cancelTask, get, project, sendResult } = yield* world
        const ids: Array<CommandId> = []
        for (let index = 0; index < 3; index++) ids.push((yield* cancelTask(`t${index}`)).id)
        losses.claim.next = "after its commit"
        const process = yield* connect({ agentId: agent_id, projectId: project.id })
        yield* awaitFrames(process, 3)
        assert.deepStrictEqual(losses.claim.taken, ["after its commit"])
        yield* sendResult(process, ids[0]!)
        const marker = yield* cancelTask("marker")
        yield* awaitFrames(process, 4)
        assert.deepStrictEqual(process.frames.map(({ id }) => id), [...ids, marker.id])
        assert.strictEqual((yield* get(ids[1]!)).status, "dispatched")
      }))

    it.scoped("sends a command that a full session did not take, though the release failed", () =>
      Effect.gen(function*() {
        const { connect, losses } = yield* dispatchWith
        const { agent_id, awaitFrames, cancelTask, project } = yield* world
        const process = yield* connect({ agentId: agent_id, projectId: project.id })
        process.writable = false
        losses.release.next = "before the statement"
        const { id } = yield* cancelTask("t")
        yield* until(Effect.sync(() => losses.release.taken.length), (taken) => taken === 1)
        process.writable = true
        yield* awaitFrames(process, 1)
        assert.deepStrictEqual(process.frames.map((frame) => frame.id), [id])
      }))

    it.scoped("sends a reconnected process its unfinished commands once, though the response to their move was lost", () =>
      Effect.gen(function*() {
        const { connect, losses } = yield* dispatchWith
        const { agent_id, awaitFrames, cancelTask, project } = yield* world
        const first = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1" })
        const { id } = yield* cancelTask("t")
        yield* awaitFrames(first, 1)
        yield* first.disconnect
        losses.updateSessions.next = "after its commit"
        const second = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1" })
        yield* awaitFrames(second, 1)
        assert.deepStrictEqual(losses.updateSessions.taken, ["after its commit"])
        const marker = yield* cancelTask("marker")
        yield* awaitFrames(second, 2)
        assert.deepStrictEqual(second.frames.map((frame) => frame.id), [id, marker.id])
      }))

    it.scoped("sends a reconnected process its unfinished commands once, though their move is committed late", () =>
      Effect.gen(function*() {
        const { connect, losses } = yield* dispatchWith
        const { agent_id, awaitFrames, cancelTask, project } = yield* world
        const first = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1" })
        const { id } = yield* cancelTask("t")
        yield* awaitFrames(first, 1)
        yield* first.disconnect
        losses.updateSessions.next = "before a late commit"
        const second = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1" })
        yield* awaitFrames(second, 1)
        assert.deepStrictEqual(losses.updateSessions.taken, ["before a late commit"])
        const marker = yield* cancelTask("marker")
        yield* awaitFrames(second, 2)
        assert.deepStrictEqual(second.frames.map((frame) => frame.id), [id, marker.id])
      }))

    it.scoped("sends a reconnected process its unfinished commands once its full session takes them", () =>
      Effect.gen(function*() {
        const { connect } = yield* dispatchWith
        const { agent_id, awaitFrames, cancelTask, project } = yield* world
        const first = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1" })
        const { id } = yield* cancelTask("t")
        yield* awaitFrames(first, 1)
        yield* first.disconnect
        const second = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1" })
        second.writable = false
        yield* until(Effect.sync(() => second.attempts), (attempts) => attempts >= 2)
        second.writable = true
        yield* awaitFrames(second, 1)
        assert.deepStrictEqual(second.frames.map((frame) => frame.id), [id])
      }))
  })
})
