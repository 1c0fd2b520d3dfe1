import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { inject } from "vitest"
import { connected, event } from "../agent.ts"
import { serving, svc } from "../cli/svc.ts"
import { type Engine, engines, temporaryHome } from "../databases.ts"
import { freePort, portOf } from "../ports.ts"
import { fillTables } from "../services/operations/Backup/rows.ts"
import {
  dumpTable,
  headTables,
  layerAudit,
  layerDatabase,
  makeSite,
  type Site
} from "../services/operations/Backup/site.ts"
import { until } from "../until.ts"
import { adminKey } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { ended } from "./childProgram.ts"
import { createCluster, serverFolder, startServer, urlOf } from "./faults/ServerPair.ts"
import { site as siteOnEngine } from "./site.ts"
import { expectStoredOnce, runOf, streaming } from "./streaming.ts"

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0
if (!hasPrlimit && process.env.CI === "true") throw new Error("needs prlimit, which is not here")

const run = (site: Site, ...args: ReadonlyArray<string>) => svc(args, site.environment)

/** The program as a process to be killed; killed with the scope. */
const start = (site: Site, args: ReadonlyArray<string>, before: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const [command = "", ...words] = [...before, process.execPath, inject("program"), ...args]
      return spawn(command, words, { env: { PATH: process.env.PATH ?? "", ...site.environment }, stdio: "ignore" })
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const killAndWait = (child: ChildProcess) => Effect.zipRight(Effect.sync(() => child.kill("SIGKILL")), ended(child))

const filled = (engine: Engine) =>
  Effect.gen(function*() {
    const site = yield* makeSite(engine)
    const smallNumbers = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`UPDATE schedule_streams SET epoch_number = 7` // a restore raises them
    )
    yield* Effect.zipRight(fillTables(yield* headTables), smallNumbers).pipe(Effect.provide(layerAudit(site)))
    return site
  })

const dump = (site: Site) =>
  Effect.gen(function*() {
    const tables = yield* headTables
    return yield* Effect.forEach(tables, ({ columns, name }) => dumpTable(name, columns))
  }).pipe(Effect.provide(layerDatabase(site)), Effect.map((rows) => JSON.stringify(rows)))

/** Stops whatever inserts tasks, for as long as the trigger is there. */
const stallTrigger = {
  SQLite: `CREATE TRIGGER stall BEFORE INSERT ON tasks BEGIN
    SELECT count(*) FROM (WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c); END`,
  PostgreSQL: `CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
    CREATE TRIGGER stall BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION stall()`
}

const onPostgres = <A>({ databaseUrl }: Site, use: (client: pg.Client) => Promise<A>) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: databaseUrl ?? "" })
    await client.connect()
    try {
      return await use(client)
    } finally {
      await client.end()
    }
  })

const onSqlite = <A>({ home }: Site, use: (db: BetterSqlite3.Database) => A) =>
  Effect.sync(() => {
    const db = new BetterSqlite3(join(home, "svc.db"), { timeout: 0 })
    try {
      return use(db)
    } finally {
      db.close()
    }
  })

const execute = (site: Site, text: string): Effect.Effect<unknown> =>
  site.engine === "SQLite" ? onSqlite(site, (db) => db.exec(text)) : onPostgres(site, (client) => client.query(text))

/** Whether a restore is within its transaction, stopped by the trigger. */
const isStalled = (site: Site) =>
  site.engine === "SQLite"
    ? onSqlite(site, (db) => {
      try {
        db.exec("BEGIN IMMEDIATE; ROLLBACK")
        return false
      } catch {
        return true
      }
    })
    : onPostgres(site, async (client) => {
      const { rowCount } = await client.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
      )
      return rowCount === 1
    })

/** The server notices a client that was killed when it next writes to it. */
const endSleepers = (site: Site) =>
  site.engine === "SQLite" ? Effect.void : onPostgres(site, (client) =>
    client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    ))

