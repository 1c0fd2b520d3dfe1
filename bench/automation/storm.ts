import { SqlClient } from "@effect/sql"
import { Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../src/domain/kernel/TaskEvent.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { Ingest } from "../../src/services/tasks/Ingest.ts"
import { eventsOfTask, inFrames, offerAll } from "../ingest/writer.ts"

const rules = 200
const names = 20
const frame = 100
const inFlight = 32

/** A task that is received, started and fails. */
const eventsOf = (number: number): ReadonlyArray<AgentEvent> => {
  const event = eventsOfTask(number, randomUUID())
  const worker = `"w${number % 4}@host"`
  const common = { task_name: `"shop.step${number % names}"`, queue: "\"celery\"", worker }
  return [
    event("task.received", 0, common),
    event("task.started", 1500, common),
    event("task.failed", 9500, { ...common, exception: "\"ValueError\"", exception_message: "\"no order\"" })
  ]
}

const createProject = (id: ProjectId, count: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    yield* sql`INSERT INTO projects ${
      sql.insert({
        id,
        slug: id,
        name: "bench",
        environment: "bench",
        timezone: "UTC",
        default_scheduler_owner: "svc-scheduler",
        is_active: 1,
        created_at: now,
        updated_at: now
      })
    }`
    if (count === 0) return
    yield* sql`INSERT INTO automation_settings ${
      sql.insert({ project_id: id, automation_enabled: 1, updated_at: now })
    }`
    // each is about one of the names: half of them retry, the others notify
    const rows = Array.from({ length: count }, (_, index) => ({
      id: Ids.uuidv7(Timestamp.toEpochMillis(now)),
      project_id: id,
      name: `rule ${index}`,
      is_enabled: 1,
      dry_run: 0,
      trigger_key: "task.failed",
      conditions: JSON.stringify({ task_name: `shop.step${index % names}` }),
      actions: JSON.stringify(
        index < count / 2 ? [{ type: "retry", max_retries: 3 }] : [{ type: "notify", channel_ids: [], in_app: true }]
      ),
      max_executions_per_window: 100,
      window_seconds: 3600,
      cb_tripped: 0,
      cb_execution_count: 0,
      created_at: now,
      updated_at: now
    }))
    yield* sql`INSERT INTO automation_rules ${sql.insert(rows)}`
    yield* sql`INSERT INTO trigger_revisions (project_id, revision) VALUES (${id}, 1)`
  })

const megabytes = () => Math.round(process.memoryUsage().rss / 1e6)

/** The highest resident memory while the effect runs, in MB. */
const watchMemory = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    let highest = megabytes()
    const sample = Effect.sync(() => void (highest = Math.max(highest, megabytes())))
    const value = yield* Effect.raceFirst(
      self,
      Effect.zipRight(Effect.repeat(sample, Schedule.spaced(50)), Effect.never)
    )
    return { value, highest }
  })

const seconds = (since: number) => (performance.now() - since) / 1000

/**
 * A storm of failures in a project with 200 rules, while the engine takes its events, beside the same in a project
 * without: events a second of the ingest, then the seconds until the rules have decided everything.
 */
export const measureStorm = (failures: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ingest = yield* Ingest
    const storm = (count: number, tasks: number) =>
      Effect.gen(function*() {
        const projectId = ProjectId.make(randomUUID())
        yield* createProject(projectId, count)
        const frames = inFrames(Array.from({ length: tasks }, (_, at) => eventsOf(at)).flat(), frame)
        const before = megabytes()
        const begun = performance.now()
        const { highest, value } = yield* watchMemory(Effect.gen(function*() {
          yield* offerAll(ingest, projectId, frames, inFlight)
          const ingested = seconds(begun)
          const waiting = sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM trigger_events`
          yield* Effect.repeat(waiting, {
            until: ([row]) => row?.n === 0,
            schedule: Schedule.spaced("200 millis")
          })
          return {
            eventsPerSecond: Math.round((3 * tasks) / ingested),
            decidedAfter: Number(seconds(begun).toFixed(1))
          }
        }))
        const [log] = yield* sql<{ rows: number; decisions: number }>`SELECT CAST(count(*) AS INTEGER) AS rows,
          CAST(COALESCE(sum(occurrences), 0) AS INTEGER) AS decisions FROM automation_executions
          WHERE project_id = ${projectId}`
        return { ...value, log, memory: { before, highest, after: megabytes() } }
      })
    yield* storm(0, failures) // warms up
    yield* storm(rules, 500)
    return { failures, rules, without: yield* storm(0, failures), with: yield* storm(rules, failures) }
  })
