import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Array as Arr, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import pg from "pg"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { event } from "../agent.ts"
import { type Engine, engines } from "../databases.ts"
import { seed } from "../properties.ts"
import { until } from "../until.ts"
import { type BrainProcess, type Call, signedIn, type Site } from "./brainProcess.ts"
import { moodyReceiver, type Post, randomOf } from "./notifications/receiver.ts"
import { site } from "./site.ts"
import { type Batch, streaming } from "./streaming.ts"

const tasks = 480
const conditions = 3
const batchSize = 10
const kills = 4

/** Of the subscription with grouping: the shortest that there is. */
const intervalSeconds = 10

const base = "/projects/default/notifications"

/** Settings of a brain that may send to receivers of this machine over plain http. */
const toLoopback = { SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true", SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8:*" }

const conditionOf = (index: number) => `shop.step${index % conditions}`

const batchOf = (events: Batch["events"]): Batch => ({ id: `ev_${randomUUID().replaceAll("-", "")}`, events })

const failures = (): ReadonlyArray<Batch> => {
  const all = Array.from({ length: tasks }, (_, index) => {
    const data = { exception: "ValueError: no order", task_name: conditionOf(index), queue: "celery", worker: "w@box" }
    return event({ kind: "task.failed", task_id: `t${index}`, data })
  })
  return Arr.chunksOf(all, batchSize).map(batchOf)
}

/** A task of each condition that begins now and succeeds. */
const successes = (): Batch => {
  const at = (millis: number) => Timestamp.fromEpochMicros((Date.now() + millis) * 1000)
  return batchOf(
    Array.from({ length: conditions }, (_, index) => {
      const data = { task_name: conditionOf(index), queue: "celery", worker: "w@box" }
      const task_id = `well${index}`
      return [
        event({ kind: "task.received", task_id, occurred_at: at(0), data: { ...data, args: [], kwargs: {} } }),
        event({ kind: "task.started", task_id, occurred_at: at(1), data }),
        event({ kind: "task.succeeded", task_id, occurred_at: at(2), data: { ...data, result: 1, runtime_ms: 1 } })
      ]
    }).flat()
  )
}

/** Runs a statement with at most one value, `?1`, on the database of brains from outside. */
const databaseOf = (engine: Engine, { env }: Site) => {
  const run = async (statement: string, value?: string): Promise<ReadonlyArray<unknown>> => {
    const values = value === undefined ? [] : [value]
    if (engine === "SQLite") {
      const db = new BetterSqlite3(join(env.SVC_HOME ?? "", "svc.db"))
      const prepared = db.prepare(statement)
      const bound = values.map((value) => ({ 1: value }))
      const rows = prepared.reader ? prepared.all(...bound) : (prepared.run(...bound), [])
      db.close()
      return rows
    }
    const client = new pg.Client({ connectionString: env.SVC_DATABASE_URL })
    await client.connect()
    const { rows } = await client.query(statement.replaceAll("?", "$$"), values)
    await client.end()
    return rows
  }
  return (statement: string, value?: string) => Effect.promise(() => run(statement, value))
}

const created = (call: Call, path: string, body: object) =>
  Effect.map(call("POST", `${base}${path}`, body), ({ json, status }) => {
    assert.strictEqual(status, 201, JSON.stringify(json))
    return String(json.id)
  })

const subscribe = (call: Call, url: string, settings: object) =>
  Effect.gen(function*() {
    const channel = yield* created(call, "/channels", { name: url, type: "webhook", config: { url } })
    yield* created(call, "/defaults", {
      trigger: "task.failed",
      in_app: false,
      project_channel_ids: [channel],
      ...settings
    })
    return channel
  })

interface DeliveryRow {
  readonly id: string
  readonly task_id: string
  readonly status: string
  readonly attempts: number
}

const idsOf = (posts: ReadonlyArray<Post>): ReadonlyArray<string> => [...new Set(posts.map(({ id }) => id))].sort()