const begins = (name: string) => name.startsWith("archive.partial-")

describe.each(engines)("kill -9 and a full disk on %s", (engine) => {
  it.scopedLive("leave no backup, or the database as it was; the next attempt is whole", () =>
    Effect.gen(function*() {
      const from = yield* filled(engine)
      const folder = yield* temporaryHome
      const path = join(folder, "archive")

      // in the middle of a backup: the file is created before the first row is read
      const partials = Effect.sync(() => readdirSync(folder).filter(begins))
      const killOne = Effect.scoped(Effect.gen(function*() {
        const child = yield* start(from, ["backup", "--output", path])
        yield* until(
          Effect.sync(() => readdirSync(folder).length > 0 || child.exitCode !== null),
          (isBegun) => isBegun,
          "30 seconds"
        )
        yield* killAndWait(child)
      }))
      yield* killOne
      if (!existsSync(path)) assert.strictEqual((yield* partials).length, 1)
      if (hasPrlimit) {
        const other = join(folder, "full")
        const child = yield* start(from, ["backup", "--output", other], ["prlimit", "--fsize=2000:"])
        yield* ended(child)
        assert.strictEqual(child.exitCode, 1)
        assert.deepStrictEqual(readdirSync(folder).filter((name) => name.startsWith("full")), [])
      }
      const good = existsSync(path) ? join(folder, "archive2") : path
      const written = yield* run(from, "backup", "--output", good)
      assert.strictEqual(written.code, 0, written.stderr)
      if (good === path) {
        assert.include(written.stderr, "the unfinished file of a killed backup")
        assert.deepStrictEqual(yield* partials, [])
      }

      // in the middle of a restore
      const to = yield* makeSite(engine, { keysOf: from })
      yield* Effect.provide(Effect.void, layerAudit(to))
      yield* execute(to, stallTrigger[engine])
      const before = yield* dump(to)
      const restoring = yield* start(to, ["restore", good, "--force"])
      yield* until(isStalled(to), (isStuck) => isStuck, "60 seconds")
      yield* killAndWait(restoring)
      yield* endSleepers(to)
      yield* execute(to, engine === "SQLite" ? "DROP TRIGGER stall" : "DROP FUNCTION stall CASCADE")
      assert.isTrue((yield* dump(to)) === before, "the database is as before the restore")

      if (hasPrlimit && engine === "SQLite") {
        const child = yield* start(to, ["restore", good, "--force"], ["prlimit", "--fsize=500000:"])
        yield* ended(child)
        assert.strictEqual(child.exitCode, 1)
        assert.isTrue((yield* dump(to)) === before, "the database is as before the full disk")
      }
      const restored = yield* run(to, "restore", good, "--force")
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.strictEqual((yield* run(to, "audit", "verify")).code, 0)
    }))
})

const copyKeys = (from: string, to: string) => {
  for (const name of readdirSync(from)) if (name.endsWith(".key")) cpSync(join(from, name), join(to, name))
}

