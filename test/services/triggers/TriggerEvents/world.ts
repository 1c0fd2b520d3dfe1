import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type Consumer } from "../../../../src/domain/kernel/Consumer.ts"
import type { ProjectId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import type { EventFilters } from "../../../../src/domain/triggers/Filters.ts"
import { type Trigger, TriggerEvent } from "../../../../src/domain/triggers/Trigger.ts"
import { TriggerEvents } from "../../../../src/services/triggers/TriggerEvents.ts"

/** A default of the project, as its row is; returns its id. */
export const subscribe = (
  projectId: ProjectId,
  trigger: Trigger,
  filters: EventFilters = {},
  mutedUntil: Timestamp.Timestamp | null = null
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const id = randomUUID()
    const insert = sql`INSERT INTO subscriptions ${
      sql.insert({
        id,
        project_id: projectId,
        user_id: null,
        trigger_key: trigger,
        filters: JSON.stringify(filters),
        in_app: 0,
        cooldown_seconds: 0,
        grouping: null,
        hygiene: "{}",
        muted_until: mutedUntil,
        is_active: 1,
        created_at: now,
        updated_at: now
      })
    }`
    yield* sql.withTransaction(Effect.zipRight(insert, (yield* TriggerEvents).bumpRevision(projectId)))
    return id
  })

const decode = Schema.decodeUnknownSync(Schema.parseJson(TriggerEvent))

/** From now on `recordedEvents` knows what is inserted, whichever consumer takes it out of the outbox. */
export const watchOutbox = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE recorded_events (position INTEGER, consumer TEXT, project_id TEXT, payload TEXT)`
  const insert =
    `INSERT INTO recorded_events SELECT count(*) + 1, NEW.consumer, CAST(NEW.project_id AS TEXT), NEW.payload
    FROM recorded_events;`
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.zipRight(
        sql.unsafe(
          `CREATE FUNCTION watch_outbox() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN ${insert} RETURN NEW; END'`
        ),
        sql`CREATE TRIGGER watch_outbox BEFORE INSERT ON trigger_events FOR EACH ROW EXECUTE FUNCTION watch_outbox()`
      ),
    orElse: () => sql.unsafe(`CREATE TRIGGER watch_outbox AFTER INSERT ON trigger_events BEGIN ${insert} END`)
  })
})

/** All events of a project for the consumer, in the order of their insertion. */
export const recordedEvents = (projectId: ProjectId, consumer: Consumer = "notifications") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ payload: string }>`SELECT payload FROM recorded_events
      WHERE project_id = ${projectId} AND consumer = ${consumer} ORDER BY position`
    return rows.map(({ payload }) => decode(payload))
  })

/** An event about a failed task of the project. */
export const failureOf = (projectId: ProjectId, overrides: Partial<TriggerEvent> = {}): TriggerEvent => ({
  project_id: projectId,
  trigger: "task.failed",
  condition: "f1",
  engine: "celery",
  task_name: "shop.charge",
  queue: "cards",
  priority: "normal",
  fingerprint: "f1",
  subject: { type: "task", id: "t1", name: "shop.charge" },
  occurrences: [{
    occurred_at: Timestamp.fromEpochMicros(1_700_000_000_000_000),
    task_id: "t1",
    worker: null,
    detail: "CardDeclined",
    retry_count: 0,
    runtime_ms: null
  }],
  ...overrides
})
