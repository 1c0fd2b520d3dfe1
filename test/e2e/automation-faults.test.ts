import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Array as Arr, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import pg from "pg"
import { connected, event } from "../agent.ts"
import { type Engine, engines } from "../databases.ts"
import { seed } from "../properties.ts"
import { until } from "../until.ts"
import { signedIn, type Site } from "./brainProcess.ts"
import { randomOf } from "./notifications/receiver.ts"
import { site } from "./site.ts"
import { type Batch, streaming } from "./streaming.ts"

const tasks = 400
const batchSize = 10
const kills = 4

/** Each of its own name: a failed task of a name that was just retried waits, since it may be that retry. */
const failures = (): ReadonlyArray<Batch> => {
  const all = Array.from({ length: tasks }, (_, index) => {
    const data = { exception: "ValueError: no order", task_name: `shop.step${index}`, worker: "w@box" }
    return event({ kind: "task.failed", task_id: `t${index}`, data })
  })
  return Arr.chunksOf(all, batchSize).map((events) => ({ id: `ev_${randomUUID().replaceAll("-", "")}`, events }))
}

/** The rows of a statement on the brains' database, from outside. */
const rowsOf = (engine: Engine, { env }: Site, statement: string) =>
  Effect.promise(async (): Promise<ReadonlyArray<Row>> => {
    if (engine === "SQLite") {
      const db = new BetterSqlite3(join(env.SVC_HOME ?? "", "svc.db"), { readonly: true })
      const rows = db.prepare(statement).all()
      db.close()
      return rows as ReadonlyArray<Row> // the columns of the statement
    }
    const client = new pg.Client({ connectionString: env.SVC_DATABASE_URL })
    await client.connect()
    const { rows } = await client.query(statement)
    await client.end()
    return rows
  })

interface Row {
  readonly id: string
  readonly task_id: string
}

describe.each(engines)("a rule in a storm of failures on %s", (engine) => {
  it.scopedLive(
    "kill -9 at random: each failure is retried once, and log, commands and audit log agree",
    () =>
      Effect.gen(function*() {
        const random = randomOf(seed)
        const place = yield* site(engine, { SVC_AUTOMATION_ACTIONS_PER_MINUTE: "100000" })
        const brain = yield* place.brain
        const call = (yield* signedIn(brain))(brain)
        const rule = yield* call("POST", "/projects/default/automation/rules", {
          name: "retry",
          trigger: "task.failed",
          actions: [{ type: "retry" }],
          dry_run: false,
          max_executions_per_window: 100_000
        })
        assert.strictEqual(rule.status, 201, JSON.stringify(rule.json))
        const { json: credentials } = yield* call("POST", "/projects/default/agents", { name: "celery" })
        const read = (statement: string) => rowsOf(engine, place, statement)
        const log = "SELECT command_id AS id, task_id FROM automation_executions WHERE outcome = 'executed'"
        yield* connected({ base: brain.url, ...credentials })
        yield* until(
          read("SELECT worker_id AS id, '' AS task_id FROM agent_workers WHERE state = 'online'"),
          ({ length }) => length > 0
        )
        const storm = yield* streaming(credentials, [brain.url], failures(), 2)
        for (let kill = 0; kill < kills; kill++) {
          const acked = Math.floor(((kill + random()) / kills) * (tasks / batchSize))
          yield* Effect.promise(() => storm.streamer.when(acked))
          yield* Effect.sleep(random() * 50)
          yield* brain.kill
          yield* brain.start
        }
        yield* Effect.promise(() => storm.done)
        yield* until(read("SELECT id, '' AS task_id FROM trigger_events"), (events) => events.length === 0)
        const executed = yield* read(log)
        const commands = yield* read("SELECT id, target_id AS task_id FROM commands WHERE action = 'retry_task'")
        const audited = yield* read("SELECT id, '' AS task_id FROM audit_log WHERE action = 'automation.rule.executed'")
        const evaluated = yield* read(
          "SELECT CAST(sum(occurrences) AS INTEGER) AS id, '' AS task_id FROM automation_executions"
        )
        const sorted = (rows: ReadonlyArray<Row>) => rows.map(({ id, task_id }) => `${id} ${task_id}`).sort()
        assert.deepStrictEqual(sorted(executed), sorted(commands), "each execution has its command, and the reverse")
        assert.strictEqual(audited.length, commands.length)
        assert.strictEqual(new Set(executed.map(({ task_id }) => task_id)).size, executed.length, "none twice")
        assert.strictEqual(Number(evaluated[0]?.id), tasks, "no event is lost, and none is taken twice")
        assert.isAbove(executed.length, tasks / 2)
        process.stdout.write(
          `${engine}, seed ${seed}: ${kills} kills, ${tasks} failures, of which ${executed.length} were retried once\n`
        )
      })
  )
})
