import type { SqlError } from "@effect/sql"
import { Chunk, Effect, Option, Stream } from "effect"
import type { ActivityItem } from "../../domain/Activity.ts"
import type { Actor } from "../../domain/Actor.ts"
import { turn } from "../EventLoop.ts"
import { AuditRows, type Range, type ShownRow } from "./Rows.ts"

/** Which rows of a project: every term that is not empty or null must hold. */
export interface AuditFilter {
  readonly project_id: string
  /** Beginning of the action, letter for letter; empty: any. */
  readonly action_prefix: string
  readonly user_id: string | null
  readonly outcome: string | null
  /** Only rows beyond this `seq`. */
  readonly after: number | null
}

/** Rows that are read between two turns of the event loop: a few milliseconds of work. */
const rowsAtOnce = 500

/** From filters to ranges of an index, so that no list reads through rows that it does not show. */
export class AuditSearch extends Effect.Service<AuditSearch>()("svc/audit/Search", {
  effect: Effect.gen(function*() {
    const stored = yield* AuditRows

    /** The ranges of these projects' rows, or of all rows where there are none given. */
    const rangesOf = Effect.fnUntraced(function*(
      projects: ReadonlyArray<string> | null,
      prefix: string,
      user_id: string | null
    ) {
      const actions = prefix === "" && user_id === null ? [null] : yield* stored.actions(prefix)
      return (projects ?? [null]).flatMap((project_id) =>
        actions.map((action): Range => ({ project_id, action, user_id, denied: false })))
    })

    /** What was denied has an index of its own and is looked through; what was not is nearly all of the others. */
    const plan = Effect.fnUntraced(function*(filter: AuditFilter) {
      const { action_prefix, outcome, project_id, user_id } = filter
      const matches = (row: ShownRow) =>
        (outcome === null || row.outcome === outcome) &&
        (user_id === null || row.user_id === user_id) &&
        row.action.startsWith(action_prefix)
      const ranges: ReadonlyArray<Range> = outcome === "deny"
        ? [{ project_id, action: null, user_id: null, denied: true }]
        : outcome === null || outcome === "allow"
        ? yield* rangesOf([project_id], action_prefix, user_id)
        : []
      return { ranges, matches, after: filter.after }
    })

    type Plan = Effect.Effect.Success<ReturnType<typeof plan>>

    /** The next rows before a place that are looked at, and the place after them, null at the end. */
    const step = Effect.fnUntraced(function*({ after, matches, ranges }: Plan, before: number | null, limit: number) {
      const found = yield* stored.rows(ranges, { from: "newest", after, before, limit })
      return { rows: found.filter(matches), next: found.length < limit ? null : found.at(-1)?.seq ?? null }
    })

    /** The newest rows that match, before a place if one is given. */
    const newest = Effect.fnUntraced(function*(filter: AuditFilter, before: number | null, limit: number) {
      const planned = yield* plan(filter)
      const { next, rows } = yield* step(planned, before, limit)
      const all = [...rows]
      for (let at = next; at !== null && all.length < limit;) {
        yield* turn
        const more = yield* step(planned, at, rowsAtOnce)
        all.push(...more.rows)
        at = more.next
      }
      return all.slice(0, limit)
    })

    /** Every row that matches, newest first, in slices. */
    const all = (filter: AuditFilter): Stream.Stream<ShownRow, SqlError.SqlError> =>
      Stream.unwrap(Effect.map(plan(filter), (planned) =>
        Stream.paginateChunkEffect<number | null, ShownRow, SqlError.SqlError, never>(null, (before) =>
          Effect.map(
            Effect.zipRight(turn, step(planned, before, rowsAtOnce)),
            ({ next, rows }) => [Chunk.unsafeFromArray(rows), Option.fromNullable(next)]
          ))))

    return { rangesOf, newest, all } as const
  })
}) {
  static readonly layer = this.Default
}

/** A row as this actor sees it: addresses are for global admins. */
export const itemOf = (actor: Actor) => {
  const showsAddress = actor.kind === "system" || actor.is_admin
  return (row: ShownRow): ActivityItem => ({
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
