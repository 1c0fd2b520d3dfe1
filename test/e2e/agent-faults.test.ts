import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { inject } from "vitest"
import { MemoryEngine } from "../agent/engines/memory.ts"
import { drained, online, optionsFor, started, statusOf } from "../agent/runtime/agents.ts"
import { engines, temporaryHome } from "../databases.ts"
import { until } from "../until.ts"
import { type BrainProcess, type Call, signedIn } from "./brainProcess.ts"
import { site } from "./site.ts"

interface Host {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Effect.Effect<number | NodeJS.Signals | null>
}

/** The application of agent/host.ts. */
const host = (options: object) =>
  Effect.acquireRelease(
    Effect.sync((): Host => {
      const child = spawn(process.execPath, [join(inject("programs"), "agent-host.js"), JSON.stringify(options)], {
        stdio: "pipe"
      })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
      const exit = new Promise<number | NodeJS.Signals | null>((resolve) =>
        child.once("exit", (code, signal) => resolve(code ?? signal))
      )
      return { child, output: () => output, ended: Effect.promise(() => exit) }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
  )

const freshAgentAt = (call: Call, slug: string) =>
  Effect.gen(function*() {
    yield* call("POST", "/projects", { slug, name: slug })
    const { json } = yield* call("POST", `/projects/${slug}/agents`, { name: "agent" })
    return { token: String(json.token), hmac_secret: String(json.hmac_secret) }
  })

const successes = (call: Call, slug: string) =>
  Effect.map(
    call("GET", `/projects/${slug}/tasks?limit=1&include_total=true&state=success`),
    ({ json }): number => json.total_count
  )

/** Of util-linux: changes the limits of a running process. */
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0

const restartBrain = (brain: BrainProcess) => Effect.zipRight(brain.kill, brain.start)

describe.each(engines)("the agent and a brain on %s that is killed", (database) => {
  it.scopedLive("loses and doubles nothing, and the host runs on", () =>
    Effect.gen(function*() {
      const brain = yield* (yield* site(database)).brain
      const call = (yield* signedIn(brain))(brain)
      const shop = new MemoryEngine()
      const agent = yield* started(
        yield* optionsFor(brain.url, yield* freshAgentAt(call, "kill"), { engines: [shop.engine] })
      )
      yield* online(agent)
      const ids: Array<string> = []
      const runTasks = (count: number) =>
        Effect.sync(() => {
          for (let n = 0; n < count; n++) {
            const id = shop.enqueue({ args: [n] })
            shop.work(id)
            ids.push(id)
          }
        })
      for (let kill = 0; kill < 3; kill++) {
        yield* runTasks(2000)
        yield* until(successes(call, "kill"), (count) => count > ids.length - 2000) // under way
        yield* runTasks(500)
        yield* restartBrain(brain)
      }
      yield* runTasks(500)
      yield* drained(agent)
      assert.strictEqual(agent.status().lostEvents, 0)
      assert.strictEqual(yield* successes(call, "kill"), ids.length)
      for (const id of ids.filter((_, index) => index % 400 === 0)) {
        const { json } = yield* call("GET", `/projects/kill/events?engine=memory&task_id=${id}`)
        assert.deepStrictEqual(json.items.map(({ kind }: { readonly kind: string }) => kind), [
          "task.received",
          "task.started",
          "task.succeeded"
        ])
      }
    }))
})

describe("the agent and a brain", () => {
  it.scopedLive(
    "that is there and does nothing: the host runs on, and all arrives when another takes its place",
    () =>
      Effect.gen(function*() {
        const brain = yield* (yield* site("SQLite")).brain
        const call = (yield* signedIn(brain))(brain)
        const shop = new MemoryEngine()
        const agent = yield* started(
          yield* optionsFor(brain.url, yield* freshAgentAt(call, "frozen"), { engines: [shop.engine] })
        )
        yield* online(agent)
        yield* brain.freeze
        for (let n = 0; n < 3000; n++) shop.work(shop.enqueue())
        yield* statusOf(agent, ({ buffer }) => buffer.events === 9000 && buffer.unwritten === 0)
        yield* restartBrain(brain)
        yield* drained(agent)
        assert.strictEqual(yield* successes(call, "frozen"), 3000)
      })
  )

  it.scopedLive(
    "two processes with one token; what a killed one had not sent, the other sends",
    () =>
      Effect.gen(function*() {
        const brain = yield* (yield* site("SQLite")).brain
        const call = (yield* signedIn(brain))(brain)
        const { hmac_secret, token } = yield* freshAgentAt(call, "two")
        const home = yield* temporaryHome
        const options = { brainUrl: brain.url, token, hmacSecret: hmac_secret, home }
        const both = yield* Effect.all([1, 2].map(() => host({ ...options, tasks: 200, after: "stay" })))
        yield* until(successes(call, "two"), (count) => count === 400)
        const { json } = yield* call("GET", "/projects/two/agent-workers")
        assert.strictEqual(json.length, 2, JSON.stringify(json))
        yield* brain.kill
        for (const { child } of both) child.kill("SIGKILL")
        const alone = yield* host({ ...options, tasks: 300, after: "stay" })
        yield* until(Effect.sync(alone.output), (output) => output.includes("written"))
        alone.child.kill("SIGKILL")
        yield* alone.ended
        yield* brain.start
        yield* host({ ...options, tasks: 1, after: "stay" })
        yield* until(successes(call, "two"), (count) => count === 701)
      })
  )

  it.scopedLive(
    "a program that has nothing more to do ends, whether its brain is there or not, and its last events arrive later",
    () =>
      Effect.gen(function*() {
        const brain = yield* (yield* site("SQLite")).brain
        const call = (yield* signedIn(brain))(brain)
        const { hmac_secret, token } = yield* freshAgentAt(call, "end")
        const home = yield* temporaryHome
        const options = { brainUrl: brain.url, token, hmacSecret: hmac_secret, home, tasks: 10, after: "end" }
        const first = yield* host(options)
        assert.strictEqual(yield* first.ended, 0, first.output())
        const away = yield* host({ ...options, brainUrl: "http://127.0.0.1:1" })
        assert.strictEqual(yield* away.ended, 0, away.output())
        const refusedHost = yield* host({ ...options, token: "" })
        assert.strictEqual(yield* refusedHost.ended, 0)
        assert.match(refusedHost.output(), /svc agent: error: The agent's token is missing/)
        yield* host({ ...options, after: "stay" })
        yield* until(successes(call, "end"), (count) => count === 30)
      })
  )

  it.scopedLive.skipIf(!hasPrlimit)(
    "a disk that is full: events go on from memory, and to the disk again when there is room",
    () =>
      Effect.gen(function*() {
        const brain = yield* (yield* site("SQLite")).brain
        const call = (yield* signedIn(brain))(brain)
        const { hmac_secret, token } = yield* freshAgentAt(call, "full")
        const home = yield* temporaryHome
        const { child, output } = yield* host({
          brainUrl: brain.url,
          token,
          hmacSecret: hmac_secret,
          home,
          tasks: 0,
          after: "work"
        })
        const more = (count: number) =>
          Effect.flatMap(successes(call, "full"), (before) =>
            until(successes(call, "full"), (now) => now >= before + count))
        yield* more(50)
        execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=0:"])
        yield* until(Effect.sync(output), (text) =>
          text.includes("events cannot be buffered on disk"))
        yield* more(100)
        execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited:"])
        yield* restartBrain(brain)
        yield* more(50)
        child.stdin?.end()
        const readCounts = Effect.sync(() => /.*done (\d+), lost (\d+)\n$/s.exec(output()) ?? [])
        // the last line is the last one only when the program has seen the end of its input
        yield* until(Effect.all([readCounts, successes(call, "full")]), ([[, done], count]) => count === Number(done))
        const [, done, lost] = yield* readCounts
        assert.strictEqual(lost, "0")
        assert.isAbove(Number(done), 200)
      })
  )
})
