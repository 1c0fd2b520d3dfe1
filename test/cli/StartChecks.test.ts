import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import pg from "pg"
import { type Engine, temporaryHome } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { freePort, portOf } from "../ports.ts"
import { freshPostgres } from "../postgres.ts"
import { type Ran, serving, type Settings, svc as svcProcess } from "./svc.ts"
import { svcHere as svc } from "./svcHere.ts"

const isRoot = process.getuid?.() === 0
/** Root may write anywhere, so as root the program runs as the user nobody. */
const unprivileged = isRoot ? { uid: 65_534 } : {}

const fresh = (engine: Engine) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const settings: Settings = {
      SVC_HOME: home,
      SVC_PORT: String(yield* freePort),
      ...(engine === "PostgreSQL" && { SVC_DATABASE_URL: (yield* freshPostgres).url })
    }
    return { home, settings }
  })

const createAdmin = (settings: Settings) =>
  svc(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, { input: "a long password\n" })

const execute = async ({ SVC_DATABASE_URL: url, SVC_HOME: home }: Settings, statement: string) => {
  if (url === undefined) {
    const db = new BetterSqlite3(join(home ?? "", "svc.db"))
    db.exec(statement)
    return db.close()
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  return client.end()
}

/** Exit code 1, and the line of standard output that has the sentence. */
const refuses = ({ code, stderr, stdout }: Ran, line: string, sentence: string | RegExp) => {
  assert.strictEqual(stderr, `svc: svc serve will refuse to start; see the line ${line}\n`)
  assert.strictEqual(code, 1)
  const found = stdout.split("\n").find((text) => text.startsWith(`${line}: `)) ?? ""
  if (typeof sentence === "string") assert.include(found, sentence)
  else assert.match(found, sentence)
}

describe.each(laneEngines)("svc check on %s", (engine) => {
  it.scoped("proves a start, and leaves nothing behind", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      const later = { ...settings, SVC_HOME: join(home, "new", "svc"), SVC_PUBLIC_URL: "https://svc.example.com/" }
      const { code, stderr, stdout } = yield* svc(["check"], later)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, `\nhome: writable\nnative packages: ok for Node.js ${process.versions.node}\ndatabase: `)
      assert.include(stdout, "\nlast backup: none recorded\naddress: https://svc.example.com\n")
      assert.include(stdout, `\nport: 127.0.0.1:${settings.SVC_PORT} is free\nkeys: ok\n`)
      const found = JSON.parse((yield* svc(["check", "--json"], later)).stdout)
      assert.deepInclude(found, {
        home: later.SVC_HOME,
        home_trouble: null,
        native_trouble: null,
        database_trouble: null,
        revision: null,
        revision_trouble: null,
        address: `127.0.0.1:${settings.SVC_PORT}`,
        public_url: "https://svc.example.com",
        port_use: "free",
        port_trouble: null,
        brain_running: false,
        last_backup: null,
        key_trouble: null
      })
      assert.deepStrictEqual(readdirSync(home), [])
    }))

  it.scoped("distinguishes the running brain's port from one that another program took", () =>
    Effect.gen(function*() {
      const { settings } = yield* fresh(engine)
      const brain = yield* serving(settings)
      const own = { ...settings, SVC_PORT: String(brain.port) }
      const running = yield* svc(["check"], own)
      assert.deepStrictEqual([running.code, running.stderr], [0, ""])
      assert.include(running.stdout, `\nport: 127.0.0.1:${brain.port} is taken by the running brain of this database\n`)
      assert.match(running.stdout, /\ndatabase: [^\n]+ answers; a brain runs on it/)
      assert.deepInclude(JSON.parse((yield* svc(["check", "--json"], own)).stdout), {
        port_use: "this_brain",
        port_trouble: null,
        brain_running: true
      })
      const beside = yield* svc(["check"], settings)
      assert.strictEqual(beside.code, 0)
      assert.match(beside.stdout, /\ndatabase: [^\n]+; a brain runs on it[^\n]*\n[\s\S]*\nport: \S+ is free\n/)

      const other = yield* fresh(engine)
      refuses(
        yield* svc(["check"], { ...other.settings, SVC_PORT: String(brain.port) }),
        "port",
        `a brain with another database listens on 127.0.0.1:${brain.port}. Stop it, or set SVC_PORT to a free port`
      )
      const foreign = yield* portOf(createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")))
      const taken = { ...settings, SVC_PORT: String(foreign) }
      const sentence = `another program listens on 127.0.0.1:${foreign}. Stop it, or set SVC_PORT to a free port`
      refuses(yield* svc(["check"], taken), "port", sentence)
      refuses(yield* svc(["doctor"], taken), "port", sentence)
      const { port_trouble, port_use } = JSON.parse((yield* svc(["check", "--json"], taken)).stdout)
      assert.deepStrictEqual([port_use, port_trouble], ["taken", sentence])
    }))

  it.scoped("says why the brain cannot keep its files in SVC_HOME", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      const file = join(home, "file")
      writeFileSync(file, "")
      for (const below of [file, join(file, "svc"), join(file, "new", "svc")]) {
        refuses(
          yield* svc(["check"], { ...settings, SVC_HOME: below }),
          "home",
          `home: ${file} is not a folder. Set SVC_HOME to a folder that svc may write to`
        )
      }
      const locked = join(home, "locked")
      mkdirSync(locked)
      chmodSync(home, 0o755)
      chmodSync(locked, 0o555)
      for (const unwritable of [locked, join(locked, "new")]) {
        refuses(
          yield* svcProcess(["check"], { ...settings, SVC_HOME: unwritable }, unprivileged),
          "home",
          `svc cannot write to ${unwritable}: this user may not do that. Free space there, make it writable`
        )
      }
      assert.deepStrictEqual(readdirSync(locked), [])
    }))

  it.scoped("names each line that prevents a start", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh(engine)
      yield* svc(["migrate", "upgrade"], settings)
      yield* Effect.promise(() =>
        execute(
          settings,
          "INSERT INTO schema_migrations (id, name, compatible_from, applied_at, program) VALUES (900, 'later', 900, '', '7.8.9')"
        )
      )
      refuses(
        yield* svc(["check"], settings),
        "revision",
        "revision: 900. The database is at revision 900, which svc 7.8.9"
      )
      const both = yield* svc(["check"], { ...settings, SVC_HOST: "203.0.113.9" })
      assert.strictEqual(both.code, 1)
      assert.strictEqual(both.stderr, "svc: svc serve will refuse to start; see the lines revision, port\n")
      assert.include(
        both.stdout,
        `\nport: this machine does not have the address of 203.0.113.9:${settings.SVC_PORT}. Set SVC_HOST to one`
      )

      const hook = join(home, "hook.cjs")
      writeFileSync(
        hook,
        `process.dlopen = () => { throw new Error("The module was compiled against a different Node.js version using\\n" +
          "NODE_MODULE_VERSION 1. This version of Node.js requires\\nNODE_MODULE_VERSION 2.") }`
      )
      const other = yield* fresh(engine)
      const unbuilt = yield* svcProcess(["check"], { ...other.settings, NODE_OPTIONS: `--require ${hook}` })
      refuses(
        unbuilt,
        "native packages",
        /^native packages: a native package was built for another Node\.js: .*npm rebuild/
      )
    }))

  it.scopedLive(
    "svc doctor warns where no backup was made, or a long time ago; svc status has the last one",
    () =>
      Effect.gen(function*() {
        const { home, settings } = yield* fresh(engine)
        yield* createAdmin(settings)
        const warnings = Effect.map(
          svc(["doctor"], settings),
          ({ stdout }) => stdout.split("\n").filter((line) => /^warning: .*backup/.test(line))
        )
        const lastBackup = Effect.map(
          svc(["status", "--json"], settings),
          ({ stdout }) => JSON.parse(stdout).last_backup
        )
        assert.isNull(yield* lastBackup)
        const [never, ...others] = yield* warnings
        assert.include(never, "no backup of this database is recorded: svc backup --output")
        assert.deepStrictEqual(others, [])

        const path = join(home, "archive")
        const backup = JSON.parse((yield* svc(["backup", "--output", path, "--json"], settings)).stdout)
        assert.deepStrictEqual(yield* lastBackup, {
          created_at: backup.created_at,
          bytes: backup.bytes,
          restored: false
        })
        assert.deepStrictEqual(yield* warnings, [])
        const { stdout } = yield* svc(["status"], settings)
        assert.match(stdout, /\nlast backup: 20\S+Z \(\d+[sm] ago, \d+ KiB\)\n/)
        assert.include((yield* svc(["check"], settings)).stdout, `\nlast backup: ${backup.created_at} (`)

        // the archive has no row of itself: the restore names it
        const restored = yield* svc(["restore", path, "--force"], settings)
        assert.strictEqual(restored.code, 0, restored.stderr)
        assert.deepStrictEqual(yield* lastBackup, { created_at: backup.created_at, bytes: null, restored: true })
        assert.match(
          (yield* svc(["status"], settings)).stdout,
          /\nlast backup: .* ago\), which this database was restored from\n/
        )
        const next = JSON.parse((yield* svc(["backup", "--output", join(home, "next"), "--json"], settings)).stdout)
        assert.deepStrictEqual(yield* lastBackup, { created_at: next.created_at, bytes: next.bytes, restored: false })
        assert.strictEqual((yield* svc(["audit", "verify"], settings)).code, 0)

        const year = next.created_at.slice(0, 4)
        yield* Effect.promise(() =>
          execute(
            settings,
            `UPDATE audit_log SET metadata = replace(metadata, '"created_at":"${year}', '"created_at":"2025')
            WHERE action = 'system.backup_created'`
          )
        )
        assert.match((yield* warnings)[0] ?? "", /^warning: the last backup is \d{3} days old: svc backup --output/)
      })
  )

  it.scopedLive(
    "svc backup records itself in the audit log while a brain runs, or says why it cannot",
    () =>
      Effect.gen(function*() {
        const { home, settings } = yield* fresh(engine)
        yield* createAdmin(settings)
        const brain = yield* serving(settings)
        const path = join(home, "archive")
        const backup = yield* svc(["backup", "--output", path], settings)
        assert.deepStrictEqual([backup.code, backup.stderr], [0, ""])
        assert.strictEqual((yield* svc(["audit", "verify"], settings)).code, 0)
        assert.strictEqual(yield* brain.stop("SIGTERM"), 0)

        const keyless = { ...settings, SVC_HOME: yield* temporaryHome }
        const elsewhere: Settings = engine === "PostgreSQL"
          ? keyless
          : { ...keyless, SVC_DATABASE_URL: `sqlite:///${join(home, "svc.db")}` }
        const unrecorded = yield* svc(["backup", "--output", join(home, "second")], elsewhere)
        assert.strictEqual(unrecorded.code, 0)
        assert.match(
          unrecorded.stderr,
          /^[^\n]*the backup is complete, but is not recorded, [^\n]+: SVC_HOME lacks keys\. [^\n]+\n$/
        )
        assert.deepStrictEqual(readdirSync(elsewhere.SVC_HOME ?? ""), [])
      })
  )

  it.scopedLive(
    "svc status shows the running brain: its version, its start, and where it runs",
    () =>
      Effect.gen(function*() {
        const { settings } = yield* fresh(engine)
        const brain = yield* serving(settings)
        const own = { ...settings, SVC_PORT: String(brain.port) }
        const { stdout } = yield* svc(["status"], own)
        assert.match(
          stdout,
          /\nbrain: ready at http:\/\/127\.0\.0\.1:\d+, svc \d+\.\d+\.\d+, since 20\S+Z \(\d+[sm]\)\n/
        )
        const status = JSON.parse((yield* svc(["status", "--json"], own)).stdout)
        assert.deepInclude(status.brain, {
          url: brain.url,
          running: true,
          status: "ready",
          version: "0.1.0",
          on_database: true
        })
        assert.strictEqual(status.brain.processes.length, engine === "PostgreSQL" ? 1 : 0)
        assert.isAbove(status.size_bytes, 100_000)
        assert.match(
          (yield* svc(["status"], settings)).stdout,
          /\nbrain: not at http:\/\/127\.0\.0\.1:\d+, but a brain runs on this database/
        )
        const other = yield* fresh(engine)
        assert.match(
          (yield* svc(["status"], { ...other.settings, SVC_PORT: String(brain.port) })).stdout,
          /\nbrain: ready at [^\n]+, but on another database\n/
        )
        yield* brain.stop("SIGTERM")
        assert.match((yield* svc(["status"], own)).stdout, /\nbrain: not running at http:/)
      })
  )
})

describe("svc check of a SQLite file", () => {
  it.scoped("says why the brain cannot write to it, or create it", () =>
    Effect.gen(function*() {
      const { home, settings } = yield* fresh("SQLite")
      const missing = join(home, "mistyped")
      refuses(
        yield* svc(["check"], { ...settings, SVC_DATABASE_URL: `sqlite:///${missing}/svc.db` }),
        "database",
        `SVC_DATABASE_URL names a file in ${missing}, which does not exist. Create it, or correct the setting.`
      )
      const file = join(home, "file")
      writeFileSync(file, "")
      refuses(
        yield* svc(["check"], { ...settings, SVC_DATABASE_URL: `sqlite:///${file}/svc.db` }),
        "database",
        `names a file in ${file}, which does not exist`
      )
      yield* svc(["migrate", "upgrade"], settings)
      chmodSync(home, 0o777)
      chmodSync(join(home, "svc.db"), 0o444)
      refuses(
        yield* svcProcess(["check"], settings, unprivileged),
        "database",
        "svc cannot write to it: this user may not do that. Make the file and its folder writable for this user"
      )
    }))
})