describe.each(engines)("notifications of a storm of failures on %s", (engine) => {
  const replicas = engine === "SQLite" ? 1 : 2
  it.scopedLive(
    `kill -9 of ${replicas === 1 ? "the brain" : "two brains"} at random: each failure arrives, under one id`,
    () =>
      Effect.gen(function*() {
        const random = randomOf(seed)
        const receiver = yield* moodyReceiver(random)
        const place = yield* site(engine, toLoopback)
        const query = databaseOf(engine, place)
        const brains = yield* Effect.replicateEffect(place.brain, replicas)
        const [first] = brains
        if (first === undefined) return assert.fail()
        const call = (yield* signedIn(first))(first)
        const single = yield* subscribe(call, `${receiver.url}/single`, { grouping: null, notify_recovery: false })
        const grouped = yield* subscribe(call, `${receiver.url}/grouped`, {
          grouping: { wait_seconds: 1, interval_seconds: intervalSeconds, repeat_seconds: 60 }
        })
        const { json: credentials } = yield* call("POST", "/projects/default/agents", { name: "celery" })
        const urls = brains.map(({ url }) => url)
        const storm = yield* streaming(credentials, urls, failures(), 2)

        const killAny = Effect.suspend(() => {
          const victim: BrainProcess | undefined = brains[Math.floor(random() * replicas)]
          if (victim === undefined) return Effect.void
          return victim.kill.pipe(Effect.zipRight(Effect.sleep(random() * 300)), Effect.zipRight(victim.start))
        })
        // half of the kills while failures come in, the others while their messages go out
        const placesOf = (count: number, length: number) =>
          Array.from({ length: count }, (_, index) => Math.floor(((index + random()) / count) * length * 0.8))
        for (const acked of placesOf(kills / 2, tasks / batchSize)) {
          yield* Effect.promise(() => storm.streamer.when(acked))
          yield* killAny
        }
        for (const posted of placesOf(kills / 2, tasks)) {
          yield* until(Effect.sync(() => receiver.posts.length), (count) => count >= posted)
          yield* killAny
        }
        yield* Effect.promise(() => storm.done)
        const recovery = yield* streaming(credentials, urls, [successes()], 1)
        yield* Effect.promise(() => recovery.done)
        const endedAt = Date.now()
        const free = Effect.map(
          query("SELECT id FROM deliveries WHERE claimed_until IS NULL AND status = 'pending'"),
          ({ length }) => length
        )
        yield* until(free, (count) => count === 0)
        // a condition has recovered when nothing failed for its interval
        yield* until(Effect.sync(() => Date.now() - endedAt), (millis) => millis > intervalSeconds * 1000)
        const pending = yield* query("SELECT id FROM deliveries WHERE status = 'pending'")

        // what dead brains claimed waits for the end of a lease of 60 s: as if all brains had been away for so long
        yield* Effect.forEach(brains, (brain) => brain.kill)
        const now = Timestamp.fromEpochMicros(Date.now() * 1000)
        yield* query("UPDATE deliveries SET due_at = ?1, claimed_until = ?1 WHERE claimed_until IS NOT NULL", now)
        yield* query("UPDATE alerts SET due_at = ?1 WHERE due_at IS NOT NULL", now)
        yield* Effect.forEach(brains, (brain) => brain.start, { concurrency: 2 })

        const rowsOf = (channel: string) =>
          Effect.map(
            query("SELECT id, task_id, status, attempts FROM deliveries WHERE channel_id = ?1", channel),
            (rows) => rows as ReadonlyArray<DeliveryRow> // the columns of the statement
          )
        const ended = (channel: string) =>
          until(rowsOf(channel), (all) => all.length > 0 && all.every(({ status }) => status !== "pending"))
        const rows = yield* ended(single)
        const recovered = () => receiver.posts.filter(({ isAccepted, kind }) => isAccepted && kind === "recovered")
        yield* until(Effect.sync(recovered), (posts) => idsOf(posts).length >= conditions)

        const posts = receiver.posts.filter(({ path }) => path === "/single")
        assert.strictEqual(rows.length, tasks)
        assert.strictEqual(new Set(rows.map(({ task_id }) => task_id)).size, tasks)
        assert.deepStrictEqual(rows.filter(({ status }) => status !== "sent"), [])
        assert.deepStrictEqual(idsOf(posts.filter(({ isAccepted }) => isAccepted)), rows.map(({ id }) => id).sort())
        assert.deepStrictEqual(idsOf(posts).length, tasks)
        const taskOf = new Map(rows.map(({ id, task_id }) => [id, task_id]))
        assert.deepStrictEqual(posts.filter(({ id, taskId }) => taskOf.get(id) !== taskId), [])

        // each condition is one alert, whose messages say in the end how many there were
        const messages = receiver.posts.filter(({ path }) => path === "/grouped")
        const byAlert = Object.values(Arr.groupBy(messages, ({ alertId }) => alertId))
        assert.strictEqual(byAlert.length, conditions)
        for (const alertPosts of byAlert) {
          const idsOfKind = (kind: string) => idsOf(alertPosts.filter((post) => post.kind === kind))
          assert.lengthOf(idsOfKind("alert"), 1)
          assert.lengthOf(idsOfKind("recovered"), 1)
          assert.strictEqual(alertPosts.at(-1)?.kind, "recovered")
        }
        const occurrenceCounts = byAlert.map((alertPosts) => alertPosts.at(-1)?.occurrences ?? 0)
        assert.deepStrictEqual(occurrenceCounts, occurrenceCounts.map(() => tasks / conditions))
        assert.deepStrictEqual((yield* ended(grouped)).filter(({ status }) => status !== "sent"), [])

        const accepted = receiver.posts.filter(({ isAccepted }) => isAccepted)
        const duplicates = accepted.length - idsOf(accepted).length
        process.stdout.write(
          `${engine}, seed ${seed}: ${kills + replicas} kills, ${pending.length} deliveries left claimed at the end, ` +
            `${idsOf(receiver.posts).length} deliveries in ${receiver.posts.length} posts, of which ` +
            `${receiver.posts.length - accepted.length} were refused; ${duplicates} accepted twice, none lost\n`
        )
      })
  )
})
