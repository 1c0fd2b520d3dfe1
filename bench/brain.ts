import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { type BrainProcess, signedIn, siteOf } from "../test/e2e/brainProcess.ts"
import type { Database } from "./run.ts"

/** What every bench that needs a running brain begins with: the built program in a process of its own. */
const root = new URL("..", import.meta.url).pathname

const onServer = (run: (client: pg.Client) => Promise<unknown>) =>
  Effect.promise(async () => {
    const client = new pg.Client({
      connectionString: process.env.SVC_TEST_POSTGRES_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres"
    })
    await client.connect()
    await run(client)
    await client.end()
  })

/** The URL of a fresh PostgreSQL database, dropped with the scope. */
export const freshPostgres = Effect.acquireRelease(
  Effect.gen(function*() {
    const name = `svc_bench_${randomBytes(6).toString("hex")}`
    yield* onServer((client) => client.query(`CREATE DATABASE ${name}`))
    const url = new URL(process.env.SVC_TEST_POSTGRES_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres")
    url.pathname = `/${name}`
    return { name, url: url.toString() }
  }),
  ({ name }) => onServer((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
)

/** The folder of a part of the build that ships programs, removed with the scope. */
export const builtPart = (part: "cli" | "soak" | "program") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(join(root, "node_modules/.cache"), { recursive: true })
      const folder = mkdtempSync(join(root, "node_modules/.cache/svc-bench-")) // native modules are found from here
      execFileSync("npm", ["run", "-s", "build", part, folder], { cwd: root, stdio: "inherit" })
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

export const builtProgram = Effect.map(builtPart("cli"), (folder) => join(folder, "svc.js"))

/** A running brain with one project and `agents` agents in it. */
export const runningBrain = (
  program: string,
  database: Database,
  agents: number,
  settings: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function*() {
    const url = database === "postgresql" ? { SVC_DATABASE_URL: (yield* freshPostgres).url } : {}
    const site = yield* siteOf(program, { ...url, ...settings })
    const brain: BrainProcess = yield* site.brain
    const call = (yield* signedIn(brain))(brain)
    yield* call("POST", "/projects", { slug: "bench", name: "bench" })
    const credentials = yield* Effect.forEach(
      Array.from({ length: agents }, (_, index) => index),
      (index) =>
        Effect.map(call("POST", "/projects/bench/agents", { name: `agent ${index}` }), ({ json }) => ({
          agentId: String(json.agent.id),
          token: String(json.token),
          hmacSecret: String(json.hmac_secret)
        }))
    )
    return { site, brain, call, credentials }
  })
