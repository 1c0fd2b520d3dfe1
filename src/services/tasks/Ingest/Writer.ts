import { SqlClient, type SqlError } from "@effect/sql"
import { Effect } from "effect"
import { randomInt } from "node:crypto"
import * as Redaction from "../../../domain/kernel/Redaction.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { SqliteConnection } from "../../../sqlite/Connection.ts"
import { Audit } from "../../audit/Audit.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import { Metrics } from "../../kernel/Metrics.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Database, type SqliteAccess } from "../../kernel/sql/Database.ts"
import { nameKey, RowCaps } from "../../kernel/sql/RowCaps.ts"
import { TriggerEvents } from "../../triggers/TriggerEvents.ts"
import type { GroupChanges, ReportedGroup } from "../Failures/Changes.ts"
import type { CountUpdate } from "../Failures/GroupSql.ts"
import { TaskChanges } from "../TaskChanges.ts"
import type { PendingEvent } from "./Backlog.ts"
import { makeEndCounter } from "./EndCounter.ts"
import { makeFailureEntries } from "./FailureAudit.ts"
import { makeFailureCounter } from "./FailureCounter.ts"
import { fold, type FoldedGroup } from "./Fold.ts"
import { type GroupedEvents, makeGrouper, makeMasker, type TaskGroup } from "./Grouping.ts"
import { KnownFacets } from "./KnownFacets.ts"
import { makeLockTasks, makePostgresOutputs, makeSqliteOutputs } from "./Outputs.ts"
import { makePostgresTasks } from "./Postgres.ts"
import { makeProjectCounter } from "./ProjectCounter.ts"
import { makeSearchableValues } from "./SearchableValues.ts"
import { SqliteTasks, SqliteTotals } from "./Sqlite.ts"
import { TaskCache } from "./TaskCache.ts"
import { makeTaskEvents, projectsWithEnds } from "./TaskTriggers.ts"
import { makeTransactionTotals, type TransactionTotals } from "./TransactionTotals.ts"

const slotCount = 32
const firstSlot = randomInt(slotCount)

/**
 * The slot of each count in `task_counts` that a writer of this process updates. There are several, so that writers
 * seldom wait for the same row. The count is the sum of the slots; a single slot may be negative.
 */
const countSlot = (partition: number): number => (firstSlot + partition) % slotCount

/** What one transaction wrote. */
interface CommitResult {
  readonly folded: ReadonlyArray<FoldedGroup>
  readonly totals: TransactionTotals
  /** Groups whose task another replica has changed: folded again in the next transaction. */
  readonly conflicts: ReadonlyArray<TaskGroup>
}

type MakeTotals = (
  arrivals: GroupedEvents,
  folded: ReadonlyArray<FoldedGroup>,
  at: Timestamp.Timestamp
) => TransactionTotals

type WriteTransaction = (
  arrivals: GroupedEvents,
  partition: number
) => Effect.Effect<CommitResult, SqlError.SqlError>

const MAX_CACHED_TASKS = 20_000
const MAX_CACHE_BYTES = 32 * 1024 * 1024

/** Characters of events that are masked between two turns of the event loop. */
const maskSliceCharacters = 128 * 1024

/**
 * Writes events to the database: folds them task by task, and commits rows, searchable values, counts, facets, workers,
 * queues, trigger events and the audit rows of failed tasks together. Every step can be repeated: a stored event changes nothing the second time.
 */
