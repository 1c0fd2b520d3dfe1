import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import pg from "pg"
import { appendAudit } from "../audit.ts"
import { svcHere } from "../cli/svcHere.ts"
import { type Engine, engines } from "../databases.ts"
import { layerAudit } from "../services/operations/Backup/site.ts"
import { until } from "../until.ts"
import { adminKey, type BrainProcess, type Site } from "./brainProcess.ts"
import { callAt } from "./calls.ts"
import { site as siteOn } from "./site.ts"

const rows = 12_000
const stalledAt = 5

/** The first attempt of an export does not end the transaction that writes this chunk, in the middle of the file. */
const stallFirstAttempt = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.zipRight(
        sql`CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF (SELECT attempts FROM export_jobs WHERE id = NEW.job_id) = 1 THEN PERFORM pg_sleep(600); END IF;
          RETURN NEW; END $$`,
        sql.unsafe(`CREATE TRIGGER stall BEFORE INSERT ON export_job_chunks FOR EACH ROW
          WHEN (NEW.position = ${stalledAt}) EXECUTE FUNCTION stall()`)
      ),
    orElse: () =>
      sql.unsafe(`CREATE TRIGGER stall BEFORE INSERT ON export_job_chunks
        WHEN NEW.position = ${stalledAt} AND (SELECT attempts FROM export_jobs WHERE id = NEW.job_id) = 1
        BEGIN SELECT count(*) FROM (WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c);
        END`)
  }))

/** Rows of the database of a brain that runs. */
const query = ({ env }: Site, text: string): Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
  env.SVC_DATABASE_URL === undefined
    ? Effect.sync(() => {
      const db = new BetterSqlite3(join(env.SVC_HOME ?? "", "svc.db"), { readonly: true })
      try {
        return db.prepare<[], Readonly<Record<string, unknown>>>(text).all()
      } finally {
        db.close()
      }
    })
    : Effect.promise(async () => {
      const client = new pg.Client({ connectionString: env.SVC_DATABASE_URL })
      await client.connect()
      try {
        return (await client.query<Readonly<Record<string, unknown>>>(text)).rows
      } finally {
        await client.end()
      }
    })

/** Ends the statement of a process that cannot do so itself. */
const cancelStatement = (site: Site) =>
  query(
    site,
    "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
  )

/** A brain that is frozen in the middle of the export of a large log. */
const stalledExport = (engine: Engine) =>
  Effect.gen(function*() {
    const site = yield* siteOn(engine)
    const brain = yield* site.brain
    const token = yield* adminKey(brain)
    const call = callAt(brain, token)
    const { json: project } = yield* call("POST", "/projects", { slug: "shop", name: "shop" })
    yield* brain.stop
    const { SVC_DATABASE_URL: databaseUrl = null, SVC_HOME: home = "" } = site.env
    yield* Effect.gen(function*() {
      yield* stallFirstAttempt
      yield* appendAudit(
        Array.from({ length: rows }, (_, n) => ({
          action: "test.done",
          target_type: "test",
          target_id: String(n),
          project_id: project.id,
          metadata: { note: "x".repeat(100) }
        }))
      )
    }).pipe(Effect.provide(layerAudit({ engine, home, databaseUrl, environment: site.env })))
    yield* brain.start
    const { json: job } = yield* call("POST", "/projects/shop/audit/export-jobs", { format: "json" })
    yield* until(query(site, "SELECT 1 FROM export_job_chunks"), (chunks) => chunks.length === stalledAt)
    const logged = yield* query(site, `SELECT id FROM audit_log WHERE project_id = '${project.id}' ORDER BY seq DESC`)

    /** The export is completed by a brain, and its file has each row of the log once, in order. */
    const isWhole = (brain: BrainProcess) =>
      Effect.gen(function*() {
        const path = `/projects/shop/audit/export-jobs/${job.id}`
        const readJob = Effect.map(callAt(brain, token)("GET", path), ({ json }) => json)
        const ended = yield* until(readJob, ({ status }) => status === "completed" || status === "failed")
        assert.deepInclude(ended, { status: "completed", row_count: logged.length, truncated: false, error: null })
        const file = yield* callAt(brain, token)("GET", `${path}/download`)
        assert.strictEqual(Buffer.byteLength(file.text), ended.size_bytes)
        const exported: ReadonlyArray<{ readonly id: string }> = file.json
        assert.deepStrictEqual(exported.map(({ id }) => id), logged.map(({ id }) => id))
        assert.deepStrictEqual(yield* query(site, "SELECT attempts FROM export_jobs"), [{ attempts: 2 }])
        const { code, stderr } = yield* svcHere(["audit", "verify"], site.env)
        assert.strictEqual(code, 0, stderr)
      })
    return { site, brain, isWhole }
  })

describe.each(engines)("an export of the audit log on %s whose brain is killed", (engine) => {
  it.scopedLive("is written whole by the brain that starts after it", () =>
    Effect.gen(function*() {
      const { brain, isWhole, site } = yield* stalledExport(engine)
      yield* brain.kill
      if (engine === "PostgreSQL") yield* cancelStatement(site)
      yield* brain.start
      yield* isWhole(brain)
    }))
})

describe("an export of the audit log on PostgreSQL whose brain is frozen past its lease", () => {
  it.scopedLive("is written whole by another brain, and the first one changes nothing when it resumes", () =>
    Effect.gen(function*() {
      const { brain, isWhole, site } = yield* stalledExport("PostgreSQL")
      const another = yield* site.brain
      yield* brain.freeze
      yield* until(query(site, "SELECT 1 FROM export_jobs WHERE attempts = 2"), (jobs) => jobs.length === 1)
      yield* cancelStatement(site)
      yield* brain.resume
      yield* until(Effect.sync(brain.log), (log) => log.includes("lost the lease"))
      yield* isWhole(another)
    }))
})