describe.each(engines)("a brain on %s that ingests", (engine) => {
  it.scopedLive(
    "is backed up, and continues on the other database with every event once",
    () =>
      Effect.gen(function*() {
        const home = yield* siteOnEngine(engine)
        const brain = yield* home.brain
        const call = callAt(brain, yield* adminKey(brain))
        const { json: created } = yield* call("POST", "/projects/default/agents", { name: "agent" })
        const agent = { token: String(created.token), hmac_secret: String(created.hmac_secret) }
        const events = runOf(150, 2)
        const folder = yield* temporaryHome
        const path = join(folder, "archive")

        const { done, streamer } = yield* streaming(agent, [brain.url], events.batches, 8)
        yield* Effect.promise(() => streamer.when(20))
        const backup = yield* svc(["backup", "--output", path, "--json"], home.env)
        assert.strictEqual(backup.code, 0, backup.stderr)
        const ackedAfter = streamer.acked
        yield* Effect.promise(() => done)
        const manifest: { readonly audit_head: { readonly seq: number } } = JSON.parse(backup.stdout)
        yield* brain.stop

        // an empty machine with the keys of the first
        const target = yield* makeSite(engine === "SQLite" ? "PostgreSQL" : "SQLite")
        copyKeys(home.env.SVC_HOME ?? "", target.home)
        const restored = yield* svc(["restore", path, "--force", "--json"], target.environment)
        assert.strictEqual(restored.code, 0, restored.stderr)
        const verified = yield* svc(["audit", "verify", "--json"], target.environment)
        assert.strictEqual(verified.code, 0, verified.stdout + verified.stderr)
        const log: { readonly head: { readonly seq: number } } = JSON.parse(verified.stdout)
        assert.strictEqual(log.head.seq, manifest.audit_head.seq + 1)

        // one moment: the counts that the ingest keeps in each transaction fit the tasks, and what was acked before is there
        const columns = (names: ReadonlyArray<string>) => names.map((name) => ({ name, kind: "text" }))
        const [tasks, counts] = yield* Effect.all([
          dumpTable("tasks", columns(["task_id", "state"])),
          dumpTable("task_counts", columns(["tasks"]))
        ]).pipe(Effect.provide(layerDatabase(target)))
        assert.strictEqual(counts.reduce((sum, [count]) => sum + Number(count), 0), tasks.length)
        assert.isAbove(tasks.length, 0)
        assert.isAtMost(tasks.length, events.taskIds.length)
        assert.isAtLeast(ackedAfter, 20)

        // the brain continues there with the agent, which sends again what it sent since
        const next = yield* serving(target.environment)
        const nextCall = callAt(next, yield* adminKey(next))
        const rest = yield* streaming(agent, [next.url], events.batches, 8)
        yield* Effect.promise(() => rest.done)
        yield* expectStoredOnce(nextCall, "default", events)
      })
  )
})

const toLoopback = { SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true", SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8:*" }

/** A webhook's receiver that refuses everything while `isDown`. */
const receiver = Effect.gen(function*() {
  const state = { isDown: false, posts: Array<string>() }
  const port = yield* portOf(createServer((request, response) => {
    state.posts.push(String(request.headers["webhook-id"]))
    request.resume().on("end", () => response.writeHead(state.isDown ? 503 : 200).end())
  }))
  return { state, url: `http://127.0.0.1:${port}/` }
})