export const makeWriter = Effect.gen(function*() {
  const database = yield* Database
  const sql = yield* SqlClient.SqlClient
  const settings = yield* Settings
  const changes = yield* TaskChanges
  const maskEvent = makeMasker(Redaction.make(settings.redactExtraKeys), settings.tasksMaxValueBytes)
  const groupEvents = makeGrouper()
  const cache = new TaskCache(MAX_CACHED_TASKS, MAX_CACHE_BYTES)
  const facets = new KnownFacets()
  const audit = yield* Audit
  const triggerEvents = yield* TriggerEvents
  const failureCounter = yield* makeFailureCounter
  const caps = yield* RowCaps
  const countEnds = makeEndCounter(yield* Metrics, settings.metricsTaskNames)
  const projectCounter = yield* makeProjectCounter
  const searchableValues = yield* makeSearchableValues
  const makeCappedTotals: MakeTotals = (arrivals, folded, at) => {
    const millis = Timestamp.toEpochMillis(at)
    const totals = makeTransactionTotals(arrivals, folded, at)
    return {
      ...totals,
      facets: facets.filterUnknown(totals.facets, millis), // without those written lately
      workers: caps.admit("workers", totals.workers, nameKey),
      queues: caps.admit("queues", totals.queues, nameKey),
      failures: admitFailures(caps, totals.failures)
    }
  }
  let lastTimestamp = yield* Timestamp.now

  /** Each transaction has its own time, later than the previous one's, so that changes are in the order of commits. */
  const nextTimestamp = Effect.map(Timestamp.now, (now) => {
    lastTimestamp = now > lastTimestamp ? now : Timestamp.addSeconds(lastTimestamp, 0.000001)
    return lastTimestamp
  })

  const auditEntriesOf = settings.auditTaskFailures === "on" ? makeFailureEntries : () => []
  const write = database.sqlite === null
    ? makePostgresWrite(sql, cache, nextTimestamp, makeCappedTotals, (folded, slot, at) =>
      Effect.all([
        searchableValues.write(folded),
        triggerEvents.recordFor(
          projectsWithEnds(folded),
          (interests) =>
            Effect.map(
              failureCounter.count(folded, interests, slot, at),
              () => makeTaskEvents(folded, interests)
            )
        ),
        audit.recordAll(auditEntriesOf(folded))
      ], { discard: true }))
    : makeSqliteWrite(
      database.sqlite,
      cache,
      nextTimestamp,
      makeCappedTotals,
      (db, folded, slot, at) => {
        searchableValues.writeOnSqlite(db, folded)
        const publish = triggerEvents.recordOnSqlite(
          db,
          projectsWithEnds(folded),
          at,
          (interests) => {
            failureCounter.countOnSqlite(db, folded, interests, slot, at)
            return makeTaskEvents(folded, interests)
          }
        )
        const rows = audit.recordOnSqlite(db, auditEntriesOf(folded), at)
        return Effect.zipRight(audit.onCommitted(rows), publish)
      }
    )
  const finishCommit = ({ folded, totals }: CommitResult, { outputs }: GroupedEvents): Effect.Effect<void> => {
    for (const { group, row } of folded) cache.set(group.key, row)
    facets.add(totals.facets, Timestamp.toEpochMillis(lastTimestamp))
    countEnds(folded)
    projectCounter.count(folded)
    const projectIds = new Set(folded.map(({ row }) => row.project_id))
    for (const { projectId } of outputs) projectIds.add(projectId)
    return changes.publish(projectIds, () =>
      folded.map(({ stored, row }) => ({
        project_id: row.project_id,
        id: row.id,
        engine: row.engine,
        task_id: row.task_id,
        name: row.name,
        state: row.state,
        previous_state: stored?.state ?? null,
        updated_at: row.updated_at
      })))
  }

  /**
   * Commits the events of a partition. Events that are invalid by themselves are marked and left out. When the database
   * refuses one, the whole commit fails and nothing is written.
   */
  const commit = Effect.fnUntraced(function*(slice: ReadonlyArray<PendingEvent>, partition: number) {
    let characters = 0
    for (const event of slice) {
      maskEvent(event)
      characters += event.size
      if (characters < maskSliceCharacters) continue
      characters = 0
      yield* yieldToEventLoop
    }
    const projectIds = new Set(slice.map(({ projectId }) => projectId))
    yield* caps.prepare(projectIds)
    yield* projectCounter.prepare(projectIds)
    let arrivals = groupEvents(slice)
    while (arrivals.groups.length > 0 || arrivals.side.length > 0 || arrivals.outputs.length > 0) {
      const written = yield* write(arrivals, partition)
      yield* finishCommit(written, arrivals)
      for (const { key } of written.conflicts) cache.evict(key)
      const groups = written.conflicts.map((group) => ({ ...group, mayCreateTask: false }))
      arrivals = { groups, outputs: [], side: [] }
    }
  })

  return { commit } as const
})

/** Without the new groups over the cap. A group without new occurrences is stored, or is not created. */
const admitFailures = (
  caps: RowCaps,
  { counts, groups }: GroupChanges
): GroupChanges => {
  const isOccurring = ({ occurrences }: ReportedGroup) => occurrences > 0
  const occurring = groups.filter(isOccurring)
  const admitted = new Set(caps.admit("failure_groups", occurring, ({ fingerprint }) => fingerprint))
  if (admitted.size === occurring.length) return { counts, groups }
  const dropped = new Set(occurring.filter((group) => !admitted.has(group)).map(groupKey))
  return {
    counts: counts.filter((count) => !dropped.has(groupKey(count))),
    groups: groups.filter((group) => !dropped.has(groupKey(group)))
  }
}

