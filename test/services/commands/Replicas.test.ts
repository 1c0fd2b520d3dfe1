import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Brain from "../../../src/layers/Brain.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { settingsOn } from "../../databases.ts"
import { until } from "../../until.ts"
import { commandsOver, enter, Line } from "./line.ts"
import { world } from "./world.ts"

/** Two brains over one database, each with an agents' line of its own. */
const replicas = Effect.gen(function*() {
  const settings = yield* Settings
  const replica = Layer.build(Layer.fresh(
    commandsOver.pipe(Layer.provideMerge(Brain.layer), Layer.provideMerge(Layer.succeed(Settings, settings)))
  ))
  return [yield* replica, yield* replica] as const
})

describe("commands of two brains over one PostgreSQL", () => {
  layer(settingsOn("PostgreSQL"), { excludeTestServices: true })((it) => {
    it.scoped("a command posted at one reaches the agent at the other, and its result is seen at both", () =>
      Effect.gen(function*() {
        const [first, second] = yield* replicas
        const here = yield* Effect.provide(world, first)
        const process = yield* Effect.provide(
          Effect.flatMap(Line, ({ connect }) => connect({ agentId: here.agent_id, projectId: here.project.id })),
          second
        )
        const remote = yield* Effect.provide(world, second)
        const { id } = yield* here.restart()
        yield* here.awaitFrames(process, 1)
        yield* remote.ack(process, id)
        yield* remote.sendResult(process, id, { result: "{\"n\":1.0}" })
        assert.deepInclude(yield* here.get(id), { status: "completed", result: "{\"n\":1.0}" })
      }))

    it.scoped("with processes at both, each command is sent once", () =>
      Effect.gen(function*() {
        const [first, second] = yield* replicas
        const here = yield* Effect.provide(world, first)
        const connect = Effect.flatMap(Line, ({ connect }) =>
          connect({ agentId: here.agent_id, projectId: here.project.id }))
        const processes = [yield* Effect.provide(connect, first), yield* Effect.provide(connect, second)]
        const ids = yield* Effect.forEach(
          Array.from({ length: 300 }, (_, index) =>
            index),
          (index) => Effect.map(here.cancelTask(`t${index}`), ({ id }) => id),
          { concurrency: 16 }
        )
        const listSentIds = () => processes.flatMap(({ frames }) => frames.map(({ id }) => id))
        yield* until(Effect.sync(() => listSentIds().length), (count) => count >= ids.length)
        const { items } = yield* here.inProject(
          here.commands.list({ status: "pending", task: null, idPart: null, cursor: null, limit: null })
        )
        assert.deepStrictEqual(items, [])
        assert.deepStrictEqual(listSentIds().toSorted(), ids.toSorted())
      }))

    it.scoped("what one process holds is not given to another one of another replica; back there, it gets it again", () =>
      Effect.gen(function*() {
        const [first, second] = yield* replicas
        const here = yield* Effect.provide(world, first)
        const connect = (workerId: string) =>
          Effect.flatMap(
            Line,
            ({ connect }) => connect({ agentId: here.agent_id, projectId: here.project.id, workerId })
          )
        const one = yield* Effect.provide(connect("w-1"), first)
        const { id } = yield* here.restart()
        yield* here.awaitFrames(one, 1)
        yield* one.disconnect
        const two = yield* Effect.provide(connect("w-2"), second)
        const marker = yield* here.restart()
        yield* here.awaitFrames(two, 1)
        const back = yield* Effect.provide(connect("w-1"), second)
        yield* here.awaitFrames(back, 1)
        assert.deepStrictEqual(two.frames.map((frame) => frame.id), [marker.id])
        assert.deepStrictEqual(back.frames.map((frame) => frame.id), [id])
      }))

    it.scoped("a process that is back at one replica gets what is issued at the other, which holds its dead connection", () =>
      Effect.gen(function*() {
        const [first, second] = yield* replicas
        const here = yield* Effect.provide(world, first)
        const hello = { agentId: here.agent_id, projectId: here.project.id, workerId: "w-1" }
        const dead = yield* Effect.provide(enter(hello), first)
        const { id: before } = yield* here.restart()
        yield* here.awaitFrames(dead, 1)
        const back = yield* Effect.provide(enter(hello), second)
        yield* here.awaitFrames(back, 1)
        const { id: after } = yield* here.restart()
        yield* here.awaitFrames(back, 2)
        assert.deepStrictEqual(back.frames.map(({ id }) => id), [before, after])

        // a claim for the dead connection that began before the new session was stored, and is committed late
        yield* here.sql`UPDATE commands SET session_id = ${dead.session.sessionId} WHERE id = ${before}`
        yield* here.awaitFrames(back, 3)
        assert.strictEqual(back.frames[2]?.id, before)

        // the process ends properly, and the dead connection is still there: another process gets what comes
        yield* back.disconnect
        yield* here.sql`UPDATE agent_workers SET state = 'offline' WHERE agent_id = ${here.agent_id}`
        const other = yield* Effect.provide(enter({ ...hello, workerId: "w-2" }), first)
        const { id: last } = yield* here.restart()
        yield* here.awaitFrames(other, 1)
        assert.deepStrictEqual(other.frames.map(({ id }) => id), [last])
        assert.deepStrictEqual(dead.frames.map(({ id }) => id), [before])
      }))

    it.scoped("a better process that is back elsewhere is preferred to a worse one beside its dead connection", () =>
      Effect.gen(function*() {
        const [first, second] = yield* replicas
        const here = yield* Effect.provide(world, first)
        const common = { agentId: here.agent_id, projectId: here.project.id }
        const task = { ...common, workerId: "task", role: "task", capabilities: { celery: ["restart_worker"] } }
        const dead = yield* Effect.provide(enter(task), first)
        const web = yield* Effect.provide(enter({ ...task, workerId: "web", role: "web" }), first)
        const back = yield* Effect.provide(enter(task), second)
        const { id } = yield* here.restart()
        yield* here.awaitFrames(back, 1)
        assert.deepStrictEqual(back.frames.map((frame) => frame.id), [id])
        assert.deepStrictEqual([...dead.frames, ...web.frames], [])
      }))

    it.scoped("a process that suits better is preferred, wherever it is connected", () =>
      Effect.gen(function*() {
        const [first, second] = yield* replicas
        const here = yield* Effect.provide(world, first)
        const celery = ["restart_worker", "pool_grow"]
        const connect = (
          workerId: string,
          role: string,
          capabilities: Readonly<Record<string, ReadonlyArray<string>>>
        ) =>
          enter({
            agentId: here.agent_id,
            projectId: here.project.id,
            workerId,
            role,
            engines: Object.keys(capabilities),
            capabilities
          })
        const web = yield* Effect.provide(connect("web", "web", { celery: ["restart_worker"] }), first)
        const task = yield* Effect.provide(connect("task", "task", { celery }), second)
        const { id } = yield* here.restart()
        const grow = yield* here.inProject(here.commands.poolResize({
          agent_id: here.agent_id,
          engine: null,
          worker_name: "w",
          delta: 1,
          idempotency_key: null
        }))
        yield* here.awaitFrames(task, 2)
        assert.deepStrictEqual(task.frames.map((frame) => frame.id).toSorted(), [id, grow.id].toSorted())
        // once the better one is gone without a word, the other one gets what waits
        yield* task.disconnect
        const left = yield* here.restart()
        yield* here.awaitFrames(web, 1)
        assert.deepStrictEqual(web.frames.map((frame) => frame.id), [left.id])
      }))

    it.scoped("one idempotency key at both, at once: one command", () =>
      Effect.gen(function*() {
        const [first, second] = yield* replicas
        const here = yield* Effect.provide(world, first)
        const there = yield* Effect.provide(world, second)
        const restart = (commands: typeof here.commands) =>
          here.inProject(
            commands.restartWorker({ agent_id: here.agent_id, engine: null, worker_name: "w", idempotency_key: "k" })
          )
        const commands = yield* Effect.all(
          Array.from({ length: 10 }, (_, index) => restart(index % 2 === 0 ? here.commands : there.commands)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(commands.map(({ id }) => id)).size, 1)
      }))
  })
})
