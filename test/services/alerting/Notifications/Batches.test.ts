import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer } from "effect"
import { createServer } from "node:http"
import type { Project } from "../../../../src/domain/kernel/Project.ts"
import * as Brain from "../../../../src/layers/Brain.ts"
import { Deliveries } from "../../../../src/services/alerting/Deliveries.ts"
import { Settings } from "../../../../src/services/kernel/Settings.ts"
import { freshProject } from "../../../brain.ts"
import { engines, settingsOn } from "../../../databases.ts"
import { portOf } from "../../../ports.ts"
import { until } from "../../../until.ts"
import { insertChannel, notificationOf } from "./notifications.ts"

/** Deliveries of one batch that are sent at once (interface, Limits). */
const most = 16

/** A receiver that counts its open requests. It responds to `/slow` after 500 ms, and to `/hang` never. */
const startReceiver = Effect.gen(function*() {
  const openRequests = new Map<string, number>()
  const mostOpen = new Map<string, number>()
  let requests = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    requests++
    const now = (openRequests.get(path) ?? 0) + 1
    openRequests.set(path, now)
    mostOpen.set(path, Math.max(now, mostOpen.get(path) ?? 0))
    request.resume()
    response.on("close", () => openRequests.set(path, (openRequests.get(path) ?? 1) - 1))
    if (path.startsWith("/slow")) setTimeout(() => response.end(), 500)
    else if (!path.startsWith("/hang")) response.end()
  })
  const port = yield* portOf(server)
  return {
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    mostOpen: (path: string) => mostOpen.get(path) ?? 0,
    requests: () => requests
  }
})

type Channel = Effect.Effect.Success<ReturnType<typeof insertChannel>>

const enqueue = (project: Project, channels: ReadonlyArray<Channel>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const deliveries = yield* Deliveries
    const notification = yield* notificationOf({
      project: { id: project.id, slug: project.slug, name: project.name }
    })
    const rows = channels.map((channel) => ({
      project_id: project.id,
      user_id: null,
      subscription_id: null,
      channel,
      notification
    }))
    return yield* sql.withTransaction(deliveries.enqueue(rows))
  })

const statusesOf = (project: Project) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ status: string }>`SELECT status FROM deliveries WHERE project_id = ${project.id}`,
      (rows) => rows.map(({ status }) => status)
    ))

const channelsAt = (project: Project, count: number, url: string) =>
  Effect.forEach(Arr.range(1, count), (at) => insertChannel({ projectId: project.id, name: `c${at}`, url }))

/** Brains over one database: SQLite serves one, PostgreSQL any number. */
const brains = (count: number) =>
  Effect.gen(function*() {
    const settings = yield* Settings
    const brain = Layer.build(Layer.fresh(Layer.provideMerge(Brain.layer, Layer.succeed(Settings, settings))))
    return yield* Effect.forEach(Arr.range(1, count), () => brain)
  })

describe.each(engines)("deliveries of one batch of events on %s", (engine) => {
  const settings = settingsOn(engine, { webhookAllowHttp: true, outboundAllowCidrs: ["127.0.0.1:*"] })
  layer(settings, { excludeTestServices: true })((it) => {
    it.scoped("are sent at most 16 at once, by all replicas together, and all of them", () =>
      Effect.gen(function*() {
        const [first] = yield* brains(engine === "PostgreSQL" ? 3 : 1)
        if (first === undefined) return yield* Effect.dieMessage("no brain")
        yield* Effect.gen(function*() {
          const receiver = yield* startReceiver
          const project = yield* freshProject()
          const channels = yield* channelsAt(project, 30, receiver.url("/slow"))
          yield* enqueue(project, [...channels, ...channels, ...channels])
          const statuses = yield* until(statusesOf(project), (all) => all.every((status) => status === "sent"))
          assert.lengthOf(statuses, 90)
          assert.strictEqual(receiver.requests(), 90)
          assert.isAtMost(receiver.mostOpen("/slow"), most)
          assert.isAbove(receiver.mostOpen("/slow"), most / 2, "nor one by one")
        }).pipe(Effect.provide(first))
      }))

    it.scoped("wait for none of another batch, whose channels hang", () =>
      Effect.gen(function*() {
        const [first] = yield* brains(1)
        if (first === undefined) return yield* Effect.dieMessage("no brain")
        yield* Effect.gen(function*() {
          const receiver = yield* startReceiver
          const hanging = yield* freshProject()
          yield* enqueue(hanging, yield* channelsAt(hanging, 40, receiver.url("/hang")))
          yield* until(Effect.sync(() => receiver.mostOpen("/hang")), (count) => count === most)
          const project = yield* freshProject()
          yield* enqueue(project, yield* channelsAt(project, 40, receiver.url("/ok")))
          yield* until(statusesOf(project), (all) => all.every((status) => status === "sent"))
          assert.include(yield* statusesOf(hanging), "pending")
          assert.strictEqual(receiver.mostOpen("/hang"), most)
        }).pipe(Effect.provide(first))
      }))
  })
})