const groupKey = ({ fingerprint, project_id }: CountUpdate | ReportedGroup): string => `${project_id} ${fingerprint}`

const makeSqliteWrite = (
  access: SqliteAccess,
  cache: TaskCache,
  nextTimestamp: Effect.Effect<Timestamp.Timestamp>,
  makeCappedTotals: MakeTotals,
  /** Returns what to do after the commit. */
  recordRest: (
    db: SqliteConnection,
    folded: ReadonlyArray<FoldedGroup>,
    slot: number,
    at: Timestamp.Timestamp
  ) => Effect.Effect<void>
): WriteTransaction => {
  const prepare = (db: SqliteConnection) => ({
    tasks: new SqliteTasks(db),
    totalsWriter: new SqliteTotals(db),
    writeOutputs: makeSqliteOutputs(db)
  })
  let statements: ReturnType<typeof prepare> | undefined
  return Effect.fnUntraced(function*(arrivals, partition) {
    const at = yield* nextTimestamp
    const { onCommit, ...result } = yield* access.write((db) => {
      const { tasks, totalsWriter, writeOutputs } = statements ??= prepare(db)
      const folded: Array<FoldedGroup> = []
      for (const group of arrivals.groups) {
        const one = tasks.write(group, cache, at)
        if (one !== null) folded.push(one)
      }
      if (arrivals.outputs.length > 0) writeOutputs(arrivals.outputs, at)
      const totals = makeCappedTotals(arrivals, folded, at)
      totalsWriter.write(totals, countSlot(partition), at)
      return { folded, totals, conflicts: [], onCommit: recordRest(db, folded, countSlot(partition), at) }
    })
    yield* onCommit
    return result
  })
}

const makePostgresWrite = (
  sql: SqlClient.SqlClient,
  cache: TaskCache,
  nextTimestamp: Effect.Effect<Timestamp.Timestamp>,
  makeCappedTotals: MakeTotals,
  recordRest: (
    folded: ReadonlyArray<FoldedGroup>,
    slot: number,
    at: Timestamp.Timestamp
  ) => Effect.Effect<void, SqlError.SqlError>
): WriteTransaction => {
  const tasks = makePostgresTasks(sql)
  const lockTasks = makeLockTasks(sql)
  const writeOutputs = makePostgresOutputs(sql)
  return Effect.fnUntraced(function*(arrivals, partition) {
    const groups = arrivals.groups.toSorted((left, right) => (left.key < right.key ? -1 : 1))
    if (arrivals.outputs.length > 0) yield* lockTasks(groups, arrivals.outputs)
    const stored = yield* tasks.read(
      groups.filter((group) => !group.mayCreateTask && cache.get(group.key) === undefined)
    )
    // last before the first write: the live stream waits for transactions that write, not for those that wait to begin
    const at = yield* nextTimestamp
    const folded = groups.flatMap((group) => fold(cache.get(group.key) ?? stored.get(group.key), group, at) ?? [])
    const written = new Set([
      ...yield* tasks.update(folded.filter(({ stored }) => stored !== undefined).map(({ row }) => row)),
      ...yield* tasks.insert(folded.filter(({ stored }) => stored === undefined).map(({ row }) => row))
    ])
    if (arrivals.outputs.length > 0) yield* writeOutputs(arrivals.outputs, at)
    const conflicts = written.size === folded.length
      ? []
      : folded.filter(({ row }) => !written.has(row.id)).map(({ group }) => group)
    const writtenFolds = conflicts.length === 0 ? folded : folded.filter(({ row }) => written.has(row.id))
    const writtenEvents = conflicts.length === 0
      ? arrivals
      : { ...arrivals, groups: groups.filter((group) => !conflicts.includes(group)) }
    const totals = makeCappedTotals(writtenEvents, writtenFolds, at)
    yield* tasks.writeTotals(totals, countSlot(partition), at)
    yield* recordRest(writtenFolds, countSlot(partition), at)
    return { folded: writtenFolds, totals, conflicts }
  }, sql.withTransaction)
}
