import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { freshKey, request, serverOn } from "../brain.ts"
import { makePki, type Pki } from "../grpc/pki.ts"
import { has } from "../needs.ts"
import { freePort } from "../ports.ts"
import { succeed, world } from "../services/schedules/world.ts"
import { until } from "../until.ts"
import { startProgram } from "./childProgram.ts"
import { virtualEnvironment } from "./virtualEnvironment.ts"

const ready = await has("Python", "OpenSSL")

class Site extends Context.Tag("test/Site")<Site, {
  readonly pki: Pki
  readonly port: number
  /** The folder of the scheduler's program. */
  readonly bin: string
}>() {}

/** A brain on SQLite that fires nothing itself and serves schedulers. */
const site = Layer.unwrapScoped(Effect.gen(function*() {
  const pki = yield* makePki
  const port = yield* freePort
  const bin = yield* virtualEnvironment("scheduler", join(import.meta.dirname, "scheduler/requirements.txt"))
  return Layer.merge(
    serverOn("SQLite", { ...pki.settings(port), embeddedScheduler: false, scheduleGraceSeconds: 15 }),
    Layer.succeed(Site, { pki, port, bin })
  )
}))

/** The published z4j-scheduler, unchanged, until the scope ends. */
const startScheduler = (name: string) =>
  Effect.gen(function*() {
    const { bin, pki, port } = yield* Site
    const { cert, key } = yield* pki.authority.client(name)
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      PYTHONDONTWRITEBYTECODE: "1",
      Z4J_SCHEDULER_BRAIN_GRPC_URL: `127.0.0.1:${port}`,
      Z4J_SCHEDULER_BRAIN_REST_URL: "http://127.0.0.1:1", // not used by `serve`
      Z4J_SCHEDULER_TLS_CERT: cert,
      Z4J_SCHEDULER_TLS_KEY: key,
      Z4J_SCHEDULER_TLS_CA: pki.authority.cert,
      Z4J_SCHEDULER_BIND_HOST: "127.0.0.1",
      Z4J_SCHEDULER_BIND_PORT: String(yield* freePort),
      Z4J_SCHEDULER_ON_TIME_GRACE_SECONDS: "5",
      Z4J_SCHEDULER_INSTANCE_ID: name
    }
    return yield* startProgram(join(bin, "z4j-scheduler"), ["serve"], { env })
  })

describe.skipIf(!ready)("the published z4j-scheduler, unchanged", () => {
  layer(site, { excludeTestServices: true, timeout: "5 minutes" })((it) => {
    it.scoped(
      "negotiates, takes the snapshot, watches, fires, and learns of changes and deletions",
      () =>
        Effect.gen(function*() {
          const { call, connect, create, fires, project } = yield* world
          yield* connect(succeed)
          const early = yield* create({ name: "early", expression: "2", kwargs: { name: "Zoë 🎉" } })
          yield* create({ name: "Übermorgen ☕", kind: "cron", expression: "15 30 2 * * *", timezone: "Europe/Berlin" })
          yield* create({ name: "once", kind: "clocked", expression: "2190-01-01T00:00:00Z" })
          yield* create({ name: "paused", expression: "7" }).pipe(
            Effect.tap(({ id }) => call("POST", `/${id}/pause`))
          )
          const { log } = yield* startScheduler("z4j-1")
          const acked = (id: string, count: number) =>
            until(fires(id), (rows) => rows.filter(({ status }) => status === "acked_success").length >= count)
          yield* Effect.tapError(acked(early.id, 3), () => Effect.sync(() => console.error(log())))

          // it knows no leases, and fires all the same
          const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
          const { json: fleet } = yield* until(
            request("GET", "/schedulers", { token }),
            ({ json }) => json.schedulers[0].info.firing > 0
          )
          assert.strictEqual(fleet.schedulers[0].ok, true)
          assert.deepInclude(fleet.schedulers[0].info.programs[0], { name: "z4j-1", state: "firing" })

          const late = yield* create({ name: "late", expression: "3" })
          yield* acked(late.id, 2)
          yield* call("PATCH", `/${late.id}`, { expression: "86400" })
          const soon = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3000).toISOString()
          const once = yield* create({ name: "soon", kind: "clocked", expression: soon })
          const [fired] = yield* acked(once.id, 1)
          assert.strictEqual(Date.parse(fired!.scheduled_for), Date.parse(soon))
          yield* call("DELETE", `/${early.id}`)
          const { json: shown } = yield* call("GET", `/${once.id}`)
          assert.strictEqual(shown.next_run_at, null)
          assert.strictEqual(shown.total_runs, 1)

          const again = yield* create({ name: "again", expression: "1" })
          yield* acked(again.id, 3) // the watch continues after the deletion and the exhausted schedule
          assert.notMatch(log(), /protocol|conflict|malformed|mismatch/i)
          const ticks = (yield* fires(again.id)).map((row) => row.scheduled_for)
          assert.strictEqual(new Set(ticks).size, ticks.length)
          yield* call("POST", `/${again.id}/disable`)
        })
    )

    it.scoped(
      "moves the cursor past missed ticks, and puts a schedule that it cannot read into quarantine",
      () =>
        Effect.gen(function*() {
          const { call, connect, create, fires, misfires, rewind } = yield* world
          yield* connect(succeed)
          const skipped = yield* create({ name: "skipped", expression: "3600", catch_up: "skip" })
          const tick = yield* rewind(skipped.id, 3 * 3600)
          const unread = yield* create({ name: "unread", kind: "cron", expression: "0 0 L-2 * *" })
          yield* rewind(unread.id, 40 * 86_400)
          const { log } = yield* startScheduler("z4j-2")
          const show = (id: string) => Effect.map(call("GET", `/${id}`), ({ json }) => json)
          const moved = yield* Effect.tapError(
            until(show(skipped.id), (schedule) => schedule.next_run_at > new Date().toISOString()),
            () => Effect.sync(() => console.error(log()))
          )
          assert.strictEqual(moved.last_run_at, null)
          assert.lengthOf(yield* fires(skipped.id), 0)
          const [misfire] = yield* misfires(skipped.id)
          assert.strictEqual(misfire.expected_fire_at, tick)
          assert.isAtLeast(misfire.slots, 2)
          const quarantined = yield* Effect.tapError(
            until(show(unread.id), (schedule) => schedule.quarantined_at !== null),
            () => Effect.sync(() => console.error(log()))
          )
          assert.notStrictEqual(quarantined.quarantine_code, "")
          assert.lengthOf(yield* fires(unread.id), 0)
        })
    )
  })
})
