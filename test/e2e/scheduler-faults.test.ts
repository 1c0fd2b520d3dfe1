import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import pg from "pg"
import { inject } from "vitest"
import { connectAgent, type ReceivedCommand } from "../agent.ts"
import { freePort } from "../ports.ts"
import { migratedPostgres } from "../postgres.ts"
import { seed } from "../properties.ts"
import { until } from "../until.ts"
import { signedIn, siteOf } from "./brainProcess.ts"
import { certificates, schedulerProcess } from "./schedulerProcess.ts"

const schedules = 5
const path = "/projects/default/schedules"

/** SVC_TEST_SCHEDULER_FAULT_SECONDS runs it for longer. */
const faultSeconds = Number(process.env.SVC_TEST_SCHEDULER_FAULT_SECONDS ?? 25)

/** Longer than the lease of a scheduler, and than that of the brains' loop, 10 s each. */
const frozenSeconds = 12

interface Victim {
  readonly kill: Effect.Effect<void>
  readonly start: Effect.Effect<void>
  readonly freeze: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
}

const connect = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

/** Kills and freezes the victims one after the other, and has all of them running at the end. */
const disturb = (victims: ReadonlyArray<Victim>, first: number) =>
  Effect.gen(function*() {
    let random = first
    const next = (below: number): number => {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor(random / 65_536) % below
    }
    const endsAt = Date.now() + faultSeconds * 1000
    for (let round = 0; Date.now() < endsAt; round++) {
      const victim = victims[next(victims.length)]
      if (victim === undefined) return
      yield* Effect.sleep(500 + next(2500))
      if (round % 4 === 1) {
        yield* victim.freeze
        yield* Effect.sleep(`${frozenSeconds} seconds`)
        yield* victim.resume
      } else {
        yield* victim.kill
        yield* Effect.sleep(next(4000))
        yield* victim.start
      }
    }
  })

describe("two brains and svc-scheduler on PostgreSQL", () => {
  for (const embedded of ["false", "true"]) {
    it.scopedLive(
      `kill -9 and SIGSTOP of each at random: each tick has one row and each fire ends (SVC_EMBEDDED_SCHEDULER=${embedded})`,
      () =>
        Effect.gen(function*() {
          const { url } = yield* migratedPostgres
          const client = yield* connect(url)
          const files = yield* certificates
          const site = yield* siteOf(inject("program"), {
            ...files.brain,
            SVC_DATABASE_URL: url,
            SVC_EMBEDDED_SCHEDULER: embedded,
            SVC_COMMAND_TIMEOUT_SECONDS: "15",
            SVC_SCHEDULE_CATCH_UP_MAX: "1000",
            SVC_SCHEDULE_REPLAY_PER_SECOND: "1000"
          })
          const ports = [yield* freePort, yield* freePort] as const
          const brains = [
            yield* site.brainWith({ SVC_SCHEDULER_GRPC_PORT: String(ports[0]) }),
            yield* site.brainWith({ SVC_SCHEDULER_GRPC_PORT: String(ports[1]) })
          ] as const
          const call = (yield* signedIn(brains[0]))(brains[0])
          for (let index = 0; index < schedules; index++) {
            const { json, status } = yield* call("POST", path, {
              name: `every second ${index}`,
              engine: "celery",
              kind: "interval",
              expression: "1",
              task_name: "shop.tick",
              catch_up: "fire_all_missed"
            })
            assert.strictEqual(status, 201, JSON.stringify(json))
          }
          const scheduler = yield* schedulerProcess({
            ...files.scheduler,
            SVC_SCHEDULER_BRAIN: ports.map((port) => `127.0.0.1:${port}`).join(","),
            SVC_SCHEDULE_CATCH_UP_MAX: "1000"
          })

          // an agent that comes back to whichever brain is there
          const commandsOf = new Map<string, Set<string>>()
          const { json: credentials } = yield* call("POST", "/projects/default/agents", { name: "celery" })
          const serveOnce = async (base: string) => {
            const agent = await connectAgent({
              base,
              token: credentials.token,
              hmac_secret: credentials.hmac_secret,
              hello: { engines: ["celery"], capabilities: { celery: ["submit_task"] }, worker_role: "task" }
            })
            const take = (command: ReceivedCommand) => {
              const fireId = String(command.parameters.fire_id)
              commandsOf.set(fireId, (commandsOf.get(fireId) ?? new Set()).add(command.id))
              agent.sendResult(command, { status: "success", result: { task_id: fireId } })
            }
            agent.commands.forEach(take)
            agent.onCommand = take
            // on a busy machine no fire comes for longer than an agent may be silent
            const beat = setInterval(() => agent.heartbeat(), 5000)
            await agent.closed
            clearInterval(beat)
          }
          yield* Effect.forkScoped(Effect.forever(
            Effect.forEach(brains, (brain) =>
              Effect.zipRight(
                Effect.ignore(Effect.tryPromise(() => serveOnce(brain.url))),
                Effect.sleep("200 millis")
              ))
          ))

          const torments = yield* Effect.forEach(
            [disturb(brains, seed), disturb([scheduler], seed + 1)],
            (one) => Effect.fork(one)
          )
          yield* Effect.forEach(torments, Fiber.join)
          yield* until(
            scheduler.status,
            ({ connected, waiting_fires }) => connected && waiting_fires < schedules * 2,
            "3 minutes"
          )
          // each schedule has caught up
          const behind = Effect.promise(async () => {
            const { rows } = await client.query("SELECT min(next_run_at) AS next FROM schedules")
            return Date.now() - Date.parse(rows[0].next)
          })
          yield* until(behind, (millis) => millis < 2000)

          const { json: { items } } = yield* call("GET", path)
          const countOpenFires = Effect.promise(async () => {
            const { rows } = await client.query(
              "SELECT count(*) AS n FROM schedule_fires WHERE status IN ('pending', 'accepted', 'delivered', 'buffered')"
            )
            return Number(rows[0].n)
          })
          for (const { id } of items) yield* call("POST", `${path}/${id}/disable`)
          yield* until(countOpenFires, (n) => n === 0)
          for (const { id, name } of items) {
            const { rows } = yield* Effect.promise(() =>
              client.query("SELECT scheduled_for FROM schedule_fires WHERE schedule_id = $1 ORDER BY scheduled_for", [
                id
              ])
            )
            const seconds = rows.map((row) => Date.parse(row.scheduled_for) / 1000)
            const [start = 0] = seconds
            assert.isAbove(seconds.length, faultSeconds)
            assert.deepStrictEqual(seconds, seconds.map((_, index) => start + index), name)
          }
          const { rows } = yield* Effect.promise(() =>
            client.query("SELECT status, count(*) AS n FROM schedule_fires GROUP BY status")
          )
          const counts = Object.fromEntries(rows.map(({ n, status }) => [status, Number(n)]))
          assert.isAbove(counts.acked_success ?? 0, faultSeconds, JSON.stringify(counts))
          for (const [fireId, commands] of commandsOf) assert.strictEqual(commands.size, 1, fireId)
        }),
      faultSeconds * 1000 + 420_000
    )
  }
})
