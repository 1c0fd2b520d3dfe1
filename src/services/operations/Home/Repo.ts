import type { SqlClient, Statement } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import type { TaskPriority } from "../../../domain/kernel/TaskState.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { PreparedReads } from "../../kernel/sql/PreparedReads.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { seriesKinds } from "../../tasks/Rollups/Series.ts"
import { coverOf, startOfWindow } from "../../tasks/Rollups/Window.ts"

/** Numbers of one project; a project without any row has none. */
interface ProjectCount {
  readonly project_id: string
  readonly kind: string
  readonly n: number | string
}

const outcomeKinds = ["success", "failure", "others"] as const

interface TaskCounts extends Readonly<Record<typeof outcomeKinds[number], number | string>> {
  readonly project_id: string
}

interface FailedKey {
  readonly project_id: ProjectId
  readonly id: string
}

interface FailedTask extends FailedKey {
  readonly engine: string
  readonly task_id: string
  readonly name: string
  readonly worker_name: string | null
  readonly exception: string | null
  readonly priority: TaskPriority
  readonly created_at: Timestamp.Timestamp
  readonly finished_at: Timestamp.Timestamp | null
  readonly updated_at: Timestamp.Timestamp
}

/** Counts by project and kind, in two statements whatever the number of projects. */
export type Counts = ReadonlyMap<string, Readonly<Record<string, number>>>

/** One statement instead of several: on PostgreSQL the page takes as long as its round trips. */
const unionAll = (read: SqlClient.SqlClient, statements: ReadonlyArray<Statement.Fragment>): Statement.Fragment =>
  read.join(" UNION ALL ", false)(statements)

const day = 1440
const secondsPerDay = Timestamp.secondsPerDay

/** Without an outcome for this long, a command is stuck. */
const stuckSeconds = 300

