import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { cpSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import pg from "pg"
import { from as copyFrom, to as copyTo } from "pg-copy-streams"
import { siteOf } from "../test/e2e/brainProcess.ts"
import { builtProgram, freshPostgres, runningBrain } from "./brain.ts"
import { ingestClient, send } from "./ingest/sending.ts"
import { seed } from "./list/seed.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * `svc backup` and `svc restore --force` of a database with so many tasks, each in a process of its own, start and
 * verification included, beside the bare driver's copy of the rows of `tasks` into an empty table with the same indexes.
 * `ingest`: events a second while backups are written one after the other, beside the rate without; `share` of it.
 * Prints one line of JSON. `npx vite-node bench/backup.ts sqlite|postgresql [tasks=200000] [events=30000]`
 */
const runProgram = (program: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    new Promise<number>((resolve, reject) => {
      const begun = performance.now()
      const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "ignore", "inherit"] })
      child.once("exit", (code) =>
        code === 0
          ? resolve((performance.now() - begun) / 1000)
          : reject(new Error(`${args.join(" ")} ended with ${code}`)))
    })
  )

/** Seconds of `SELECT` and `INSERT` of better-sqlite3, in one transaction. */
const copySqlite = (from: string, to: string) => {
  const [source, target] = [new BetterSqlite3(from, { readonly: true }), new BetterSqlite3(to)]
  target.exec("DELETE FROM tasks")
  const begun = performance.now()
  const select = source.prepare<[], ReadonlyArray<unknown>>("SELECT * FROM tasks").raw(true)
  const insert = target.prepare(`INSERT INTO tasks VALUES (${select.columns().map(() => "?").join(", ")})`)
  target.transaction(() => {
    for (const row of select.iterate()) insert.run(...row)
  })()
  const seconds = (performance.now() - begun) / 1000
  source.close()
  target.close()
  return { out: seconds, in: seconds }
}

/** Seconds of COPY TO, which the client discards, and of COPY FROM of the same bytes. */
const copyPostgres = async (from: string, to: string) => {
  const [source, target] = [new pg.Client({ connectionString: from }), new pg.Client({ connectionString: to })]
  await Promise.all([source.connect(), target.connect()])
  await target.query("TRUNCATE tasks")
  const begun = performance.now()
  const chunks: Array<Buffer> = []
  for await (const chunk of source.query(copyTo("COPY tasks TO STDOUT"))) chunks.push(Buffer.from(chunk))
  const middle = performance.now()
  await pipeline(Readable.from(chunks), target.query(copyFrom("COPY tasks FROM STDIN")))
  const end = performance.now()
  await Promise.all([source.end(), target.end()])
  return { out: (middle - begun) / 1000, in: (end - middle) / 1000 }
}

const emptySite = (program: string, database: Database) =>
  Effect.gen(function*() {
    const url = database === "postgresql" ? { SVC_DATABASE_URL: (yield* freshPostgres).url } : {}
    return yield* siteOf(program, url)
  })

const measure = (database: Database, tasks: number, events: number) =>
  Effect.gen(function*() {
    const file = yield* ingestClient
    const program = yield* builtProgram
    const { brain, call, credentials, site } = yield* runningBrain(program, database, 1)
    const { json: project } = yield* call("GET", "/projects/bench")
    yield* brain.stop
    yield* seed(site.env, project.id, tasks)
    const home = site.env.SVC_HOME ?? ""
    const urlOf = (env: Readonly<Record<string, string>>) => env.SVC_DATABASE_URL ?? ""
    const path = join(home, "archive")

    const target = yield* emptySite(program, database)
    const bareTarget = yield* emptySite(program, database)
    const bare = yield* Effect.promise(async () =>
      database === "sqlite"
        ? copySqlite(join(home, "svc.db"), join(bareTarget.env.SVC_HOME ?? "", "svc.db"))
        : copyPostgres(urlOf(site.env), urlOf(bareTarget.env))
    )
    const backup = yield* runProgram(program, ["backup", "--output", path], site.env)
    for (const name of readdirSync(home)) {
      if (name.endsWith(".key")) cpSync(join(home, name), join(target.env.SVC_HOME ?? "", name))
    }
    // its own audit log was signed with other keys
    yield* runProgram(program, ["reset", "--force"], target.env)
    const restore = yield* runProgram(program, ["restore", path, "--force"], target.env)
    const megabytes = statSync(path).size / 1_048_576

    const again = yield* site.brain
    const job = { tasks: events / 3, warmUpTasks: 500, eventsPerFrame: 100, inFlight: 32, rate: null }
    const alone = yield* send(file, { url: again.url, agents: credentials, ...job })
    let isOver = false
    let backups = 0
    const backUpAgain = Effect.gen(function*() {
      while (!isOver) {
        yield* runProgram(program, ["backup", "--output", `${path}-${backups++}`], site.env)
        rmSync(`${path}-${backups - 1}`)
      }
    })
    const [during] = yield* Effect.all([
      Effect.ensuring(
        send(file, { url: again.url, agents: credentials, ...job }),
        Effect.sync(() => void (isOver = true))
      ),
      backUpAgain
    ], { concurrency: "unbounded" })

    const rate = (seconds: number) => Math.round(tasks / seconds)
    const share = (own: number, driver: number) => Number((driver / own).toFixed(2))
    return {
      bench: "backup",
      database,
      tasks,
      fileMiB: Number(megabytes.toFixed(1)),
      backup: { rowsPerSecond: rate(backup), seconds: backup, bareSeconds: bare.out, share: share(backup, bare.out) },
      restore: { rowsPerSecond: rate(restore), seconds: restore, bareSeconds: bare.in, share: share(restore, bare.in) },
      ingest: {
        alone: alone.eventsPerSecond,
        during: during.eventsPerSecond,
        backups,
        share: Number((during.eventsPerSecond / alone.eventsPerSecond).toFixed(2))
      }
    }
  })

const { database, events, tasks } = databaseAndNumbersOf("backup", { tasks: 200_000, events: 30_000 })
report(measure(database, tasks, events))