describe("a brain that was restored", () => {
  it.scopedLive(
    "sends no notification of before the backup again, and suppresses those that waited",
    () =>
      Effect.gen(function*() {
        const { state, url } = yield* receiver
        const home = yield* siteOnEngine("SQLite", toLoopback)
        const brain = yield* home.brain
        const key = yield* adminKey(brain)
        const base = "/projects/default/notifications"
        const deliveriesAt = (at: { readonly url: string }) =>
          Effect.map(
            callAt(at, key)("GET", `${base}/deliveries`),
            ({ json }): ReadonlyArray<{ readonly status: string; readonly error: string | null }> => json.items
          )
        const countOf = (all: ReadonlyArray<{ readonly status: string }>, wanted: string) =>
          all.filter(({ status }) => status === wanted).length
        const call = callAt(brain, key)
        const channel = yield* call("POST", `${base}/channels`, { name: "c", type: "webhook", config: { url } })
        const subscription = { trigger: "task.failed", project_channel_ids: [channel.json.id], grouping: null }
        assert.strictEqual((yield* call("POST", `${base}/defaults`, { ...subscription, in_app: false })).status, 201)
        const { json: keys } = yield* call("POST", "/projects/default/agents", { name: "agent" })
        const fail = (at: { readonly url: string }, count: number) =>
          Effect.scoped(Effect.gen(function*() {
            const agent = yield* connected({ base: at.url, token: keys.token, hmac_secret: keys.hmac_secret })
            const failure = () =>
              event({ kind: "task.failed", data: { exception: "ValueError", task_name: "shop.pay" } })
            yield* Effect.promise(() => agent.sendEvents(Array.from({ length: count }, failure)))
          }))

        yield* fail(brain, 3)
        yield* until(deliveriesAt(brain), (all) => countOf(all, "sent") === 3)
        state.isDown = true
        yield* fail(brain, 2)
        yield* until(Effect.sync(() => new Set(state.posts).size), (ids) => ids === 5)
        const archive = join(yield* temporaryHome, "archive")
        assert.strictEqual((yield* svc(["backup", "--output", archive], home.env)).code, 0)
        yield* brain.stop
        const before = new Set(state.posts)

        const target = yield* makeSite("SQLite")
        copyKeys(home.env.SVC_HOME ?? "", target.home)
        const restored = yield* svc(["restore", archive, "--force"], target.environment)
        assert.strictEqual(restored.code, 0, restored.stderr)
        state.isDown = false
        state.posts.length = 0
        const next = yield* serving({ ...target.environment, ...toLoopback })
        yield* fail(next, 1)
        const all = yield* until(deliveriesAt(next), (all) => countOf(all, "sent") === 4)
        assert.lengthOf(state.posts, 1)
        assert.notInclude([...before], state.posts[0])
        const suppressed = all.filter(({ status }) => status === "suppressed")
        assert.lengthOf(suppressed, 2)
        for (const { error } of suppressed) assert.match(error ?? "", /^The database was restored from a backup of /)
      })
  )
})

/** A file system of its own, of 160 MB; root may mount one, unless a container forbids it. */
const smallDisk = (folder: string) => spawnSync("mount", ["-t", "tmpfs", "-o", "size=160m,mode=777", "tmpfs", folder])
const unmount = (folder: string) => spawnSync("umount", [folder])

/** Of the small disk: less than the restored tables need. */
const leftBytes = 300_000

const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), "svc-mount-"))
  const isMounted = smallDisk(folder).status === 0
  if (isMounted) unmount(folder)
  rmSync(folder, { recursive: true })
  if (!isMounted) console.warn("skipped: needs a file system of its own, which may not be mounted here")
  return isMounted
})()

describe.skipIf(!canMount)("a full disk of PostgreSQL in the middle of a restore", () => {
  it.scopedLive("leaves the database as it was; with room the restore is whole", () =>
    Effect.gen(function*() {
      const disk = yield* serverFolder
      yield* Effect.acquireRelease(
        Effect.sync(() => assert.strictEqual(smallDisk(disk).status, 0)),
        () => Effect.sync(() => unmount(disk))
      )
      const data = join(disk, "data")
      yield* createCluster(data)
      const port = yield* freePort
      yield* startServer(data, port, { max_wal_size: "32MB", min_wal_size: "32MB" })

      const from = yield* filled("SQLite")
      const archive = join(yield* temporaryHome, "archive")
      assert.strictEqual((yield* run(from, "backup", "--output", archive)).code, 0)
      const home = (yield* makeSite("SQLite", { keysOf: from })).home
      const environment = { SVC_HOME: home, SVC_DATABASE_URL: urlOf(port) }
      const to: Site = { engine: "PostgreSQL", home, databaseUrl: urlOf(port), environment }
      yield* Effect.provide(Effect.void, layerAudit(to))
      const before = yield* dump(to)

      const { bavail, bsize } = statfsSync(disk)
      const ballast = join(disk, "ballast")
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - leftBytes))
      const full = yield* run(to, "restore", archive, "--force")
      assert.strictEqual(full.code, 1)
      assert.include(full.stderr, "the disk of its server is full")
      assert.isTrue((yield* dump(to)) === before, "the database is as before the restore")

      rmSync(ballast)
      const restored = yield* run(to, "restore", archive, "--force")
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.strictEqual((yield* run(to, "audit", "verify")).code, 0)
    }))
})
