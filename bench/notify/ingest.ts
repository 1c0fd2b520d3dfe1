import { SqlClient } from "@effect/sql"
import { Effect, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { defaultGrouping } from "../../src/domain/alerting/Notification/Hygiene.ts"
import { ProjectId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { Ingest } from "../../src/services/tasks/Ingest.ts"
import { eventsOfEnd, inFrames, offerAll } from "../ingest/writer.ts"

const subscriptions = 1000
const names = 20
const share = 0.1
const frame = 99
const inFlight = 32
const rounds = 6

const eventsOf = (number: number) =>
  eventsOfEnd(number, `shop.step${number % names}`, number % Math.round(1 / share) === 0)

const subscribe = (projectId: ProjectId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    yield* sql`INSERT INTO projects ${
      sql.insert({
        id: projectId,
        slug: projectId,
        name: "bench",
        environment: "bench",
        timezone: "UTC",
        default_scheduler_owner: "svc-scheduler",
        is_active: 1,
        created_at: now,
        updated_at: now
      })
    }`
    const rows = Array.from({ length: subscriptions }, (_, index) => ({
      id: randomUUID(),
      project_id: projectId,
      trigger_key: "task.failed",
      filters: JSON.stringify({ task_name: `shop.step${index % names}*` }),
      in_app: 0,
      cooldown_seconds: 0,
      grouping: JSON.stringify(defaultGrouping),
      hygiene: "{}",
      is_active: 1,
      created_at: now,
      updated_at: now
    }))
    for (let from = 0; from < rows.length; from += 100) {
      yield* sql`INSERT INTO subscriptions ${sql.insert(rows.slice(from, from + 100))}`
    }
    yield* sql`INSERT INTO trigger_revisions (project_id, revision) VALUES (${projectId}, 1)`
  })

/** Resolves when no event waits any more. */
const outboxIsEmpty = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.repeat(sql`SELECT id FROM trigger_events LIMIT 1`, {
      until: (rows) => rows.length === 0,
      schedule: Schedule.spaced("100 millis")
    })
)

/**
 * The rate of the ingest with 10 % failing tasks: without subscriptions, and with 1 000, in turns over one database.
 * `writesAlerts`: the same process takes the events out, so each turn begins when the last one's alerts are written.
 */
export const measureIngest = (tasks: number, writesAlerts: boolean) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const ingest = yield* Ingest
    const subscribed = ProjectId.make(randomUUID())
    yield* subscribe(subscribed)
    const cases = [
      { name: "without", projectId: ProjectId.make(randomUUID()) },
      { name: "with", projectId: subscribed }
    ]
    const seconds = new Map(cases.map(({ name }) => [name, 0]))
    for (let round = 0; round <= rounds; round++) {
      for (const { name, projectId } of cases) {
        const frames = inFrames(
          Array.from({ length: Math.ceil(tasks / rounds) }, (_, at) => eventsOf(at)).flat(),
          frame
        )
        const begun = performance.now()
        yield* offerAll(ingest, projectId, frames, inFlight)
        if (round > 0) seconds.set(name, seconds.get(name)! + (performance.now() - begun) / 1000) // the first one warms up
        if (writesAlerts) yield* outboxIsEmpty
      }
    }
    const [waiting] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM trigger_events`
    const rate = (name: string) => Math.round((tasks * 3) / seconds.get(name)!)
    return {
      tasks,
      subscriptions,
      share,
      writesAlerts,
      triggerEvents: Number(waiting?.n),
      eventsPerSecond: { without: rate("without"), with: rate("with") },
      ofWithout: Number((rate("with") / rate("without")).toFixed(2))
    }
  })
