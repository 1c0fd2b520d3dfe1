import { FileSystem } from "@effect/platform"
import { Effect, Schema } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { adminKey, type Call, signedIn, siteIn, siteOf } from "../../test/e2e/brainProcess.ts"
import type { Database } from "../run.ts"
import { projects } from "./rows.ts"
import { seed } from "./seed.ts"

const serverUrl = process.env.SVC_TEST_POSTGRES_URL ?? "postgresql://postgres@127.0.0.1:5432/postgres"

const onServer = (statement: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(statement)
    await client.end()
  })

/** What a later run needs of a database that is kept. */
class StoredSite extends Schema.Class<StoredSite>("Kept")({
  tasks: Schema.Int,
  end: Schema.Number,
  projectIds: Schema.Array(Schema.String),
  token: Schema.String,
  credentials: Schema.Array(
    Schema.Struct({ agentId: Schema.String, token: Schema.String, hmacSecret: Schema.String })
  ),
  env: Schema.Record({ key: Schema.String, value: Schema.String }),
  seconds: Schema.Struct({
    rows: Schema.Number,
    indexes: Schema.Record({ key: Schema.String, value: Schema.Number })
  })
}) {}
const StoredSiteJson = Schema.parseJson(StoredSite)

const slugOf = (index: number) => (index === 0 ? "bench" : `bench-${index}`)

const createProjects = (call: Call) =>
  Effect.forEach(
    Array.from({ length: projects }, (_, index) => slugOf(index)),
    (slug) => Effect.map(call("POST", "/projects", { slug, name: slug }), ({ json }) => String(json.id))
  )

/** A new site with its projects, one agent and its tasks. */
const create = (program: string, database: Database, tasks: number, home: string, name: string) =>
  Effect.gen(function*() {
    mkdirSync(home, { recursive: true })
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    if (database === "postgresql") yield* onServer(`CREATE DATABASE ${name}`)
    const { brain, env } = yield* siteOf(program, {
      SVC_HOME: home,
      SVC_TASKS_RETENTION_DAYS: "3650", // the rows grow older while the database is kept
      ...(database === "postgresql" && { SVC_DATABASE_URL: url.toString() })
    })
    const { credentials, projectIds, token } = yield* Effect.scoped(Effect.gen(function*() {
      const running = yield* brain
      const token = yield* adminKey(running)
      const call = (yield* signedIn(running))(running)
      const projectIds = yield* createProjects(call)
      const { json } = yield* call("POST", "/projects/bench/agents", { name: "bench" })
      yield* running.stop
      const credentials = [
        { agentId: String(json.agent.id), token: String(json.token), hmacSecret: String(json.hmac_secret) }
      ]
      return { token, projectIds, credentials }
    }))
    const end = Math.floor(performance.timeOrigin + performance.now())
    const seconds = yield* seed(env, { projectIds, end, tasks })
    return StoredSite.make({ tasks, end, projectIds, token, credentials, env: { ...env }, seconds })
  })

/**
 * A site with as many tasks, of a run before that kept it or a new one. It is deleted with the scope unless it is kept.
 */
export const siteWithTasks = (program: string, database: Database, tasks: number, isKept: boolean) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const name = `svc_bench_scale_${tasks}`
    const folder = join(
      new URL("../../node_modules/.cache", import.meta.url).pathname,
      `svc-scale-${database}-${tasks}`
    )
    const file = join(folder, "kept.json")
    yield* Effect.addFinalizer(() =>
      Effect.gen(function*() {
        if (isKept && (yield* Effect.orDie(fs.exists(file)))) return
        if (database === "postgresql") yield* onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
        yield* Effect.orDie(fs.remove(folder, { recursive: true, force: true }))
      })
    )
    const isThere = yield* fs.exists(file)
    const storedSite = isThere
      ? yield* Effect.flatMap(fs.readFileString(file), Schema.decode(StoredSiteJson))
      : yield* create(program, database, tasks, folder, name)
    if (!isThere) yield* fs.writeFileString(file, yield* Schema.encode(StoredSiteJson)(storedSite))
    return { ...storedSite, site: siteIn(program, storedSite.env) }
  })
