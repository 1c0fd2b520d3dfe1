import { Context, Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { ProjectId, ScheduleId } from "../domain/kernel/Id.ts"
import type { Timestamp } from "../domain/kernel/Timestamp.ts"
import type { Decision } from "../domain/schedules/Schedule/Decisions.ts"
import type { Cursor } from "../domain/schedules/Schedule/Plan.ts"
import { restrictToOwner } from "../services/kernel/OwnerFile.ts"
import type { SqliteConnection } from "../sqlite/Connection.ts"
import { openSqlite } from "../sqlite/Driver.ts"
import type { KnownSchedule } from "./KnownSchedule.ts"

/** A decision that the brain has not accepted, and when it was taken. */
export interface StoredDecision extends Decision {
  readonly decided_at: Timestamp
}

export type LocalCursor = Pick<Cursor, "next_run_at" | "due_at">

/** A schedule with its next tick here: the one after its last decision. */
export interface StoredSchedule extends KnownSchedule {
  readonly cursor: LocalCursor
}

export interface StoredProject {
  readonly id: ProjectId
  readonly slug: string
  /** Whether this program fires it: it held the lease when it last heard from the brain. */
  readonly is_held: boolean
}

/** What `status` shows of a running program. */
export interface RunState {
  readonly pid: number
  readonly version: string
  readonly started_at: Timestamp
  readonly updated_at: Timestamp
  readonly connected_at: Timestamp | null
  /** Why there is no connection; null while there is one. */
  readonly error: string | null
  readonly last_tick_at: Timestamp | null
  readonly last_handover_at: Timestamp | null
}

export interface StoreCounts {
  readonly schedules: number
  readonly waiting_fires: number
  readonly oldest_waiting: Timestamp | null
}

/** Raised whenever a table changes. A file of another version is recreated: it loses only waiting fires. */
const version = 1

const schema = `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE projects (id TEXT PRIMARY KEY, slug TEXT NOT NULL, is_held INTEGER NOT NULL) STRICT;
  CREATE TABLE schedules (
    id TEXT PRIMARY KEY, project_id TEXT NOT NULL, state TEXT NOT NULL, cursor_tick TEXT, due_at TEXT
  ) STRICT;
  CREATE INDEX schedules_due ON schedules (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX schedules_project ON schedules (project_id);
  CREATE TABLE decisions (
    schedule_id TEXT NOT NULL, first_tick TEXT NOT NULL, last_tick TEXT NOT NULL, kind TEXT NOT NULL,
    decided_at TEXT NOT NULL, PRIMARY KEY (schedule_id, first_tick)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${version};
`

export const stateFile = (home: string): string => join(home, "state.db")

interface ScheduleRow {
  readonly state: string
  readonly cursor_tick: Timestamp | null
  readonly due_at: Timestamp | null
}

// the rows of this file are written by `makeStore` only, so their JSON is a KnownSchedule
const decodeSchedule = ({ cursor_tick, due_at, state }: ScheduleRow): StoredSchedule => ({
  ...(JSON.parse(state) as KnownSchedule),
  cursor: { next_run_at: cursor_tick, due_at }
})

const makeStore = (db: SqliteConnection) => {
  // the casts: each statement is beside the columns that it selects
  const insertDecision = db.prepare(
    "INSERT OR REPLACE INTO decisions (schedule_id, first_tick, last_tick, kind, decided_at) VALUES (?, ?, ?, ?, ?)"
  )
  const deleteDecisions = db.prepare("DELETE FROM decisions WHERE schedule_id = ?")
  const selectDecisions = db.prepare(
    "SELECT first_tick, last_tick, kind, decided_at FROM decisions WHERE schedule_id = ? ORDER BY first_tick"
  )
  const selectSchedule = db.prepare("SELECT state, cursor_tick, due_at FROM schedules WHERE id = ?")
  const selectDue = db.prepare(
    `SELECT s.state, s.cursor_tick, s.due_at FROM schedules s JOIN projects p ON p.id = s.project_id
     WHERE s.due_at IS NOT NULL AND s.due_at <= ? AND p.is_held = 1 ORDER BY s.due_at LIMIT ?`
  )
  const selectNextDue = db.prepare(
    `SELECT s.due_at FROM schedules s JOIN projects p ON p.id = s.project_id
     WHERE s.due_at IS NOT NULL AND p.is_held = 1 ORDER BY s.due_at LIMIT 1`
  )
  const upsertSchedule = db.prepare(
    `INSERT INTO schedules (id, project_id, state, cursor_tick, due_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET project_id = excluded.project_id, state = excluded.state,
       cursor_tick = excluded.cursor_tick, due_at = excluded.due_at`
  )
  const selectWaiting = db.prepare(
    `SELECT DISTINCT d.schedule_id AS id FROM decisions d JOIN schedules s ON s.id = d.schedule_id
     JOIN projects p ON p.id = s.project_id WHERE p.is_held = 1 ORDER BY d.first_tick`
  )
  const deleteScheduleRow = db.prepare("DELETE FROM schedules WHERE id = ?")
  const selectIds = db.prepare("SELECT id FROM schedules WHERE project_id = ?")
  const selectProjects = db.prepare("SELECT id, slug, is_held FROM projects ORDER BY slug")
  const upsertProject = db.prepare(
    "INSERT INTO projects (id, slug, is_held) VALUES (?, ?, 0) ON CONFLICT (id) DO UPDATE SET slug = excluded.slug"
  )
  const setLeaseHeld = db.prepare("UPDATE projects SET is_held = ? WHERE id = ?")
  const deleteProjectRow = db.prepare("DELETE FROM projects WHERE id = ?")
  const selectSetting = db.prepare<[string], { readonly value: string }>("SELECT value FROM settings WHERE name = ?")
  const writeSetting = db.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)")
  const selectCounts = db.prepare(
    `SELECT (SELECT count(*) FROM schedules) AS schedules,
       (SELECT count(*) FROM decisions WHERE kind = 'fire') AS waiting_fires,
       (SELECT min(first_tick) FROM decisions WHERE kind = 'fire') AS oldest_waiting`
  )

  const replaceDecisions = (id: ScheduleId, chain: ReadonlyArray<StoredDecision>) => {
    deleteDecisions.run(id)
    for (const { decided_at, first_tick, kind, last_tick } of chain) {
      insertDecision.run(id, first_tick, last_tick, kind, decided_at)
    }
  }
  const deleteSchedule = (id: ScheduleId) => {
    deleteDecisions.run(id)
    deleteScheduleRow.run(id)
  }
  const listIds = (project: ProjectId) =>
    (selectIds.all(project) as ReadonlyArray<{ id: ScheduleId }>).map(({ id }) => id)

  return {
    /** Runs the body in one transaction: all of its changes, or none. */
    atomically: <A>(body: () => A): A => db.transaction(body),
    find: (id: ScheduleId): StoredSchedule | undefined => {
      const row = selectSchedule.get(id) as ScheduleRow | undefined
      return row === undefined ? undefined : decodeSchedule(row)
    },
    /** The schedules that are due, of projects that this program fires. */
    listDue: (now: Timestamp, limit: number): ReadonlyArray<StoredSchedule> =>
      (selectDue.all(now, limit) as ReadonlyArray<ScheduleRow>).map(decodeSchedule),
    nextDue: (): Timestamp | undefined => (selectNextDue.get() as { due_at: Timestamp } | undefined)?.due_at,
    save: ({ cursor, ...schedule }: StoredSchedule): void => {
      upsertSchedule.run(schedule.id, schedule.project_id, JSON.stringify(schedule), cursor.next_run_at, cursor.due_at)
    },
    deleteSchedule,
    listIds,
    chainOf: (id: ScheduleId): ReadonlyArray<StoredDecision> =>
      selectDecisions.all(id) as ReadonlyArray<StoredDecision>,
    replaceChain: replaceDecisions,
    /** The schedules with decisions to send, those with the oldest ones first. */
    listWaiting: (): ReadonlyArray<ScheduleId> =>
      (selectWaiting.all() as ReadonlyArray<{ id: ScheduleId }>).map(({ id }) => id),
    listProjects: (): ReadonlyArray<StoredProject> =>
      (selectProjects.all() as ReadonlyArray<{ id: ProjectId; slug: string; is_held: number }>).map((row) => ({
        ...row,
        is_held: row.is_held === 1
      })),
    saveProject: (id: ProjectId, slug: string): void => void upsertProject.run(id, slug),
    setLeaseHeld: (id: ProjectId, isHeld: boolean): void => void setLeaseHeld.run(isHeld ? 1 : 0, id),
    deleteProject: (id: ProjectId): void => {
      for (const schedule of listIds(id)) deleteSchedule(schedule)
      deleteProjectRow.run(id)
    },
    readSetting: (name: string): string | undefined => selectSetting.get(name)?.value,
    writeSetting: (name: string, value: string): void => void writeSetting.run(name, value),
    writeRunState: (state: RunState): void => void writeSetting.run("run", JSON.stringify(state)),
    /** Null: no program ran here yet. Only `writeRunState` writes it, so its JSON is a RunState. */
    readRunState: (): RunState | null => {
      const text = selectSetting.get("run")?.value
      return text === undefined ? null : (JSON.parse(text) as RunState)
    },
    counts: (): StoreCounts => selectCounts.get() as StoreCounts
  }
}

