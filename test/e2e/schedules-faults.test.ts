import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { connected } from "../agent.ts"
import { migratedPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { type BrainProcess, signedIn, siteOf } from "./brainProcess.ts"

const schedules = 10

/** Longer than the lease of the fire loop, 10 s. */
const frozenSeconds = 13

const connect = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

describe("schedules with two brains over one PostgreSQL", () => {
  it.scopedLive(
    "kill -9 and SIGSTOP of the process that fires (redbeat 201, 208, 218, 238): each tick has one row, and each fire ends",
    () =>
      Effect.gen(function*() {
        const { url } = yield* migratedPostgres
        const shared = yield* siteOf(inject("program"), {
          SVC_DATABASE_URL: url,
          SVC_SCHEDULE_CATCH_UP_MAX: "1000",
          SVC_SCHEDULE_REPLAY_PER_SECOND: "1000"
        })
        const client = yield* connect(url)
        const brains = [yield* shared.brain, yield* shared.brain] as const
        const callAt = yield* signedIn(brains[0])
        const path = "/projects/default/schedules"
        for (let index = 0; index < schedules; index++) {
          const { json, status } = yield* callAt(brains[0])("POST", path, {
            name: `every second ${index}`,
            engine: "celery",
            kind: "interval",
            expression: "1",
            task_name: "shop.tick",
            catch_up: "fire_all_missed"
          })
          assert.strictEqual(status, 201, JSON.stringify(json))
        }
        const count = Effect.promise(async () =>
          Number((await client.query("SELECT count(*) AS n FROM schedule_fires")).rows[0].n)
        )
        const leader: Effect.Effect<BrainProcess | undefined> = Effect.promise(async () => {
          const { rows } = await client.query("SELECT holder FROM leases WHERE name = 'schedules'")
          return brains.find((brain) => rows[0]?.holder.endsWith(`:${brain.pid()}`))
        })
        const awaitFires = Effect.gen(function*() {
          const before = yield* count
          yield* until(count, (after) => after > before)
        })

        const first = yield* until(leader, (brain) => brain !== undefined)
        yield* awaitFires
        yield* first?.kill ?? Effect.void
        const second = yield* until(leader, (brain) => brain !== undefined && brain !== first)
        yield* awaitFires
        yield* first?.start ?? Effect.void
        const frozenPid = second?.pid() ?? 0
        yield* second?.freeze ?? Effect.void
        yield* until(leader, (brain) => brain === first)
        yield* Effect.sleep(`${frozenSeconds} seconds`) // the frozen process resumes past its lease
        process.kill(frozenPid, "SIGCONT")
        yield* awaitFires
        yield* first?.kill ?? Effect.void
        yield* until(leader, (brain) => brain === second)
        yield* awaitFires

        const alive = second ?? brains[1]
        const call = callAt(alive)
        const { json: { items } } = yield* call("GET", path)
        assert.lengthOf(items, schedules)
        for (const { id } of items) yield* call("POST", `${path}/${id}/disable`)
        for (const { id, name } of items) {
          const { rows } = yield* Effect.promise(() =>
            client.query("SELECT scheduled_for FROM schedule_fires WHERE schedule_id = $1 ORDER BY scheduled_for", [id])
          )
          const seconds = rows.map((row) => Date.parse(row.scheduled_for) / 1000)
          assert.isAbove(seconds.length, 2 * frozenSeconds)
          const [start = 0] = seconds
          assert.deepStrictEqual(seconds, seconds.map((_, index) => start + index), name)
        }
        // waiting fires of a disabled schedule are stale, so these are sent to an agent
        for (const { id } of items) yield* call("POST", `${path}/${id}/enable`)
        const created = yield* call("POST", "/projects/default/agents", { name: "celery" })
        const agent = yield* connected({
          base: alive.url,
          token: created.json.token,
          hmac_secret: created.json.hmac_secret,
          hello: { engines: ["celery"], capabilities: { celery: ["submit_task"] }, worker_role: "task" }
        })
        agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: { task_id: "t" } })
        yield* Effect.sleep("2 seconds")
        for (const { id } of items) yield* call("POST", `${path}/${id}/disable`)
        const countOpenFires = Effect.promise(async () =>
          Number(
            (await client.query(
              "SELECT count(*) AS n FROM schedule_fires WHERE status IN ('pending', 'accepted', 'delivered', 'buffered')"
            )).rows[0].n
          )
        )
        yield* until(countOpenFires, (n) => n === 0)
        const { rows } = yield* Effect.promise(() =>
          client.query("SELECT count(*) AS n FROM schedule_fires WHERE status = 'acked_success'")
        )
        assert.isAbove(Number(rows[0].n), 0)
      })
  )
})
