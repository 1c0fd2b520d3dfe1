import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { createServer } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { defaultGrouping } from "../../../../src/domain/alerting/Notification/Hygiene.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { TriggerEvents } from "../../../../src/services/triggers/TriggerEvents.ts"
import { event, freshAgent } from "../../../agent.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { portOf } from "../../../ports.ts"
import { until } from "../../../until.ts"
import { eventOf, offerEvents } from "../../tasks/Ingest/world.ts"
import { insertChannel } from "./notifications.ts"

const failures = 10_000
const conditions = 20
const subscriptions = 1000
const hangingChannels = 100

/** Sends of one process (Dispatcher.ts). */
const maxSends = 256
const mebibyte = 1024 * 1024

const collectGarbage = () => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

const heapUsed = Effect.sync(() => {
  collectGarbage()
  return process.memoryUsage().heapUsed
})

/** Responds at once, except to `/hang`. */
const startReceiver = Effect.gen(function*() {
  let openConnections = 0
  let mostOpen = 0
  const server = createServer((request, response) => {
    request.resume()
    if (request.url !== "/hang") response.end()
  })
  server.on("connection", (socket) => {
    mostOpen = Math.max(mostOpen, ++openConnections)
    socket.on("close", () => openConnections--)
  })
  const port = yield* portOf(server)
  return { url: (path: string) => `http://127.0.0.1:${port}${path}`, mostOpen: () => mostOpen }
})

describe.each(engines)("a storm of failures on %s", (engine) => {
  const brain = brainOn(engine, { webhookAllowHttp: true, outboundAllowCidrs: ["127.0.0.1:*"] })
  layer(brain, { excludeTestServices: true })((it) => {
    it.scoped(
      "is counted for 1 000 subscriptions while 100 channels hang, and holds no memory",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const receiver = yield* startReceiver
          const project = yield* freshProject()
          const { agent_id } = yield* freshAgent(project)
          const now = yield* Timestamp.now
          const healthy = yield* insertChannel({ projectId: project.id, name: "healthy", url: receiver.url("/") })
          const hanging = yield* Effect.forEach(
            Arr.range(1, hangingChannels),
            (at) => insertChannel({ projectId: project.id, name: `hang ${at}`, url: receiver.url("/hang") })
          )
          // the first ones are for all failures and have a channel each, the others are for one condition
          const channels = [healthy, ...hanging]
          const rows = yield* Effect.forEach(Arr.range(1, subscriptions), (number, at) =>
            Effect.map(Ids.next, (id) => ({
              id,
              project_id: project.id,
              user_id: null,
              trigger_key: "task.failed",
              filters: JSON.stringify({ task_name: at < channels.length ? "shop.*" : `*.step${number % conditions}` }),
              in_app: 0,
              cooldown_seconds: 0,
              grouping: JSON.stringify({ ...defaultGrouping, wait_seconds: 0 }),
              hygiene: JSON.stringify({ notify_recovery: true, send_hours: null, escalate_after_minutes: null }),
              is_active: 1,
              created_at: now,
              updated_at: now
            })))
          const links = channels.map(({ id }, at) => ({
            subscription_id: rows[at]?.id ?? "",
            channel_id: id,
            purpose: "message"
          }))
          yield* sql.withTransaction(Effect.gen(function*() {
            for (const some of Arr.chunksOf(rows, 100)) yield* sql`INSERT INTO subscriptions ${sql.insert(some)}`
            yield* sql`INSERT INTO subscription_channels ${sql.insert(links)}`
            yield* (yield* TriggerEvents).bumpRevision(project.id)
          }))

          const before = yield* heapUsed
          const source = { projectId: project.id, agentId: agent_id as never } // the id of an agent
          const sendFrame = (numbers: ReadonlyArray<number>) => {
            const events = numbers.map((number) => {
              const data = {
                task_name: `shop.step${number % conditions}`,
                exception: "ValueError: no order",
                worker: "w"
              }
              return eventOf(event({ kind: "task.failed", task_id: `t${number}`, data: { ...data, queue: "celery" } }))
            })
            return offerEvents(source, events)
          }
          const outcomes = yield* Effect.forEach(Arr.chunksOf(Arr.range(1, failures), 100), sendFrame, {
            concurrency: 32
          })
          assert.isTrue(outcomes.every(({ rejected }) => rejected === 0))
          const counted = sql<{ alerts: number; occurrences: number }>`
          SELECT CAST(count(*) AS INTEGER) AS alerts, CAST(sum(occurrences) AS INTEGER) AS occurrences FROM alerts
          WHERE project_id = ${project.id}`
          const forOne = subscriptions - channels.length
          const expected = {
            alerts: channels.length * conditions + forOne,
            occurrences: channels.length * failures + forOne * (failures / conditions)
          }
          yield* until(counted, ([row]) => row?.occurrences === expected.occurrences)
          assert.deepStrictEqual(yield* counted, [expected])

          // one message of each condition to each channel: the healthy one gets its own while the others wait
          const ofHealthy = sql<{ status: string }>`SELECT status FROM deliveries WHERE channel_id = ${healthy.id}`
          const sent = yield* until(
            ofHealthy,
            (all) => all.length >= conditions && all.every(({ status }) => status === "sent")
          )
          assert.lengthOf(sent, conditions)
          const waiting = yield* sql`
          SELECT id FROM deliveries WHERE project_id = ${project.id} AND status = 'pending'`
          assert.lengthOf(waiting, hangingChannels * conditions)
          assert.isAtMost(receiver.mostOpen(), maxSends)
          assert.isBelow((yield* heapUsed) - before, 64 * mebibyte)
        })
    )
  })
})
