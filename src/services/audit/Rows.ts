import type { SqlError, Statement } from "@effect/sql"
import { Effect } from "effect"
import type { ActivityCursor } from "../../domain/audit/Activity.ts"
import type { ProjectId, UserId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import { Reader } from "../kernel/sql/Database.ts"
import type { ChainedRow } from "./Chain.ts"

/** The columns of a row that readers see, and its project's slug. */
export interface AuditLogRow extends Omit<ChainedRow, "api_key_id" | "user_agent" | "event_id"> {
  readonly project_slug: string | null
}

/** Rows that one index holds in the order of `seq`; null: any. The id of a user requires both others. */
export interface Range {
  /** `none`: the rows of no project. */
  readonly project_id: ProjectId | "none" | null
  readonly action: string | null
  /** `someone`: any user, and not an agent or the program. */
  readonly user_id: UserId | "someone" | null
  /** Denied requests only; combined with a project and no other filter. */
  readonly denied: boolean
  /** Combined with a project and no other filter. */
  readonly target_id: string | null
}

/** The rows between two values of `seq`, both excluded. */
export interface Bounds {
  readonly after: number | null
  readonly before: number | null
}

export interface Window extends Bounds {
  /** The end of the window that the list begins at. */
  readonly from: "newest" | "oldest"
  readonly limit: number
}

/** Ranges per statement: the database merges them while it reads, but each costs planning time. */
const rangesPerStatement = 50

/** Sorts after every character of an action, so that `prefix` to `prefix` + this covers all actions with the prefix. */
const maxCharacter = "\u{10FFFF}"

/** Reads the audit log along `seq`, which is also the order of times and ids (`Audit.ts`). */
export class AuditRows extends Effect.Service<AuditRows>()("svc/audit/Rows", {
  effect: Effect.gen(function*() {
    const sql = yield* Reader

    const seqsOf = (
      { action, denied, project_id, target_id, user_id }: Range,
      { after, before }: Bounds
    ): Statement.Fragment =>
      sql`SELECT seq FROM audit_log WHERE ${
        sql.and([
          ...(project_id === null
            ? []
            : [project_id === "none" ? sql`project_id IS NULL` : sql`project_id = ${project_id}`]),
          ...(user_id === null
            ? []
            : [user_id === "someone" ? sql`user_id IS NOT NULL` : sql`user_id = ${user_id}`]),
          ...(action === null ? [] : [sql`action = ${action}`]),
          ...(target_id === null ? [] : [sql`target_id = ${target_id}`]),
          ...(denied ? [sql`outcome = 'deny'`] : []), // not a parameter: the partial index names it
          sql`seq > ${after ?? 0}`,
          ...(before === null ? [] : [sql`seq < ${before}`])
        ])
      }`

    const orderOf = ({ from }: Window) => sql.literal(from === "newest" ? "DESC" : "ASC")

    /**
     * SQLite merges ordered ranges and stops at the limit. PostgreSQL may read and sort them all, so each range has a
     * limit. It does not take `IS NULL` for a constant of its index, so the project is in the order of those rows.
     */
    const mergeRanges = (ranges: ReadonlyArray<Range>, window: Window): Statement.Fragment => {
      const order = orderOf(window)
      const first = sql`ORDER BY seq ${order} LIMIT ${window.limit}`
      const firstOf = (range: Range) =>
        range.project_id === "none" ? sql`ORDER BY project_id ${order}, seq ${order} LIMIT ${window.limit}` : first
      return sql.onDialectOrElse({
        pg: () => {
          const limited = ranges.map((range) => sql`${seqsOf(range, window)} ${firstOf(range)}`)
          const [only] = limited
          return only !== undefined && limited.length === 1
            ? only
            : sql`${sql.join(" UNION ALL ", false)(limited.map((seqs) => sql`(${seqs})`))} ${first}`
        },
        orElse: () => sql`${sql.join(" UNION ALL ", false)(ranges.map((range) => seqsOf(range, window)))} ${first}`
      })
    }

    const selectRows = (ranges: ReadonlyArray<Range>, window: Window) =>
      sql<AuditLogRow>`SELECT a.seq, a.id, a.project_id, p.slug AS project_slug, a.user_id, a.action, a.target_type,
          a.target_id, a.result, a.outcome, a.metadata, a.source_ip, a.occurred_at
        FROM (${mergeRanges(ranges, window)}) AS found
        JOIN audit_log a ON a.seq = found.seq LEFT JOIN projects p ON p.id = a.project_id
        ORDER BY a.seq ${orderOf(window)}`

    /** The first rows of these ranges from one end of the window, in that order. */
    const listRows = Effect.fnUntraced(function*(ranges: ReadonlyArray<Range>, window: Window) {
      const sign = window.from === "newest" ? -1 : 1
      const inOrder = (one: AuditLogRow, other: AuditLogRow) => sign * (one.seq - other.seq)
      let page: ReadonlyArray<AuditLogRow> = []
      for (let index = 0; index < ranges.length; index += rangesPerStatement) {
        if (index > 0) yield* yieldToEventLoop
        const more = yield* selectRows(ranges.slice(index, index + rangesPerStatement), window)
        page = index === 0 ? more : [...page, ...more].sort(inOrder).slice(0, window.limit)
      }
      return page
    })

    /** The distinct actions with this prefix, read by a skip scan of their index. */
    const listActions = (prefix: string): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> => {
      const end = `${prefix}${maxCharacter}`
      return Effect.map(
        sql<{ action: string }>`WITH RECURSIVE found (action) AS (
            SELECT (SELECT action FROM audit_log WHERE action >= ${prefix} AND action < ${end} ORDER BY action LIMIT 1)
            UNION ALL
            SELECT (SELECT a.action FROM audit_log a WHERE a.action > found.action AND a.action < ${end}
              ORDER BY a.action LIMIT 1)
            FROM found WHERE found.action IS NOT NULL)
          SELECT action FROM found WHERE action IS NOT NULL`,
        (all) => all.map(({ action }) => action)
      )
    }

    /** The projects that have rows, also those that are deleted by now, read by a skip scan of their index. */
    const listProjects: Effect.Effect<ReadonlyArray<ProjectId>, SqlError.SqlError> = Effect.map(
      sql<{ project_id: ProjectId }>`WITH RECURSIVE found (project_id) AS (
          SELECT (SELECT project_id FROM audit_log WHERE project_id IS NOT NULL ORDER BY project_id LIMIT 1)
          UNION ALL
          SELECT (SELECT a.project_id FROM audit_log a WHERE a.project_id > found.project_id
            ORDER BY a.project_id LIMIT 1)
          FROM found WHERE found.project_id IS NOT NULL)
        SELECT project_id FROM found WHERE project_id IS NOT NULL`,
      (all) => all.map(({ project_id }) => project_id)
    )

    /** The cursor's position: the last `seq` at or before it, and whether it is that very row. */
    const findPlace = ({ id, occurred_at }: ActivityCursor) =>
      Effect.map(
        sql<{ seq: number; id: string }>`SELECT seq, id FROM audit_log
          WHERE (occurred_at, id) <= (${occurred_at}, ${id})
          ORDER BY occurred_at DESC, id DESC LIMIT 1`,
        ([row]) => ({ seq: row?.seq ?? 0, exact: row?.id === id })
      )

    /** The last `seq` before this time. */
    const findLastBefore = (moment: Timestamp) =>
      Effect.map(
        sql<{ seq: number }>`SELECT seq FROM audit_log WHERE occurred_at < ${moment}
          ORDER BY occurred_at DESC, id DESC LIMIT 1`,
        ([row]) => row?.seq ?? 0
      )

    return { listRows, listActions, listProjects, findPlace, findLastBefore } as const
  })
}) {
  static readonly layer = this.Default
}
