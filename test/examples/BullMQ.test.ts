import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { build } from "esbuild"
import { Redis } from "ioredis"
import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"

const root = new URL("../../", import.meta.url).pathname
const cache = join(root, "node_modules/.cache")
const redisUrl = "redis://127.0.0.1:6379/6" // a database of its own, since the example's queues have plain names
const ready = await has("Redis")

/** The example as a program: `svc/agent` is this package's entry point. */
const program = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(cache, { recursive: true })
      return mkdtempSync(join(cache, "svc-example-"))
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  yield* Effect.promise(() =>
    build({
      entryPoints: { shop: join(root, "examples/bullmq/shop.mjs") },
      alias: {
        "svc/agent/bullmq": join(root, "src/agent/engines/bullmq/BullMQ.ts"),
        "svc/agent": join(root, "src/agent.ts")
      },
      outdir: folder,
      bundle: true,
      packages: "external",
      platform: "node",
      format: "esm",
      logLevel: "error"
    })
  )
  return join(folder, "shop.js")
})

const emptyRedis = Effect.promise(async () => {
  const redis = new Redis(redisUrl)
  await redis.flushdb()
  redis.disconnect()
})

layer(serverOn("SQLite"), { excludeTestServices: true })("examples/bullmq", (it) => {
  it.scoped.skipIf(!ready)(
    "runs as it is: the declined payment is retried, and its receipt goes out",
    () =>
      Effect.gen(function*() {
        yield* Effect.acquireRelease(emptyRedis, () => emptyRedis)
        const project = yield* freshProject()
        const { token } = yield* freshKey({ isAdmin: true })
        const call = (method: string, path: string, body?: object) =>
          request(method, `/projects/${project.slug}${path}`, body === undefined ? { token } : { token, body })
        const created = (yield* call("POST", "/agents", { name: "shop" })).json
        const env = {
          PATH: process.env.PATH ?? "",
          HOME: yield* temporaryHome,
          REDIS_URL: redisUrl,
          SVC_AGENT_BRAIN_URL: yield* baseUrl,
          SVC_AGENT_TOKEN: created.token,
          SVC_AGENT_HMAC_SECRET: created.hmac_secret
        }
        const file = yield* program
        const shop = yield* Effect.acquireRelease(
          Effect.sync(() => spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] })),
          (shop) => Effect.sync(() => shop.kill("SIGKILL"))
        )
        let printed = ""
        shop.stdout.on("data", (chunk) => (printed += String(chunk)))
        const list = (query: string) => Effect.map(call("GET", `/tasks?${query}`), ({ json }) => json.items)

        const [declined] = yield* until(list("state=failure&name=charge"), (items) => items.length === 1)
        assert.match(declined.exception, /the bank declined order \d+/)
        assert.include(printed, `svc commands retry ${declined.task_id} --wait`)
        const body = { agent_id: created.agent.id, engine: "bullmq", task_id: declined.task_id }
        assert.strictEqual((yield* call("POST", "/commands/retry-task", body)).status, 202)
        const [charged] = yield* until(list("state=success&name=charge"), (items) => items.length === 1)
        assert.strictEqual(charged.result.charged, 1999)
        yield* until(list("state=success&name=receipt"), (items) => items.length === 1)

        const exit = new Promise((resolve) => shop.once("exit", resolve))
        shop.kill("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => exit), 0)
      })
  )
})
