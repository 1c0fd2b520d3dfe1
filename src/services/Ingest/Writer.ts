import { SqlClient, type SqlError } from "@effect/sql"
import type BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import * as Redaction from "../../domain/Redaction.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import type { StoredRow } from "../Audit/Append.ts"
import { Database, type SqliteAccess } from "../Database.ts"
import { turn } from "../EventLoop.ts"
import { Metrics } from "../Metrics.ts"
import { RowCaps } from "../RowCaps.ts"
import { Settings } from "../Settings.ts"
import { TaskChanges } from "../TaskChanges.ts"
import { countSlot } from "../Tasks/Counts.ts"
import { type Arrivals, type Group, makeSorter, makeStorable } from "./Arrivals.ts"
import type { Pending } from "./Backlog.ts"
import { makeEndCounter } from "./Ends.ts"
import { KnownFacets } from "./Facets.ts"
import { failuresOf } from "./Failures.ts"
import { fold, type Folded } from "./Fold.ts"
import { postgresTasks } from "./Postgres.ts"
import { Recent } from "./Recent.ts"
import { SqliteTallies, SqliteTasks } from "./Sqlite.ts"
import { type Tally, tallyOf } from "./Tally.ts"

/** What one transaction wrote. */
interface Written {
  readonly folded: ReadonlyArray<Folded>
  readonly tally: Tally
  /** Groups whose task another replica changed meanwhile: to be folded again, in the next transaction. */
  readonly missed: ReadonlyArray<Group>
}

type Tallied = (arrivals: Arrivals, folded: ReadonlyArray<Folded>, at: Timestamp.Timestamp) => Tally

type Write = (arrivals: Arrivals, lane: number, at: Timestamp.Timestamp) => Effect.Effect<Written, SqlError.SqlError>

const MOST_RECENT = 20_000
const MOST_RECENT_BYTES = 32 * 1024 * 1024

/** Characters of events after whose masking other work gets its turn. */
const maskedAtOnce = 128 * 1024

/**
 * Writes events to the database: folds them task by task and commits rows, counts, facets, workers, queues and the
 * audit log's rows of failed tasks together. Everything here may be done again: an event that is stored already changes nothing.
 */
export const makeWriter = Effect.gen(function*() {
  const database = yield* Database
  const sql = yield* SqlClient.SqlClient
  const settings = yield* Settings
  const changes = yield* TaskChanges
  const makeEventStorable = makeStorable(Redaction.make(settings.redactExtraKeys), settings.tasksMaxValueBytes)
  const sort = makeSorter()
  const recent = new Recent(MOST_RECENT, MOST_RECENT_BYTES)
  const facets = new KnownFacets()
  const audit = yield* Audit
  const caps = yield* RowCaps
  const countEnds = makeEndCounter(yield* Metrics, settings.metricsTaskNames)
  const tallied: Tallied = (arrivals, folded, at) => {
    const millis = Timestamp.toEpochMillis(at)
    const tally = tallyOf(arrivals, folded, millis)
    return {
      ...tally,
      facets: facets.unknown(tally.facets, millis), // without those that were written a short while ago
      workers: caps.admit("workers", tally.workers),
      queues: caps.admit("queues", tally.queues)
    }
  }
  const failures = settings.auditTaskFailures === "on" ? failuresOf : () => []
  const write = database.sqlite === null
    ? onPostgres(sql, recent, tallied, (folded) => audit.recordAll(failures(folded)))
    : onSqlite(database.sqlite, recent, tallied, (db, folded, at) => audit.recordOn(db, failures(folded), at), audit.committed)
  let last = yield* Timestamp.now

  /** Each transaction has its own moment, later than that of the one before: changes are in the order of commits. */
  const nextMoment = Effect.map(Timestamp.now, (now) => {
    last = now > last ? now : Timestamp.addSeconds(last, 0.000001)
    return last
  })

  const committed = ({ folded, tally }: Written): Effect.Effect<void> => {
    for (const { group, row } of folded) recent.set(group.key, row)
    facets.add(tally.facets, Timestamp.toEpochMillis(last))
    countEnds(folded)
    return changes.publish(new Set(folded.map(({ row }) => row.project_id)), () =>
      folded.map(({ known, row }) => ({
        project_id: row.project_id,
        id: row.id,
        engine: row.engine,
        task_id: row.task_id,
        name: row.name,
        state: row.state,
        previous_state: known?.state ?? null,
        updated_at: row.updated_at
      })))
  }

  /**
   * Commits the events of a lane. Those that cannot be stored are marked and left out, as far as that can be seen
   * without the database; when the database refuses something the whole fails, and nothing was written.
   */
  const commit = Effect.fnUntraced(function*(slice: ReadonlyArray<Pending>, lane: number) {
    let characters = 0
    for (const event of slice) {
      makeEventStorable(event)
      characters += event.size
      if (characters < maskedAtOnce) continue
      characters = 0
      yield* turn
    }
    yield* caps.prepare(new Set(slice.map(({ projectId }) => projectId)))
    let arrivals = sort(slice)
    while (arrivals.groups.length > 0 || arrivals.side.length > 0) {
      const written = yield* write(arrivals, lane, yield* nextMoment)
      yield* committed(written)
      for (const { key } of written.missed) recent.forget(key)
      arrivals = { groups: written.missed.map((group) => ({ ...group, opening: false })), side: [] }
    }
  })

  return { commit } as const
})

