import type { SqlError } from "@effect/sql"
import { Chunk, Effect, Option, Stream } from "effect"
import type { ActivityItem } from "../../domain/audit/Activity.ts"
import type { Actor } from "../../domain/kernel/Actor.ts"
import type { ProjectId, UserId } from "../../domain/kernel/Id.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import type { ProjectView } from "../kernel/CurrentActor.ts"
import { type AuditLogRow, AuditRows, type Range, type Window } from "./Rows.ts"

/** The rows of a project that match every term that is not empty or null. */
export interface AuditFilter {
  readonly project_id: ProjectId
  /** Prefix of the action, case-sensitive; empty: any. */
  readonly action_prefix: string
  readonly user_id: UserId | null
  readonly outcome: string | null
  readonly target_id: string | null
  /** Only rows after this `seq`. */
  readonly after: number | null
}

/** Which rows of the feed. */
interface ActionsOf {
  readonly action_prefix?: string | undefined
  readonly user_id?: UserId | null | undefined
  /** Of users and of automation rules alone. */
  readonly by?: "people" | undefined
}

/** What automation rules do; these rows have no user. */
const ruleActions = ["automation.rule.executed", "automation.rule.circuit_tripped"]

/** Rows that are read before the event loop turns: a few milliseconds of work. */
const rowsPerStep = 500

const crossRanges = (
  projects: ReadonlyArray<Range["project_id"]>,
  actions: ReadonlyArray<string | null>,
  user_id: Range["user_id"]
): ReadonlyArray<Range> =>
  projects.flatMap((project_id) =>
    actions.map((action) => ({ project_id, action, user_id, denied: false, target_id: null }))
  )

/** Converts filters to ranges of an index, so that a list reads no rows that it does not show. */
export class AuditSearch extends Effect.Service<AuditSearch>()("svc/audit/Search", {
  effect: Effect.gen(function*() {
    const auditRows = yield* AuditRows

    /** The ranges of these projects' rows; null: of all rows. */
    const rangesOf = Effect.fnUntraced(function*(
      projects: ReadonlyArray<ProjectId | "none"> | null,
      prefix: string,
      user_id: Range["user_id"]
    ) {
      const isOfAll = prefix === "" && (user_id === null || user_id === "someone")
      return crossRanges(projects ?? [null], isOfAll ? [null] : yield* auditRows.listActions(prefix), user_id)
    })

    /** Rows of one target are few, and denied ones have their own index: these are scanned. Rows that were not denied are nearly all others. */
    const plan = Effect.fnUntraced(function*(filter: AuditFilter) {
      const { action_prefix, outcome, project_id, target_id, user_id } = filter
      const matches = (row: AuditLogRow) =>
        (outcome === null || row.outcome === outcome) &&
        (user_id === null || row.user_id === user_id) &&
        row.action.startsWith(action_prefix)
      const whole = { project_id, action: null, user_id: null, denied: false, target_id: null }
      const ranges: ReadonlyArray<Range> = target_id !== null
        ? [{ ...whole, target_id }]
        : outcome === "deny"
        ? [{ ...whole, denied: true }]
        : outcome === null || outcome === "allow"
        ? yield* rangesOf([project_id], action_prefix, user_id)
        : []
      return { ranges, matches, after: filter.after }
    })

    type Plan = Effect.Effect.Success<ReturnType<typeof plan>>

    /** Reads the next rows before a `seq`, and the `seq` to continue at, null at the end. */
    const readStep = Effect.fnUntraced(
      function*({ after, matches, ranges }: Plan, before: number | null, limit: number) {
        const rows = yield* auditRows.listRows(ranges, { from: "newest", after, before, limit })
        return { rows: rows.filter(matches), next: rows.length < limit ? null : rows.at(-1)?.seq ?? null }
      }
    )

    /** The newest rows that match, before a `seq` if one is given. */
    const listNewest = Effect.fnUntraced(function*(filter: AuditFilter, before: number | null, limit: number) {
      const searchPlan = yield* plan(filter)
      const { next, rows } = yield* readStep(searchPlan, before, limit)
      const all = [...rows]
      for (let position = next; position !== null && all.length < limit;) {
        yield* yieldToEventLoop
        const more = yield* readStep(searchPlan, position, rowsPerStep)
        all.push(...more.rows)
        position = more.next
      }
      return all.slice(0, limit)
    })

    /** What the ranges of a view are of. Hidden rows are in none, so that their number costs no reads. */
    const projectsOf = Effect.fnUntraced(function*(view: ProjectView) {
      if ("only" in view) return view.only
      if (view.except.length === 0) return null
      const hidden: ReadonlySet<ProjectId> = new Set(view.except)
      const all = yield* auditRows.listProjects
      return ["none" as const, ...all.filter((id) => !hidden.has(id))]
    })

    /** The rows of these projects from one end of the window, with an action of the prefix, by the user if given. */
    const listVisible = Effect.fnUntraced(
      function*(view: ProjectView, { action_prefix = "", by, user_id = null }: ActionsOf, window: Window) {
        const projects = yield* projectsOf(view)
        if (by === undefined || user_id !== null) {
          return yield* auditRows.listRows(yield* rangesOf(projects, action_prefix, user_id), window)
        }
        const rules = ruleActions.filter((action) => action.startsWith(action_prefix))
        const ofRules = crossRanges(projects ?? [null], rules, null)
        return yield* auditRows.listRows([...(yield* rangesOf(projects, action_prefix, "someone")), ...ofRules], window)
      }
    )

    /** Every row that matches, newest first, in slices. */
    const all = (filter: AuditFilter): Stream.Stream<AuditLogRow, SqlError.SqlError> =>
      Stream.unwrap(
        Effect.map(plan(filter), (planned) =>
          Stream.paginateChunkEffect<number | null, AuditLogRow, SqlError.SqlError, never>(null, (before) =>
            Effect.map(
              Effect.zipRight(yieldToEventLoop, readStep(planned, before, rowsPerStep)),
              ({ next, rows }) => [Chunk.unsafeFromArray(rows), Option.fromNullable(next)]
            )))
      )

    return { listVisible, listNewest, all } as const
  })
}) {
  static readonly layer = this.Default
}

/** A row as this actor sees it: addresses are for global admins. */
export const itemOf = (actor: Actor) => {
  const showsAddress = actor.kind === "system" || actor.is_admin
  return (row: AuditLogRow): ActivityItem => ({
    id: row.id,
    project_id: row.project_id,
    project_slug: row.project_slug,
    user_id: row.user_id,
    action: row.action,
    target_type: row.target_type,
    target_id: row.target_id,
    result: row.result,
    outcome: row.outcome,
    metadata: JSON.parse(row.metadata),
    source_ip: showsAddress ? row.source_ip : null,
    occurred_at: row.occurred_at
  })
}