const close = (db: SqliteConnection) => Effect.sync(() => db.close())

const hasTables = (db: SqliteConnection): boolean =>
  db.prepare<[], { readonly user_version: number }>("PRAGMA user_version").get()?.user_version === version

const open = (home: string) => {
  const file = stateFile(home)
  restrictToOwner(file)
  const db = openSqlite(file, { access: "create", timeout: 5000 })
  db.exec("PRAGMA journal_mode = WAL")
  // A loss of power may take the newest decisions. They are taken again, with the same ids of their fires.
  db.exec("PRAGMA synchronous = NORMAL")
  db.exec("PRAGMA cache_size = -4096") // KiB
  if (!hasTables(db)) {
    const tables = db.prepare<[], { readonly name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
    db.transaction(() => {
      for (const { name } of tables) db.exec(`DROP TABLE "${name}"`)
      db.exec(schema)
    })
  }
  return db
}

/**
 * What the program keeps in its home folder: the newest state of each schedule, so that it starts and ticks without the
 * brain, and the decisions that the brain has not accepted, written before they are sent.
 */
export class Store extends Context.Tag("svc/scheduler/Store")<Store, ReturnType<typeof makeStore>>() {
  static readonly layer = (home: string) =>
    Layer.scoped(Store, Effect.map(Effect.acquireRelease(Effect.sync(() => open(home)), close), makeStore))

  /**
   * The store of the program that runs there, for `status`. Undefined where no program of this version has created its
   * tables yet: the file is there a moment before them.
   */
  static readonly readBeside = (home: string) =>
    Effect.gen(function*() {
      const file = stateFile(home)
      if (!existsSync(file)) return undefined
      const db = yield* Effect.acquireRelease(
        Effect.sync(() => openSqlite(file, { access: "read", timeout: 5000 })),
        close
      )
      return hasTables(db) ? makeStore(db) : undefined
    })
}
