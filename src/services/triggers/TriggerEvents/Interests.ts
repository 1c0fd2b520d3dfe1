import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Either, Option, Schema } from "effect"
import type { Consumer } from "../../../domain/kernel/Consumer.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { EventFilters, type FilteredFields, type Interest, makeMatcher } from "../../../domain/triggers/Filters.ts"
import { Trigger, type TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"

/** What a project's subscriptions, defaults and rules ask for. */
export interface Interests {
  /** Whether an event of this trigger can be wanted. */
  readonly hasTrigger: (trigger: Trigger) => boolean
  readonly consumersOf: (
    event: Pick<TriggerEvent, "trigger" | "engine" | "task_name" | "queue" | "priority">
  ) => ReadonlyArray<Consumer>
  /** The subscriptions to `task.failure_rate` that count a task. */
  readonly rateSubscriptionsOf: (task: FilteredFields) => ReadonlyArray<string>
}

interface CacheEntry {
  readonly revision: number
  readonly interests: Interests
  /** When a mute ends. */
  readonly validUntil: Timestamp | null
}

interface RevisionRow {
  readonly project_id: ProjectId
  readonly revision: number | string
}

/** A subscription or a rule. */
interface InterestRow {
  /** Null: a rule. */
  readonly id: string | null
  readonly consumer: Consumer
  readonly trigger_key: string
  readonly filters: string
  readonly muted_until: Timestamp | null
}

/** A rule evaluates its conditions itself. */
const selectInterests = (sql: SqlClient.SqlClient, projectId: string) =>
  sql<InterestRow>`
    SELECT 'notifications' AS consumer, CAST(id AS TEXT) AS id, trigger_key, filters, muted_until FROM subscriptions
      WHERE is_active = 1 AND project_id = ${projectId}
    UNION ALL SELECT DISTINCT 'rules', CAST(NULL AS TEXT), trigger_key, '{}', NULL FROM automation_rules r
      WHERE is_enabled = 1 AND project_id = ${projectId} AND NOT EXISTS (
        SELECT 1 FROM automation_settings s WHERE s.project_id = r.project_id AND s.automation_enabled = 0)`

/** Projects whose interests are kept. Each remembers up to 5 000 combinations of names, about 1 MiB. */
const maxProjects = 500

const isTrigger = Schema.is(Trigger)
const decodeFilters = Schema.decodeUnknownEither(Schema.parseJson(EventFilters))

/**
 * The interests of projects, compiled and cached. A statement in the caller's transaction reads the revision of the
 * project, and only another revision reads the subscriptions again. A project without a revision has no interests.
 *
 * A transaction that raises the revision (`bumpRevision`) must record no event: after a rollback another transaction
 * uses the same number.
 */
export const makeInterestCache = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const cache = new Map<ProjectId, CacheEntry>()

  const find = (projectId: ProjectId, revision: number, at: Timestamp): Interests | undefined => {
    const entry = cache.get(projectId)
    if (entry === undefined || entry.revision !== revision) return undefined
    return entry.validUntil !== null && entry.validUntil <= at ? undefined : entry.interests
  }

  const compile = (
    projectId: ProjectId,
    revision: number,
    rows: ReadonlyArray<InterestRow>,
    at: Timestamp
  ): Interests => {
    const { interests, validUntil } = compileInterests(rows, at)
    cache.delete(projectId) // the newest last
    cache.set(projectId, { revision, interests, validUntil })
    const [oldest] = cache.size > maxProjects ? cache.keys() : []
    if (oldest !== undefined) cache.delete(oldest)
    return interests
  }

  /** The interests of those of the projects that have any, as the current transaction sees them. */
  const load = (
    projectIds: ReadonlyArray<ProjectId>,
    at: Timestamp
  ): Effect.Effect<ReadonlyMap<ProjectId, Interests>, SqlError.SqlError> =>
    Effect.gen(function*() {
      const found = new Map<ProjectId, Interests>()
      if (projectIds.length === 0) return found
      const revisions = yield* sql<RevisionRow>`
        SELECT project_id, revision FROM trigger_revisions WHERE ${sql.in("project_id", projectIds)}`
      for (const { project_id, revision } of revisions) {
        const current = find(project_id, Number(revision), at) ??
          compile(project_id, Number(revision), yield* selectInterests(sql, project_id), at)
        found.set(project_id, current)
      }
      return found
    })

  const prepare = (db: SqliteConnection) => ({
    revision: db.prepare<[string], { readonly revision: number }>(
      "SELECT revision FROM trigger_revisions WHERE project_id = ?"
    ),
    interests: db.prepare<[string, string], InterestRow>(selectInterests(sql, "").compile()[0]) // the text only
  })
  const statements = new WeakMap<SqliteConnection, ReturnType<typeof prepare>>()

  /** The same for the ingest's transaction on SQLite, which is synchronous. */
  const loadOnSqlite = (
    db: SqliteConnection,
    projectIds: ReadonlyArray<ProjectId>,
    at: Timestamp
  ): ReadonlyMap<ProjectId, Interests> => {
    let prepared = statements.get(db)
    if (prepared === undefined) statements.set(db, prepared = prepare(db))
    const found = new Map<ProjectId, Interests>()
    for (const projectId of projectIds) {
      const revision = prepared.revision.get(projectId)?.revision
      if (revision === undefined) continue
      found.set(
        projectId,
        find(projectId, revision, at) ?? compile(projectId, revision, prepared.interests.all(projectId, projectId), at)
      )
    }
    return found
  }

  return { load, loadOnSqlite } as const
})

/** A muted subscription wants nothing until its mute ends. */
const compileInterests = (rows: ReadonlyArray<InterestRow>, at: Timestamp) => {
  const interests: Array<Interest<Consumer>> = []
  const rates: Array<Interest<string>> = []
  let validUntil: Timestamp | null = null
  for (const { consumer, filters, id, muted_until, trigger_key } of rows) {
    if (muted_until !== null && muted_until > at) {
      if (validUntil === null || muted_until < validUntil) validUntil = muted_until
      continue
    }
    const decoded = Option.getOrUndefined(Either.getRight(decodeFilters(filters)))
    // written by a newer version: its program compiles them
    if (decoded === undefined || !isTrigger(trigger_key)) continue
    const isRate = trigger_key === "task.failure_rate"
    if (isRate && id !== null) rates.push({ value: id, trigger: trigger_key, filters: decoded })
    // the filters of a rate say which tasks count, and its event is about all of them
    interests.push({ value: consumer, trigger: trigger_key, filters: isRate ? {} : decoded })
  }
  const matcher = makeMatcher(interests)
  const rateMatcher = makeMatcher(rates)
  return {
    interests: {
      hasTrigger: matcher.hasTrigger,
      consumersOf: matcher.match,
      rateSubscriptionsOf: (task) => rateMatcher.match({ ...task, trigger: "task.failure_rate" })
    } satisfies Interests,
    validUntil
  }
}
