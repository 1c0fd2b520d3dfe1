import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Tasks, their failures and their counts. */
export const tasks: AreaTables = {
  names: [
    "tasks",
    "task_facets",
    "task_counts",
    "task_retries",
    "task_orphans",
    "task_outputs",
    "task_log_chunks",
    "failure_groups",
    "failure_group_counts",
    "rollup_deltas",
    "rollup_merges",
    "rollup_series",
    "rollups",
    "saved_views",
    "searchable_paths",
    "searchable_values"
  ],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, serial, text, uuid } = types(sql)
    const withRoomForUpdates = sql.onDialectOrElse({
      // the rows of the present minute, hour and day are updated each second: room for their new versions in the page
      pg: () => sql.literal("WITH (fillfactor = 70)"),
      orElse: () => sql.literal("WITHOUT ROWID")
    })

    const withoutRowid = sql.onDialectOrElse({ pg: () => sql.literal(""), orElse: () => sql.literal("WITHOUT ROWID") })

    // No foreign keys on the hot tables: a project's tasks are deleted in slices, and each insert would pay for the check.
    // Nor an index on the id alone, for the same reason: every lookup by id knows the project.
    yield* sql`CREATE TABLE tasks (
      id ${uuid} NOT NULL,
      project_id ${uuid} NOT NULL,
      engine ${text} NOT NULL,
      task_id ${text} NOT NULL,
      name ${text} NOT NULL,
      queue ${text},
      state ${text} NOT NULL,
      priority TEXT NOT NULL,
      args TEXT, kwargs TEXT, result TEXT,
      exception TEXT, traceback TEXT,
      retry_count INTEGER NOT NULL,
      eta ${text},
      received_at ${text},
      started_at ${text},
      finished_at ${text},
      runtime_ms ${bigint},
      worker_name ${text},
      parent_task_id ${text},
      root_task_id ${text},
      tags TEXT NOT NULL,
      first_event_at ${text} NOT NULL,
      history TEXT NOT NULL,
      revision INTEGER NOT NULL,
      -- which failure the task had (docs/failures.md); null: none
      fingerprint ${text},
      -- the id of the retry that succeeded
      recovered_by ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL,
      PRIMARY KEY (project_id, engine, task_id)
    )`
    // task_id beside the key: a search walks this index alone, newest first
    yield* sql`CREATE INDEX tasks_list ON tasks (project_id, id, task_id)`
    yield* sql`CREATE INDEX tasks_state ON tasks (project_id, state, id)`
    yield* sql`CREATE INDEX tasks_name ON tasks (project_id, name, id)`
    yield* sql`CREATE INDEX tasks_queue ON tasks (project_id, queue, id)`
    yield* sql`CREATE INDEX tasks_worker ON tasks (project_id, worker_name, id)`
    // the live stream reads what changed since
    yield* sql`CREATE INDEX tasks_changes ON tasks (project_id, updated_at, id)`
    yield* sql`CREATE INDEX tasks_root ON tasks (project_id, root_task_id, id) WHERE root_task_id IS NOT NULL`
    // id and created_at are of one moment, so `since` and `until` bound the id; but for these few, received in another hour
    yield* sql`CREATE INDEX tasks_other_hour ON tasks (project_id, id)
      WHERE substr(COALESCE(received_at, first_event_at), 1, 13) <> substr(created_at, 1, 13)`
    // A search in exceptions walks the tasks that have one, which are few, and not all tasks.
    yield* sql`CREATE INDEX tasks_exception ON tasks (project_id, id) WHERE exception IS NOT NULL`
    yield* sql`CREATE INDEX tasks_fingerprint ON tasks (project_id, fingerprint, id) WHERE fingerprint IS NOT NULL`
    // what a back-test of an automation rule reads, newest first
    yield* sql`CREATE INDEX tasks_failed_or_retried ON tasks (project_id, updated_at, id)
      WHERE fingerprint IS NOT NULL OR retry_count > 0`

    // The distinct names, queues and workers of a project's tasks: substring filters search these, never each task.
    // `facet` is the column: name, queue or worker_name (src/domain/tasks/TaskFacet.ts).
    yield* sql`CREATE TABLE task_facets (
      project_id ${uuid} NOT NULL,
      facet ${text} NOT NULL,
      value ${text} NOT NULL,
      seen_at ${text} NOT NULL DEFAULT '',
      PRIMARY KEY (project_id, facet, value)
    )`

    // Tasks by state, kept by the writers; several slots, so that replicas do not wait for one row. The count is the sum.
    yield* sql`CREATE TABLE task_counts (
      project_id ${uuid} NOT NULL,
      state ${text} NOT NULL,
      slot INTEGER NOT NULL,
      tasks ${bigint} NOT NULL,
      PRIMARY KEY (project_id, state, slot)
    )`

    // Which task a retry of which task created, as the result of the command says. The primary key finds a task's original,
    // the first index its retries, newest command first; the second serves the retention, since command ids sort by time.
    yield* sql`CREATE TABLE task_retries (
      project_id ${uuid} NOT NULL,
      engine ${text} NOT NULL,
      task_id ${text} NOT NULL,
      new_task_id ${text} NOT NULL,
      command_id ${uuid} NOT NULL,
      -- when the link is read again to see whether the retry has succeeded (docs/failures.md)
      check_at ${text},
      recheck_at ${text},
      PRIMARY KEY (project_id, engine, new_task_id, task_id)
    )`
    yield* sql`CREATE INDEX task_retries_of_task ON task_retries (project_id, engine, task_id, command_id)`
    yield* sql`CREATE INDEX task_retries_command ON task_retries (command_id)`
    yield* sql`CREATE INDEX task_retries_check ON task_retries (check_at) WHERE check_at IS NOT NULL`

    // One row a task, of its last orphaned attempt: `started_at` names the attempt.
    yield* sql`CREATE TABLE task_orphans (
      project_id ${uuid} NOT NULL,
      engine ${text} NOT NULL,
      task_id ${text} NOT NULL,
      started_at ${text} NOT NULL,
      worker_name ${text},
      detail TEXT NOT NULL,
      orphaned_at ${text} NOT NULL,
      PRIMARY KEY (project_id, engine, task_id)
    )`
    yield* sql`CREATE INDEX task_orphans_at ON task_orphans (orphaned_at)`
    yield* sql`CREATE INDEX task_orphans_project ON task_orphans (project_id, orphaned_at, engine, task_id)`

    // What tasks say while they run (docs/task-logs.md), also of tasks that are not known yet: `lines` counts those of its
    // log, `dropped` those that were left out. A chunk has the lines of one event, so that an event is stored once.
    yield* sql`CREATE TABLE task_outputs (
      project_id ${uuid} NOT NULL,
      engine ${text} NOT NULL,
      task_id ${text} NOT NULL,
      lines INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      dropped ${bigint} NOT NULL,
      progress TEXT,
      progress_at ${text},
      updated_at ${text} NOT NULL,
      PRIMARY KEY (project_id, engine, task_id)
    ) ${withRoomForUpdates}`
    yield* sql`CREATE INDEX task_outputs_updated ON task_outputs (project_id, updated_at)`
    yield* sql`CREATE TABLE task_log_chunks (
      project_id ${uuid} NOT NULL,
      engine ${text} NOT NULL,
      task_id ${text} NOT NULL,
      event_id ${uuid} NOT NULL,
      last_seq INTEGER NOT NULL,
      lines TEXT NOT NULL,
      PRIMARY KEY (project_id, engine, task_id, event_id)
    )`

    // Failures by fingerprint, and how many happened when (docs/failures.md). No foreign keys, as on the hot tables.
    yield* sql`CREATE TABLE failure_groups (
      project_id ${uuid} NOT NULL,
      fingerprint ${text} NOT NULL,
      engine ${text} NOT NULL,
      task_name ${text} NOT NULL,
      sample_task_id ${text} NOT NULL,
      sample_exception TEXT,
      first_seen_at ${text} NOT NULL,
      last_seen_at ${text} NOT NULL,
      occurrences ${bigint} NOT NULL,
      open_count ${bigint} NOT NULL,
      recovered_count ${bigint} NOT NULL,
      -- what people decided about it, and until when a mute lasts: a time, or the word of a condition
      triage ${text} NOT NULL DEFAULT 'open',
      triaged_at ${text},
      triaged_by ${uuid},
      muted_until ${text},
      assignee_id ${uuid},
      note TEXT,
      PRIMARY KEY (project_id, fingerprint)
    )`
    // It has the columns that the filters compare, so that a filter that excludes all groups of a project reads no row:
    // 0.6 ms for 10 000 groups on SQLite.
    yield* sql`CREATE INDEX failure_groups_list
      ON failure_groups (project_id, last_seen_at, fingerprint, open_count, engine, triage, assignee_id)`
    // what `services/tasks/Failures/TriageChanges.ts` looks for: the index of recurred groups is empty but for moments
    yield* sql`CREATE INDEX failure_groups_recurred ON failure_groups (project_id, fingerprint)
      WHERE triage = 'resolved' AND last_seen_at > triaged_at`
    yield* sql`CREATE INDEX failure_groups_muted ON failure_groups (muted_until, last_seen_at) WHERE triage = 'muted'`
    // for what needs attention
    yield* sql`CREATE INDEX failure_groups_regressed ON failure_groups (project_id) WHERE triage = 'regressed'`
    // for the removal of a member
    yield* sql`CREATE INDEX failure_groups_assignee ON failure_groups (assignee_id, project_id)
      WHERE assignee_id IS NOT NULL`

    // By minute, hour and day, the levels of `rollups`, so that a window reads few rows for each group of a page.
    yield* sql`CREATE TABLE failure_group_counts (
      project_id ${uuid} NOT NULL,
      fingerprint ${text} NOT NULL,
      level INTEGER NOT NULL,
      bucket ${bigint} NOT NULL,
      occurrences ${bigint} NOT NULL,
      PRIMARY KEY (project_id, fingerprint, level, bucket)
    ) ${withRoomForUpdates}`
    // for the retention
    yield* sql`CREATE INDEX failure_group_counts_bucket ON failure_group_counts (level, bucket)`

    // Counts and histograms by minute, hour and day (docs/trends.md). The ingest only inserts `rollup_deltas`; one replica
    // at a time merges them into `rollups`. No foreign keys, as on the hot tables.
    yield* sql`CREATE TABLE rollup_deltas (id ${serial}, payload TEXT NOT NULL)`
    yield* sql.onDialectOrElse({
      // a delta lives for a second: to compress it took longer than to write it
      pg: () => sql`ALTER TABLE rollup_deltas ALTER COLUMN payload SET STORAGE EXTERNAL`,
      orElse: () => Effect.void
    })

    // one row, which the replica that merges locks
    yield* sql`CREATE TABLE rollup_merges (id INTEGER PRIMARY KEY)`
    yield* sql`INSERT INTO rollup_merges (id) VALUES (1)`

    yield* sql`CREATE TABLE rollup_series (
      id ${serial},
      project_id ${uuid} NOT NULL,
      kind INTEGER NOT NULL,
      engine ${text} NOT NULL,
      queue ${text} NOT NULL,
      name ${text} NOT NULL
    )`
    yield* sql`CREATE UNIQUE INDEX rollup_series_key ON rollup_series (project_id, kind, engine, queue, name)`

    yield* sql`CREATE TABLE rollups (
      project_id ${uuid} NOT NULL,
      level INTEGER NOT NULL,
      series_id ${bigint} NOT NULL,
      bucket ${bigint} NOT NULL,
      received ${bigint} NOT NULL,
      success ${bigint} NOT NULL,
      failure ${bigint} NOT NULL,
      retry ${bigint} NOT NULL,
      revoked ${bigint} NOT NULL,
      rejected ${bigint} NOT NULL,
      runtime_count ${bigint} NOT NULL,
      runtime_sum ${bigint} NOT NULL,
      wait_count ${bigint} NOT NULL,
      wait_sum ${bigint} NOT NULL,
      runtimes TEXT NOT NULL,
      waits TEXT NOT NULL,
      PRIMARY KEY (project_id, level, series_id, bucket)
    ) ${withRoomForUpdates}`
    // The rows of all series of a range: PostgreSQL stores them in the order of their creation, so the names of a day lie on
    // few pages in this order, and each on its own page in that of the primary key. Updates of a row change no column of
    // the index and leave it alone. SQLite stores the rows in the order of their key, and needs none.
    yield* sql.onDialectOrElse({
      pg: () => sql`CREATE INDEX rollups_time ON rollups (project_id, level, bucket, series_id)`,
      orElse: () => Effect.void
    })

    // Named filters of the task list. A shared view outlives its owner.
    yield* sql`CREATE TABLE saved_views (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      owner_id ${uuid} REFERENCES users (id) ON DELETE SET NULL,
      name ${text} NOT NULL,
      filters TEXT NOT NULL,
      is_shared INTEGER NOT NULL,
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`
    yield* sql`CREATE UNIQUE INDEX saved_views_name ON saved_views (owner_id, project_id, name)`
    yield* sql`CREATE INDEX saved_views_project ON saved_views (project_id, is_shared)`

    // Places in arguments and results whose values are in `searchable_values`, which names a path by its number.
    yield* sql`CREATE TABLE searchable_paths (
      number ${serial},
      id ${uuid} NOT NULL UNIQUE,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      task_name ${text} NOT NULL,
      path ${text} NOT NULL,
      -- the values of the name's tasks from this id on are there; null: of no task of before it was made searchable
      filled_to ${uuid},
      -- its values are deleted a minute later, when no search reads them any more
      removed_at ${text},
      created_by ${uuid} REFERENCES users (id) ON DELETE SET NULL,
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE UNIQUE INDEX searchable_paths_place ON searchable_paths (project_id, task_name, path)
      WHERE removed_at IS NULL`
    yield* sql`CREATE INDEX searchable_paths_creator ON searchable_paths (created_by)`

    // Which tasks have a value at a path, newest last. No foreign keys, as on the hot tables; the writers of `tasks` keep
    // it. Rows in the order of the key, and no other index: each would cost the ingest as much again.
    yield* sql`CREATE TABLE searchable_values (
      project_id ${uuid} NOT NULL,
      path ${bigint} NOT NULL,
      value ${text} NOT NULL,
      task ${uuid} NOT NULL,
      PRIMARY KEY (project_id, path, value, task)
    ) ${withoutRowid}`
  })
}