export class HomeRepo extends Effect.Service<HomeRepo>()("svc/home/Repo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const { rows } = yield* PreparedReads

    const newestFailures = rows<FailedKey>(
      "SELECT project_id, id FROM tasks WHERE project_id = ? AND state = 'failure' AND id < ? ORDER BY id DESC LIMIT ?"
    )

    /** Outcomes of tasks of the last 24 hours. */
    const countTasks = (ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) => {
      const minute = Math.floor(Timestamp.toEpochSeconds(now) / 60)
      const statements = coverOf(startOfWindow(minute, day), minute).map(({ from, level, to }) =>
        read`SELECT t.project_id, sum(t.success) AS success, sum(t.failure) AS failure,
            sum(t.revoked + t.rejected) AS others
          FROM rollup_series s CROSS JOIN rollups t
          WHERE t.project_id = s.project_id AND t.level = ${level} AND t.series_id = s.id AND t.bucket >= ${from}
            AND t.bucket <= ${to} AND s.kind = ${seriesKinds.project} AND ${idIn(read, ids, "s.project_id")}
          GROUP BY t.project_id`
      )
      return Effect.map(
        read<TaskCounts>`${unionAll(read, statements)}`,
        (found): ReadonlyArray<ProjectCount> =>
          found.flatMap((row) => outcomeKinds.map((kind) => ({ project_id: row.project_id, kind, n: row[kind] })))
      )
    }

    const countOthers = (ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) => {
      const ago = (seconds: number) => Timestamp.addSeconds(now, -seconds)
      const idAt = (seconds: number) => Ids.minIdAt(Timestamp.toEpochMillis(ago(seconds)))
      const isOfProjects = idIn(read, ids, "project_id")
      const statements = [
        read`SELECT project_id, 'workers_' || state AS kind, count(*) AS n FROM workers
          WHERE ${isOfProjects} GROUP BY project_id, state`,
        read`SELECT project_id, 'agents_' || state AS kind, count(*) AS n FROM agents
          WHERE ${isOfProjects} GROUP BY project_id, state`,
        read`SELECT project_id, 'refused' AS kind, count(*) AS n FROM agents
          WHERE ${isOfProjects} AND last_refused_at >= ${ago(secondsPerDay)} GROUP BY project_id`,
        read`SELECT project_id, 'stuck' AS kind, count(*) AS n FROM commands
          WHERE ${isOfProjects} AND status IN ('pending', 'dispatched') AND id < ${idAt(stuckSeconds)}
          GROUP BY project_id`,
        read`SELECT project_id, 'misfires' AS kind, count(*) AS n FROM schedule_misfires
          WHERE ${isOfProjects} AND id >= ${idAt(secondsPerDay)} GROUP BY project_id`,
        read`SELECT project_id, 'channels' AS kind, count(*) AS n FROM channels
          WHERE project_id IS NOT NULL AND ${isOfProjects} AND disabled_at IS NOT NULL GROUP BY project_id`,
        read`SELECT project_id, 'breakers' AS kind, count(*) AS n FROM automation_rules
          WHERE ${isOfProjects} AND is_enabled = 1 AND cb_tripped = 1 GROUP BY project_id`,
        read`SELECT project_id, 'tripped' AS kind, count(*) AS n FROM schedules
          WHERE ${isOfProjects} AND is_enabled = 0 AND tripped_at >= enabled_at GROUP BY project_id`
      ]
      return read<ProjectCount>`${unionAll(read, statements)}`
    }

    const countAll = Effect.fnUntraced(function*(ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) {
      const found = yield* Effect.all([countTasks(ids, now), countOthers(ids, now)], { concurrency: 2 })
      const counts = new Map<string, Record<string, number>>()
      for (const { kind, n, project_id } of found.flat()) {
        const project = counts.get(project_id) ?? {}
        counts.set(project_id, project)
        project[kind] = (project[kind] ?? 0) + Number(n)
      }
      const result: Counts = counts
      return result
    })

    /** When a task of each project last changed; each is one probe of an index. */
    const findLastActivity = (ids: ReadonlyArray<ProjectId>) =>
      Effect.map(
        read<{ id: string; at: Timestamp.Timestamp | null }>`
          SELECT id, (SELECT max(updated_at) FROM tasks WHERE project_id = projects.id) AS at
          FROM projects WHERE ${idIn(read, ids)}`,
        (found) => new Map(found.map(({ at, id }) => [id, at]))
      )

    /** The newest failed tasks before `before`, of all these projects: one probe of an index for each. */
    const listFailed = (ids: ReadonlyArray<ProjectId>, before: string, limit: number) =>
      read.onDialectOrElse({
        pg: () =>
          read<FailedKey>`SELECT t.project_id, t.id FROM unnest(${ids}::uuid[]) AS p (id) CROSS JOIN LATERAL (
            SELECT project_id, id FROM tasks WHERE project_id = p.id AND state = 'failure' AND id < ${before}
            ORDER BY id DESC LIMIT ${limit}) t ORDER BY t.id DESC LIMIT ${limit}`,
        orElse: () =>
          Effect.map(
            Effect.forEach(ids, (id) => newestFailures(id, before, limit)),
            (found) => found.flat().sort((left, right) => (left.id < right.id ? 1 : -1)).slice(0, limit)
          )
      })

    /** An id alone has no index. */
    const findTasks = (keys: ReadonlyArray<FailedKey>) =>
      read<FailedTask>`SELECT t.id, t.project_id, t.engine, t.task_id, t.name, t.worker_name, t.exception, t.priority,
          t.created_at, t.finished_at, t.updated_at
        FROM ${recordset(read, "r", { project_id: "uuid", id: "uuid" }, keys)}
        JOIN tasks t ON t.project_id = r.project_id AND t.id = r.id ORDER BY t.id DESC`

    const findDisplayName = (id: UserId) =>
      Effect.map(
        read<{ display_name: string | null }>`SELECT display_name FROM users WHERE id = ${id}`,
        ([user]) => user?.display_name ?? null
      )

    return { findDisplayName, countAll, findLastActivity, listFailed, findTasks } as const
  })
}) {
  static readonly layer = this.Default
}
