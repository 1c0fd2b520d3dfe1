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
import { offered, offerTo, recorded, sequences, stored } from "./world.ts"

/** A way to PostgreSQL that can be cut. */
const makeProxy = (target: URL) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let server: Server | null = null
      let port = 0
      const open = () =>
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
      const cut = () => {
        server?.close()
        for (const socket of sockets) socket.destroy()
      }
      await open()
      const url = new URL(target)
      url.hostname = "127.0.0.1"
      url.port = String(port)
      return { url: url.toString(), cut: Effect.sync(cut), open: Effect.promise(open) }
    }),
    ({ cut }) => cut
  )

class Line extends Context.Tag("test/Line")<Line, Effect.Effect.Success<ReturnType<typeof makeProxy>>>() {}

const onLine = Effect.map(Line, ({ url }) => brainOn("PostgreSQL", { databaseUrl: Redacted.make(url) }))
const brain = Layer.unwrapEffect(onLine).pipe(
  Layer.provideMerge(Layer.scoped(Line, Effect.flatMap(freshPostgres, ({ url }) => makeProxy(new URL(url)))))
)

const failing = Effect.flatMap(
  Loops,
  (loops) => Effect.map(loops.state, (states) => states.find((state) => state.name === "ingest")?.error ?? null)
)

layer(brain, { excludeTestServices: true })("PostgreSQL away", (it) => {
  it.effect("nothing is acknowledged until it is back, and nothing is lost", () =>
    Effect.gen(function*() {
      const line = yield* Line
      const from = { projectId: (yield* freshProject()).id, agentId: AgentId.make(randomUUID()) }
      const events = recorded("celery-solo")
      yield* offered(from, events.slice(0, 50))
      yield* line.cut
      const parts = [events.slice(50, 100), events.slice(100)]
      const waiting = yield* Effect.fork(
        Effect.forEach(parts, (part) => offered(from, part), { concurrency: "unbounded" })
      )
      yield* until(failing, (error) => error !== null)
      assert.isNull(waiting.unsafePoll())
      yield* line.open
      assert.deepStrictEqual((yield* Fiber.join(waiting)).map(({ rejected }) => rejected), [0, 0])
      yield* until(failing, (error) => error === null)
      const whole = { projectId: (yield* freshProject()).id, agentId: from.agentId }
      yield* offered(whole, events)
      assert.deepStrictEqual(yield* stored(from.projectId), yield* stored(whole.projectId))
    }), 90_000)

  it.effect("a connection that is killed in the middle costs nothing", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const from = { projectId: (yield* freshProject()).id, agentId: AgentId.make(randomUUID()) }
      const events = sequences.flatMap(recorded)
      const kill = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'svc'`
      for (let at = 0; at < events.length; at += 40) {
        const writing = yield* Effect.fork(offered(from, events.slice(at, at + 40)))
        yield* yieldToEventLoop
        yield* Effect.ignore(kill)
        assert.strictEqual((yield* Fiber.join(writing)).rejected, 0)
      }
      const whole = { projectId: (yield* freshProject()).id, agentId: from.agentId }
      yield* offered(whole, events)
      assert.deepStrictEqual(yield* stored(from.projectId), yield* stored(whole.projectId))
    }), 90_000)
})

const inFours = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / 4) }, (_, at) => all.slice(at * 4, at * 4 + 4))

layer(brainOn("PostgreSQL", { databasePoolSize: 4 }), { excludeTestServices: true })("a full pool", (it) => {
  it.effect("a change has the time of its transaction, not that of its wait for a connection", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const from = { projectId: (yield* freshProject()).id, agentId: AgentId.make(randomUUID()) }
      const [first, ...others] = recorded("celery-solo")
      yield* offered(from, [first!])
      const mayEnd = yield* Deferred.make<void>()
      const taken = yield* Effect.makeLatch()
      const holders = yield* Effect.fork(Effect.all(
        Array.from({ length: 4 }, () => sql.withTransaction(Effect.zipRight(taken.open, Deferred.await(mayEnd)))),
        { concurrency: "unbounded" }
      ))
      yield* taken.await
      const writing = yield* Effect.fork(offered(from, others))
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
        const events = recorded(name)
        const agentId = AgentId.make(randomUUID())
        const alone = { projectId: (yield* freshProject()).id, agentId }
        yield* offered(alone, events)
        const shared = { projectId: (yield* freshProject()).id, agentId }
        const even = events.filter((_, at) => at % 2 === 0)
        const odd = events.filter((_, at) => at % 2 === 1)
        const deliveries = [[left, even], [right, odd], [left, odd.toReversed()], [right, even.toReversed()]] as const
        yield* Effect.forEach(
          deliveries,
          ([ingest, part]) => Effect.forEach(inFours(part), (frame) => offerTo(ingest, shared, frame)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* stored(shared.projectId), yield* stored(alone.projectId), name)
      }
    }), 90_000)
})
