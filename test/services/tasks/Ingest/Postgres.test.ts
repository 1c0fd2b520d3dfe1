import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { connect, createServer, type Server, type Socket } from "node:net"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../../../../src/services/kernel/concurrency/EventLoop.ts"
import { Loops } from "../../../../src/services/kernel/concurrency/Loops.ts"
import { Ingest } from "../../../../src/services/tasks/Ingest.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { freshPostgres } from "../../../postgres.ts"
import { until } from "../../../until.ts"
import { offerEvents, offerTo, readRecording, readState, sequences } from "./world.ts"

/** A proxy to PostgreSQL that can be closed and started again. */
const makeProxy = (target: URL) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let server: Server | null = null
      let port = 0
      const listen = () =>
        new Promise<void>((resolve) => {
          server = createServer((inner) => {
            const outer = connect(Number(target.port || 5432), target.hostname)
            for (const [one, other] of [[inner, outer], [outer, inner]] as const) {
              sockets.add(one)
              one.on("error", () => other.destroy()).on("close", () => {
                sockets.delete(one)
                other.destroy()
              })
              one.pipe(other)
            }
          })
          server.listen(port, "127.0.0.1", () => {
            const address = server?.address()
            if (typeof address === "object" && address !== null) port = address.port
            resolve()
          })
        })
      const close = () => {
        server?.close()
        for (const socket of sockets) socket.destroy()
      }
      await listen()
      const url = new URL(target)
      url.hostname = "127.0.0.1"
      url.port = String(port)
      return { url: url.toString(), close: Effect.sync(close), listen: Effect.promise(listen) }
    }),
    ({ close }) => close
  )

class Proxy extends Context.Tag("test/Proxy")<Proxy, Effect.Effect.Success<ReturnType<typeof makeProxy>>>() {}

const brainOnProxy = Effect.map(Proxy, ({ url }) => brainOn("PostgreSQL", { databaseUrl: Redacted.make(url) }))
const brain = Layer.unwrapEffect(brainOnProxy).pipe(
  Layer.provideMerge(Layer.scoped(Proxy, Effect.flatMap(freshPostgres, ({ url }) => makeProxy(new URL(url)))))
)

const ingestError = Effect.flatMap(
  Loops,
  (loops) => Effect.map(loops.state, (states) => states.find((state) => state.name === "ingest")?.error ?? null)
)

layer(brain, { excludeTestServices: true })("PostgreSQL away", (it) => {
  it.effect("nothing is acknowledged until it is back, and nothing is lost", () =>
    Effect.gen(function*() {
      const proxy = yield* Proxy
      const from = { projectId: (yield* freshProject()).id, agentId: AgentId.make(randomUUID()) }
      const events = readRecording("celery-solo")
      yield* offerEvents(from, events.slice(0, 50))
      yield* proxy.close
      const parts = [events.slice(50, 100), events.slice(100)]
      const waiting = yield* Effect.fork(
        Effect.forEach(parts, (part) => offerEvents(from, part), { concurrency: "unbounded" })
      )
      yield* until(ingestError, (error) => error !== null)
      assert.isNull(waiting.unsafePoll())
      yield* proxy.listen
      assert.deepStrictEqual((yield* Fiber.join(waiting)).map(({ rejected }) => rejected), [0, 0])
      yield* until(ingestError, (error) => error === null)
      const whole = { projectId: (yield* freshProject()).id, agentId: from.agentId }
      yield* offerEvents(whole, events)
      assert.deepStrictEqual(yield* readState(from.projectId), yield* readState(whole.projectId))
    }))

  it.effect("a connection that is killed in the middle costs nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const from = { projectId: (yield* freshProject()).id, agentId: AgentId.make(randomUUID()) }
      const events = sequences.flatMap(readRecording)
      const kill = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'svc'`
      for (let index = 0; index < events.length; index += 40) {
        const writing = yield* Effect.fork(offerEvents(from, events.slice(index, index + 40)))
        yield* yieldToEventLoop
        yield* Effect.ignore(kill)
        assert.strictEqual((yield* Fiber.join(writing)).rejected, 0)
      }
      const whole = { projectId: (yield* freshProject()).id, agentId: from.agentId }
      yield* offerEvents(whole, events)
      assert.deepStrictEqual(yield* readState(from.projectId), yield* readState(whole.projectId))
    }))
})

const inFours = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / 4) }, (_, index) => all.slice(index * 4, index * 4 + 4))

layer(brainOn("PostgreSQL", { databasePoolSize: 4 }), { excludeTestServices: true })("a full pool", (it) => {
  it.effect("a change has the time of its transaction, not that of its wait for a connection", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const from = { projectId: (yield* freshProject()).id, agentId: AgentId.make(randomUUID()) }
      const [first, ...others] = readRecording("celery-solo")
      yield* offerEvents(from, [first!])
      const mayEnd = yield* Deferred.make<void>()
      const taken = yield* Effect.makeLatch()
      const holders = yield* Effect.fork(Effect.all(
        Array.from({ length: 4 }, () => sql.withTransaction(Effect.zipRight(taken.open, Deferred.await(mayEnd)))),
        { concurrency: "unbounded" }
      ))
      yield* taken.await
      const writing = yield* Effect.fork(offerEvents(from, others))
      yield* Effect.sleep("300 millis")
      const end = yield* Timestamp.now
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(writing)
      yield* Fiber.join(holders)
      const rows = yield* sql<{ updated_at: string }>`SELECT updated_at FROM tasks WHERE project_id = ${from.projectId}`
      assert.isAbove(rows.length, 1)
      for (const { updated_at } of rows) assert.isTrue(updated_at >= end, updated_at)
    }))
})

layer(brainOn("PostgreSQL"), { excludeTestServices: true })("two replicas", (it) => {
  it.scoped("that write the same tasks at the same time end in the rows of one", () =>
    Effect.gen(function*() {
      const replica = Effect.map(Layer.build(Layer.fresh(Ingest.layer)), (context) => Context.get(context, Ingest))
      const left = yield* replica
      const right = yield* replica
      for (const name of sequences) {
        const events = readRecording(name)
        const agentId = AgentId.make(randomUUID())
        const alone = { projectId: (yield* freshProject()).id, agentId }
        yield* offerEvents(alone, events)
        const shared = { projectId: (yield* freshProject()).id, agentId }
        const even = events.filter((_, index) => index % 2 === 0)
        const odd = events.filter((_, index) => index % 2 === 1)
        const deliveries = [[left, even], [right, odd], [left, odd.toReversed()], [right, even.toReversed()]] as const
        yield* Effect.forEach(
          deliveries,
          ([ingest, part]) => Effect.forEach(inFours(part), (frame) => offerTo(ingest, shared, frame)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* readState(shared.projectId), yield* readState(alone.projectId), name)
      }
    }))
})