const onSqlite = (
  access: SqliteAccess,
  recent: Recent,
  tallied: Tallied,
  auditFailures: (
    db: BetterSqlite3.Database,
    folded: ReadonlyArray<Folded>,
    at: Timestamp.Timestamp
  ) => ReadonlyArray<StoredRow>,
  committed: (rows: ReadonlyArray<StoredRow>) => Effect.Effect<void>
): Write => {
  let statements: { readonly tasks: SqliteTasks; readonly tallies: SqliteTallies } | undefined
  const prepared = (db: BetterSqlite3.Database) =>
    statements ??= { tasks: new SqliteTasks(db), tallies: new SqliteTallies(db) }
  return (arrivals, lane, at) =>
    access.write((db) => {
      const { tallies, tasks } = prepared(db)
      const folded: Array<Folded> = []
      for (const group of arrivals.groups) {
        const one = tasks.write(group, recent, at)
        if (one !== null) folded.push(one)
      }
      const tally = tallied(arrivals, folded, at)
      tallies.write(tally, countSlot(lane), at)
      return { folded, tally, missed: [], rows: auditFailures(db, folded, at) }
    }).pipe(Effect.tap(({ rows }) => committed(rows)))
}

const onPostgres = (
  sql: SqlClient.SqlClient,
  recent: Recent,
  tallied: Tallied,
  auditFailures: (folded: ReadonlyArray<Folded>) => Effect.Effect<void>
): Write => {
  const tasks = postgresTasks(sql)
  return Effect.fnUntraced(function*(arrivals, lane, at) {
    const groups = arrivals.groups.toSorted((left, right) => (left.key < right.key ? -1 : 1))
    const stored = yield* tasks.read(groups.filter((group) => !group.opening && recent.get(group.key) === undefined))
    const folded = groups.flatMap((group) => fold(recent.get(group.key) ?? stored.get(group.key), group, at) ?? [])
    const written = new Set([
      ...yield* tasks.update(folded.filter(({ known }) => known !== undefined).map(({ row }) => row)),
      ...yield* tasks.insert(folded.filter(({ known }) => known === undefined).map(({ row }) => row))
    ])
    const missed = written.size === folded.length
      ? []
      : folded.filter(({ row }) => !written.has(row.id)).map(({ group }) => group)
    const went = missed.length === 0 ? folded : folded.filter(({ row }) => written.has(row.id))
    const seen = missed.length === 0
      ? arrivals
      : { ...arrivals, groups: groups.filter((group) => !missed.includes(group)) }
    const tally = tallied(seen, went, at)
    yield* tasks.writeTally(tally, countSlot(lane), at)
    yield* auditFailures(went)
    return { folded: went, tally, missed }
  }, sql.withTransaction)
}
