import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect, Schema, type Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { temporaryHome } from "../databases.ts"
import { until } from "../until.ts"
import { serving, svc } from "./svc.ts"

const Env = Schema.Struct({ SVC_URL: Schema.String, SVC_API_KEY: Schema.String, SVC_DEMO_AGENT: Schema.String })

/** A demo on a free port, its history filled in. */
const demo = (home: string) =>
  Effect.gen(function*() {
    const running = yield* serving({ HOME: home, SVC_PUBLIC_URL: "http://127.0.0.1:9" }, ["--demo"]) // of another brain, where it must not go
    yield* until(Effect.sync(running.stderr), (log) => log.includes("the shop is open"))
    const env = Object.fromEntries(
      [...readFileSync(join(home, ".svc-demo/env"), "utf8").matchAll(/(\w+)=(\S+)/g)].map((
        [, name, value]
      ) => [name, value])
    )
    const { SVC_API_KEY, SVC_URL } = yield* Schema.decodeUnknown(Env)(env)
    // tests read fields of any response
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const get = (path: string): Effect.Effect<any> =>
      Effect.promise(async () =>
        (await fetch(`${SVC_URL}/api/v1/projects/shop${path}`, { headers: { authorization: `Bearer ${SVC_API_KEY}` } }))
          .json()
      )
    return { ...running, get }
  })

/** The README's lines about the demo, but for the one that starts it. */
const readThrough = (): string => {
  const text = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
  const section = /## The demo\n([\s\S]*?)\n## /.exec(text)?.[1] ?? ""
  const [start, ...blocks] = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines]) => lines ?? "")
  assert.include(start, "npm run demo")
  assert.strictEqual(blocks.length, 4)
  const ofThisRun = blocks.join("\n").replace("node dist/cli/svc.js", `node ${inject("program")}`)
  assert.include(ofThisRun, inject("program"))
  return ofThisRun
}

