import { HttpServer } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Option, Stream, TestClock, TestContext } from "effect"
import { connect, type Socket } from "node:net"
import { setTimeout } from "node:timers/promises"
import { ProjectId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { decodeChangePosition } from "../../../src/domain/tasks/LiveTask.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { Metrics } from "../../../src/services/kernel/Metrics.ts"
import { NodeServer } from "../../../src/services/kernel/NodeServer.ts"
import { LiveTasks } from "../../../src/services/tasks/LiveTasks.ts"
import { makeLiveTasksRepo } from "../../../src/services/tasks/LiveTasks/Repo.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { isFullLane, laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"
import { openStream, putTask, putTasks } from "../live.ts"

const numberOf = (name: "svc_live_looks_total" | "svc_live_streams") =>
  Effect.flatMap(
    Metrics,
    ({ registry }) => Effect.promise(async () => (await registry.getSingleMetric(name)?.get())?.values[0]?.value ?? 0)
  )

/** Open streams whose client never reads what comes after the first bytes. */
const unread = (slug: string, token: string, count: number) =>
  Effect.gen(function*() {
    const server = yield* HttpServer.HttpServer
    const port = server.address._tag === "TcpAddress" ? server.address.port : 0
    const text =
      `GET /api/v1/projects/${slug}/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const one = Effect.acquireRelease(
      Effect.async<Socket>((resume) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(text))
        socket.once("data", () => {
          socket.pause()
          resume(Effect.succeed(socket))
        })
        socket.on("error", () => {})
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
    return yield* Effect.replicateEffect(one, count)
  })

describe.each(laneEngines)("many live streams on %s", (engine) => {
  layer(serverOn(engine, { liveStreams: 20, liveStreamsPerUser: 15 }), { excludeTestServices: true })((it) => {
    it.scoped("one read serves all streams of a project, and the reads end with the last of them", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        yield* Effect.scoped(Effect.gen(function*() {
          const streams = yield* Effect.replicateEffect(openStream(project.slug, token), 14)
          const before = yield* numberOf("svc_live_looks_total")
          yield* putTask(project.id, "a", "received")
          for (const { next } of streams) assert.strictEqual((yield* next).data.task_id, "a")
          // separate reads of each stream would be 14 at least; the hint and a poll or two are the reads of one stream
          assert.isBelow((yield* numberOf("svc_live_looks_total")) - before, 12)
        }))
        yield* until(numberOf("svc_live_streams"), (open) => open === 0)
        const before = yield* numberOf("svc_live_looks_total")
        yield* putTask(project.id, "a", "started")
        const again = yield* openStream(project.slug, token)
        yield* putTask(project.id, "b", "started")
        for (let { data } = yield* again.next; data.task_id !== "b";) data = (yield* again.next).data
        assert.isBelow((yield* numberOf("svc_live_looks_total")) - before, 10)
      }))

    it.scoped("all subscribers of a project get the same text", () =>
      Effect.gen(function*() {
        const live = yield* LiveTasks
        const project = yield* freshProject()
        const first = Stream.runHead(live.batches(project.id, null, Effect.never))
        const fibers = yield* Effect.replicateEffect(Effect.fork(first), 3)
        const exits = yield* until(
          Effect.zipRight(putTask(project.id, "a", "received"), Effect.forEach(fibers, Fiber.poll)),
          (exits) => exits.every(Option.isSome)
        )
        assert.strictEqual(exits.length, 3)
        const [one, two, three] = yield* Effect.forEach(fibers, (fiber) =>
          Effect.map(Fiber.join(fiber), Option.getOrThrow))
        assert.isTrue(one?.encoded === two?.encoded && two?.encoded === three?.encoded)
      }))

    it.scoped("a project without changes has a heartbeat every 10 to 15 s, also beside thousands of others", () =>
      Effect.gen(function*() {
        const live = yield* LiveTasks
        const project = yield* freshProject()
        const others = yield* Effect.replicateEffect(
          Ids.nextOf(ProjectId),
          isFullLane && engine === "SQLite" ? 2_000 : 0
        )
        yield* Effect.forEach(others, (id) => Effect.forkScoped(Stream.runDrain(live.batches(id, null, Effect.never))))
        const times: Array<number> = []
        yield* live.batches(project.id, null, Effect.never).pipe(
          Stream.runForEach(({ encoded }) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              assert.strictEqual(new TextDecoder().decode(encoded), "event: heartbeat\ndata: {}\n\n")
              times.push(now)
            })
          ),
          Effect.forkScoped
        )
        const pass = Effect.zipRight(TestClock.adjust("500 millis"), Effect.promise(() => setTimeout(5)))
        yield* Effect.repeat(pass, { until: () => times.length === 3 })
        const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
        for (const pause of pauses) assert.isTrue(pause >= 10_000 && pause <= 15_000, String(pauses))
      }).pipe(Effect.provide(LiveTasks.layer), Effect.provide(TestContext.TestContext)))

    it.scoped("a user has so many of them and no more, and so has the server", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const roles = { [project.id]: "viewer" } as const
        const [one, two, three] = [yield* freshKey({ roles }), yield* freshKey({ roles }), yield* freshKey({ roles })]
        yield* until(numberOf("svc_live_streams"), (open) => open === 0)
        const path = `/projects/${project.slug}/stream`
        yield* Effect.scoped(Effect.gen(function*() {
          yield* Effect.replicateEffect(openStream(project.slug, one.token), 15)
          const ofUser = yield* request("GET", path, one)
          assert.deepStrictEqual([ofUser.status, ofUser.json.code], [429, "rate_limited"])
          assert.include(ofUser.json.detail, "SVC_LIVE_STREAMS_PER_USER")
          yield* Effect.replicateEffect(openStream(project.slug, two.token), 5)
          const inAll = yield* request("GET", path, three)
          assert.deepStrictEqual([inAll.status, inAll.json.code], [503, "unavailable"])
        }))
        yield* until(numberOf("svc_live_streams"), (open) => open === 0)
        assert.strictEqual((yield* openStream(project.slug, one.token)).response.status, 200)
      }))

    it.scoped(
      "a stream that its client does not read holds a bounded number of bytes, and gets a reset once it is read",
      () =>
        Effect.gen(function*() {
          const { server } = yield* NodeServer
          const sockets = new Set<Socket>()
          server.on("connection", (socket: Socket) => sockets.add(socket))
          const project = yield* freshProject()
          const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
          const clients = yield* unread(project.slug, token, 3)
          const live = yield* openStream(project.slug, token)
          const ids = Array.from({ length: 500 }, (_, index) => `task-${index}-${"x".repeat(1800)}`)
          const bufferedBytes = () =>
            [...sockets].map(({ writableLength }) => writableLength).filter((bytes) => bytes > 0)
          let round = 0
          const change = Effect.fnUntraced(function*(taskIds: ReadonlyArray<string>) {
            yield* putTasks(project.id, taskIds, round++ % 2 === 0 ? "started" : "retry")
            const last = taskIds[taskIds.length - 1]
            while ((yield* live.next).data.task_id !== last);
          })
          while (bufferedBytes().length < 3) yield* change(ids) // until the kernel's buffers are full
          const before = bufferedBytes()
          assert.isBelow(Math.max(...before), 2_000_000, "one read")
          yield* Effect.replicateEffect(change(ids), 3)
          yield* Effect.replicateEffect(change(["small"]), 35) // more batches than are queued for a slow reader
          assert.deepStrictEqual(bufferedBytes(), before)
          const [client] = clients
          yield* Effect.async<void>((resume) => {
            let text = ""
            client?.on("data", (chunk) => {
              text += String(chunk)
              if (text.includes("event: reset")) resume(Effect.void)
              text = text.slice(-100)
            })
            client?.resume()
          })
        })
    )

    it.scoped.skipIf(engine === "SQLite")(
      "a change whose commit takes seconds is sent, also to a client that has left before",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const project = yield* freshProject()
          const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
          const isWritten = yield* Deferred.make<void>()
          const mayCommit = yield* Deferred.make<void>()
          const stream = yield* openStream(project.slug, token)
          const writing = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
            yield* putTask(project.id, "late", "received")
            yield* Deferred.succeed(isWritten, undefined)
            yield* Deferred.await(mayCommit)
          })))
          yield* Deferred.await(isWritten)
          yield* Effect.sleep("2 seconds")
          yield* putTask(project.id, "early", "received")
          const early = yield* stream.next
          assert.strictEqual(early.data.task_id, "early")
          yield* Deferred.succeed(mayCommit, undefined)
          yield* Fiber.join(writing)
          assert.strictEqual((yield* stream.next).data.task_id, "late")
          const again = yield* openStream(project.slug, token, early.id)
          const tasks = [(yield* again.next).data.task_id, (yield* again.next).data.task_id]
          assert.sameMembers(tasks, ["early", "late"])
        })
    )

    it.scoped.skipIf(engine === "SQLite")(
      "only transactions of the brain hold the commit horizon back",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const repo = yield* makeLiveTasksRepo
          const horizonDuring = Effect.fnUntraced(function*(applicationName: string) {
            const isWriting = yield* Deferred.make<void>()
            const mayEnd = yield* Deferred.make<void>()
            const begin = yield* Timestamp.now
            const writing = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
              yield* sql`SELECT set_config('application_name', ${applicationName}, true), pg_current_xact_id()`
              yield* Deferred.succeed(isWriting, undefined)
              yield* Deferred.await(mayEnd)
            })))
            yield* Deferred.await(isWriting)
            yield* Effect.sleep("1 second")
            const horizon = yield* repo.readCommitHorizon
            yield* Deferred.succeed(mayEnd, undefined)
            yield* Fiber.join(writing)
            return Timestamp.toEpochMillis(horizon ?? begin) - Timestamp.toEpochMillis(begin)
          })
          assert.isAbove(yield* horizonDuring("etl"), 900)
          assert.isBelow(yield* horizonDuring("svc"), 500)
          assert.isBelow(yield* horizonDuring(""), 500)
        })
    )

    it.scoped("a client that comes back again and again misses no change", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const states = ["received", "started", "retry", "success"]
        const ids = Array.from({ length: 120 }, (_, index) => `t${index}`)
        const newest = new Map<string, string>()
        const changes: Array<string> = []
        const first = yield* openStream(project.slug, token)
        yield* putTask(project.id, "first", "received")
        let { id } = yield* first.next
        const writing = yield* Effect.fork(Effect.forEach(states, (state) =>
          Effect.forEach(ids, (task) =>
            Effect.zipRight(putTask(project.id, task, state), Effect.sleep("2 millis")))))
        const isDone = () =>
          ids.every((task) => newest.get(task) === "success")
        while (!isDone()) {
          yield* Effect.scoped(Effect.gen(function*() {
            const stream = yield* openStream(project.slug, token, id)
            const start = id
            for (let count = 0; count < 25 && !isDone();) {
              const message = yield* stream.next
              if (message.id !== start) count++ // the others are sent again
              id = message.id
              assert.strictEqual(message.event, "task")
              const position = decodeChangePosition(message.id)
              changes.push(`${message.data.task_id} ${position?.updated_at}`)
              newest.set(message.data.task_id ?? "", message.data.state ?? "")
            }
          }))
        }
        yield* Fiber.join(writing)
        // several writers of PostgreSQL commit in another order than they stamp: there one second is sent again
        if (engine === "SQLite") assert.strictEqual(new Set(changes).size, changes.length)
        const sql = yield* SqlClient.SqlClient
        assert.deepEqual(
          yield* sql`SELECT DISTINCT state FROM tasks WHERE project_id = ${project.id} AND task_id <> 'first'`,
          [{ state: "success" }]
        )
      }))
  })
})
