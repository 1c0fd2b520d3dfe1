/**
 * Backups while a brain takes events at half of the rate that it reaches, each restored into an empty database of both
 * kinds. `tasks`: the archive's count beside that of the restored database, and what the ingest
 * counts in each transaction; `audit`: the row that the archive ends at, beside the restored log's, which
 * has one row more (`backup.restored`). Prints one line of JSON.
 * `npx vite-node bench/backup-load.ts sqlite|postgresql [seconds=20] [backups=2]`
 */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { siteOf } from "../test/e2e/brainProcess.ts"
import { builtProgram, freshPostgres, runningBrain } from "./brain.ts"
import { ingestClient, send, sending } from "./ingest/sending.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { postgresObserver, sqliteObserver } from "./soak/database.ts"

const databases = ["sqlite", "postgresql"] as const

type Environment = Readonly<Record<string, string>>

const svc = (program: string, args: ReadonlyArray<string>, env: Environment) =>
  Effect.async<string, Error>((resume) => {
    execFile(
      process.execPath,
      [program, ...args],
      { env, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) =>
        resume(error === null ? Effect.succeed(stdout) : Effect.fail(new Error(`${args.join(" ")}: ${stderr}`)))
    )
  })

const observe = (env: Environment) =>
  Effect.acquireRelease(
    Effect.promise(async () =>
      env.SVC_DATABASE_URL === undefined
        ? sqliteObserver(join(env.SVC_HOME ?? "", "svc.db"))
        : await postgresObserver(env.SVC_DATABASE_URL)
    ),
    (observer) => Effect.promise(() => observer.close())
  )

const measure = (database: "sqlite" | "postgresql", seconds: number, backups: number) =>
  Effect.gen(function*() {
    const client = yield* ingestClient
    const program = yield* builtProgram
    const { brain, call, credentials, site } = yield* runningBrain(program, database, 1)
    const job = { url: brain.url, agents: credentials, warmUpTasks: 500, eventsPerFrame: 20, inFlight: 64 }
    const { eventsPerSecond: full } = yield* send(client, { ...job, tasks: 5000, rate: null })
    const rate = Math.round(full / 2)
    yield* sending(client, { ...job, tasks: Math.ceil(rate * seconds / 3), rate })
    // each change is a row of the audit log
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.delay(call("PATCH", "/projects/bench", { description: String(Math.random()) }), "50 millis")
      )
    )
    const archives = yield* Effect.forEach(Array.from({ length: backups }), (_, at) =>
      Effect.gen(function*() {
        const path = join(site.env.SVC_HOME ?? "", `archive-${at}`)
        const begun = performance.now()
        const manifest = JSON.parse(yield* svc(program, ["backup", "--output", path, "--json"], site.env))
        return { path, manifest, seconds: Number(((performance.now() - begun) / 1000).toFixed(1)) }
      }))
    const restores = archives.flatMap((archive) => databases.map((into) => ({ ...archive, into })))
    const results = yield* Effect.forEach(restores, ({ into, manifest, path, seconds }) =>
      Effect.gen(function*() {
        const url = into === "postgresql" ? { SVC_DATABASE_URL: (yield* freshPostgres).url } : {}
        const target = yield* siteOf(program, url)
        for (const name of readdirSync(site.env.SVC_HOME ?? "")) {
          if (name.endsWith(".key")) cpSync(join(site.env.SVC_HOME ?? "", name), join(target.env.SVC_HOME ?? "", name))
        }
        yield* svc(program, ["reset", "--force"], target.env) // its own audit log was signed with other keys
        yield* svc(program, ["restore", path, "--force"], target.env)
        const verified = JSON.parse(yield* svc(program, ["audit", "verify", "--json"], target.env))
        const { query } = yield* observe(target.env)
        const [row] = yield* Effect.promise(() =>
          query("SELECT (SELECT count(*) FROM tasks) AS tasks, (SELECT sum(tasks) FROM task_counts) AS counted")
        )
        return {
          seconds,
          into,
          tasks: {
            archive: manifest.tables.find(({ name }: { readonly name: string }) => name === "tasks").rows,
            restored: Number(row?.tasks),
            counted: Number(row?.counted)
          },
          audit: { archive: manifest.audit_head.seq, restored: verified.head.seq }
        }
      }))
    return { bench: "backup-load", database, eventsPerSecond: { full, sent: rate }, results }
  })

const { backups, database, seconds } = databaseAndNumbersOf("backup-load", { seconds: 20, backups: 2 })
report(measure(database, seconds, backups))
