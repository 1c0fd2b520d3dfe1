import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { type Socket } from "node:net"
import { join } from "node:path"
import { engines } from "../databases.ts"
import { storedTask } from "../tasks.ts"
import { until } from "../until.ts"
import { adminKey } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { dialRaw } from "./hostile/Attack.ts"
import { mebibyte, memoryOf } from "./memory.ts"
import { site } from "./site.ts"
import { insertInto } from "./storedTasks.ts"

/** 300 tasks of 250 KB: a page has 4 MiB of them, an export 73. */
const tasks = 300
const kwargs = JSON.stringify({ blob: "x".repeat(250_000) })

const settings = { NODE_OPTIONS: "--max-old-space-size=512", SVC_SLOW_READER_SECONDS: "2" }

/** The process may hold this beside what it holds at rest; without a budget the heap of 512 MB is filled, and it ends. */
const memoryLimit = 500 * mebibyte

interface Attack {
  readonly name: string
  readonly connections: number
  /** Requests that each connection pipelines. */
  readonly requests: number
  readonly path: string
  readonly leaves?: "half-closed"
}

const list = "/api/v1/projects/shop/tasks"

/** The test's own connections, which `fetch` keeps. */
const fewConnections = 4

/** One after the other against the same brain, by one viewer of whom nothing is ever read. */
const attacks: ReadonlyArray<Attack> = [
  { name: "pages of 500", connections: 200, requests: 1, path: `${list}?limit=500` },
  { name: "pages of 50", connections: 200, requests: 1, path: list },
  { name: "pipelined pages", connections: 20, requests: 40, path: `${list}?limit=500` },
  {
    name: "pages asked for by half-closed connections",
    connections: 120,
    requests: 2,
    path: list,
    leaves: "half-closed"
  },
  { name: "JSON exports", connections: 200, requests: 1, path: `${list}?format=json` }
]

/** Sends the requests and reads nothing. */
const attackWith = async ({ connections, leaves, path, requests }: Attack, port: number, token: string) => {
  const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n`
  // a connection whose last request is refused ends too, so that the remaining ones are being served
  const text = `${head}\r\n`.repeat(requests - 1) + `${head}Connection: close\r\n\r\n`
  const sockets: Array<Socket> = []
  for (let index = 0; index < connections; index++) {
    const socket = await dialRaw(port)
    socket.pause()
    if (leaves === undefined) socket.write(text)
    else socket.end(text)
    sockets.push(socket)
  }
  return sockets
}

/** Open connections as the brain counts them: a client that reads nothing does not see the end of its own. */
const openConnections = (text: string) => Number(/^svc_http_connections (\d+)/m.exec(text)?.[1] ?? NaN)

describe.each(engines)("readers that take nothing, on %s", (engine) => {
  it.scopedLive(
    "are closed, and no number of them ends a process with a heap of 512 MB",
    () =>
      Effect.gen(function*() {
        const { brain: started, env } = yield* site(engine, settings)
        const brain = yield* started
        const token = yield* adminKey(brain)
        const call = callAt(brain, token)
        const project = yield* call("POST", "/projects", { slug: "shop", name: "shop" })
        const now = Date.now()
        const rows = Array.from({ length: tasks }, (_, index) =>
          storedTask(String(project.json.id), now - index, { kwargs }))
        yield* insertInto(engine, env, rows)
        const metricsToken = readFileSync(join(env["SVC_HOME"] ?? "", "metrics.token"), "utf8").trim()
        const metrics = callAt(brain, metricsToken)("GET", "//metrics")
        const { peakBytes } = yield* memoryOf(brain)
        for (const attack of attacks) {
          yield* Effect.scoped(Effect.gen(function*() {
            yield* Effect.acquireRelease(
              Effect.promise(() =>
                attackWith(attack, Number(new URL(brain.url).port), token)
              ),
              (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
            )
            yield* until(metrics, ({ text }) => openConnections(text) <= fewConnections, "200 seconds")
          })).pipe(Effect.annotateLogs({ attack: attack.name }))
        }
        assert.strictEqual((yield* call("GET", "/projects/shop/tasks")).status, 200)
        assert.isBelow(peakBytes(), memoryLimit)
        assert.notInclude(brain.log(), "heap out of memory")
      })
  )
})