const bash = (script: string, home: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.async<string>((resume) => {
    const child = spawn("bash", ["-u"], {
      env: { PATH: process.env.PATH ?? "", HOME: home },
      stdio: ["pipe", "pipe", "inherit"]
    })
    let output = ""
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.on("close", () => resume(Effect.succeed(output)))
    child.stdin.end(script)
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("svc serve --demo", () => {
  it.scopedLive("does what the README's read-through says", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { get } = yield* demo(home)
      yield* until(get("/tasks?name=stock.sync_warehouse&state=started"), ({ items }) => items.length > 0)
      const output = yield* bash(`${readThrough()}\necho "sync=$sync payment=$payment"`, home)
      const [, sync = "", payment = ""] = /sync=(\S+) payment=(\S+)/.exec(output) ?? []
      assert.include(output, "CardDeclined")
      assert.match(output, /event: task/)
      assert.match(output, /stock\.sync_warehouse[\s\S]*revoked/)

      // schedules of the demo fire too
      const issued = Effect.map(get("/commands"), ({ items }) =>
        items.filter(({ action }: { action: string }) => !action.startsWith("schedule.")))
      const commands = yield* until(issued, (items) =>
        items.length === 6 && items.every(({ status }: { status: string }) =>
          status === "completed"
        ))
      const results = Object.fromEntries(
        commands.map((
          { action, result, target_id }: Record<string, unknown>
        ) => [`${action} ${target_id}`, result])
      )
      assert.strictEqual(
        (yield* until(get(`/tasks/effect-queue/${sync}`), ({ state }) =>
          state === "revoked")).name,
        "stock.sync_warehouse"
      )
      const paid = results[`retry_task ${payment}`].new_task_id
      yield* until(get(`/tasks/effect-queue/${paid}`), ({ state }) => state === "success")
      yield* until(get(`/tasks/effect-queue/${results[`retry_task ${sync}`].new_task_id}`), ({ state }) =>
        state === "started")
      // the order continues: its confirmation is a child of the payment that went through
      yield* until(get(`/tasks/effect-queue/${paid}/tree`), (tree) =>
        /mail\.order_confirmation/.test(JSON.stringify(tree)))
      yield* until(get("/workers"), (workers) =>
        workers.some(({ concurrency, name, queues }: Record<string, unknown>) =>
          name === "mail" && concurrency === 5 && JSON.stringify(queues) === "[\"mail\"]"
        ))
      const { total_count } = yield* get("/tasks?include_total=true&limit=1")
      assert.isAbove(total_count, 5000)
      const dead = yield* get("/tasks?state=failure&limit=500")
      assert.isAbove(dead.items.length, 50)
    }))

  it.scopedLive("continues at its next start, and ends on a signal", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const first = yield* Effect.scoped(Effect.gen(function*() {
        const { get, stderr, stop } = yield* demo(home)
        const { items } = yield* get("/tasks?limit=1&state=success")
        assert.strictEqual(yield* stop("SIGTERM"), 0)
        return { items, password: /password (\S+)/.exec(stderr())?.[1] }
      }))
      const again = yield* demo(home)
      assert.include(again.stderr(), `password ${first.password}`)
      assert.strictEqual(
        (yield* again.get(`/tasks/effect-queue/${first.items[0].task_id}`)).task_id,
        first.items[0].task_id
      )
      assert.match(again.stderr(), /filled in \(0 orders, \d+ events\)/)
      // the same agent is back, and its commands work
      yield* until(again.get("/agents"), ([agent]) => agent.state === "online")
      for (const file of readdirSync(join(home, ".svc-demo"))) {
        const secret = ["demo.json", "env"].includes(file)
        if (secret) assert.strictEqual(statSync(join(home, ".svc-demo", file)).mode & 0o077, 0, file)
      }
    }))

  it.scopedLive("fills in at its next start what it had no time for", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const count = (table: string) => {
        const path = join(home, ".svc-demo", table === "tasks" ? "svc.db" : "shop.db")
        if (!existsSync(path)) return 0
        const db = new BetterSqlite3(path, { readonly: true })
        try {
          return db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0
        } catch {
          return 0 // no such table yet
        } finally {
          db.close()
        }
      }
      yield* Effect.scoped(Effect.gen(function*() {
        const stopped = yield* serving({ HOME: home }, ["--demo"])
        yield* until(Effect.sync(() => count("tasks")), (tasks) => tasks > 0)
        yield* stopped.stop("SIGKILL")
      }))
      const before = count("tasks")
      assert.isBelow(before, 5000, "it was stopped too late to show anything")
      assert.strictEqual(count("effect_queue"), 0)
      const { get } = yield* demo(home)
      const { total_count } = yield* get("/tasks?include_total=true&limit=1")
      assert.isAbove(total_count, 5000)
      assert.isAbove(count("effect_queue"), 50)
      assert.strictEqual(count("unfinished_past"), 0)
      const twice = yield* get("/tasks?name=report.nightly_sales&limit=500")
      const days = twice.items.map(({ kwargs }: { readonly kwargs: { readonly day: string } }) => kwargs.day)
      assert.isAtMost(days.length, 3, "the part that was filled in before was filled in again")
    }))

  it.scopedLive("refuses a folder that no demo made, and any database but its own", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      mkdirSync(join(home, "site-demo"))
      writeFileSync(join(home, "site-demo/svc.db"), "")
      const taken = yield* svc(["serve", "--demo"], { HOME: home, SVC_HOME: join(home, "site") })
      assert.strictEqual(taken.code, 1)
      assert.include(taken.stderr, "contains files that are not a demo's")
      assert.deepStrictEqual(readdirSync(join(home, "site-demo")), ["svc.db"])
      const other = yield* svc(["serve", "--demo"], { HOME: home, SVC_DATABASE_URL: `sqlite:///${home}/real.db` })
      assert.strictEqual(other.code, 1)
      assert.include(other.stderr, "SVC_DATABASE_URL is set")
      assert.isFalse(existsSync(join(home, "real.db")))
      assert.isFalse(existsSync(join(home, ".svc-demo")))
    }))
})
