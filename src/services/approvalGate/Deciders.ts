import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, type Layer, Option, Schema } from "effect"
import { canApprove, type Decider, decidesSince, isVouchedFor } from "../../domain/approvalGate/Approval/Decider.ts"
import { Forbidden } from "../../domain/kernel/Errors.ts"
import { type ProjectId, UserId } from "../../domain/kernel/Id.ts"
import { formatMinute, Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Settings } from "../kernel/Settings.ts"
import { rowsOf } from "../kernel/sql/Rows.ts"

const deciderRows = rowsOf(Schema.Struct({
  user_id: UserId,
  account_since: Timestamp,
  admin_since: Schema.NullOr(Timestamp),
  member_since: Schema.NullOr(Timestamp),
  vouched_at: Schema.NullOr(Timestamp)
}))

/** More people than this are not notified of an action that waits. */
const maxDeciders = 200

/** For the audit log: since when the person decides, and on whose word where that is not long enough. */
const describe = (decider: Decider) => ({
  decides_since: decidesSince(decider),
  ...(isVouchedFor(decider) && { vouched_at: decider.vouched_at })
})

/** Who may approve actions of a project, and since when they could (docs/approvals.md, Two people). */
export class Deciders extends Effect.Service<Deciders>()("svc/approvals/Deciders", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { approvalDeciderDays: minDays } = yield* Settings

    /** Active admins of the project and global admins. A time that was never set is that of the row. */
    const read = (projectId: ProjectId, userTerm: ReturnType<typeof sql.and>) =>
      deciderRows(sql`SELECT u.id AS user_id, COALESCE(u.account_since, u.created_at) AS account_since,
          CASE WHEN u.is_admin = 1 THEN COALESCE(u.admin_since, u.created_at) END AS admin_since,
          COALESCE(m.role_since, m.created_at) AS member_since, u.vouched_at
        FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.project_id = ${projectId} AND m.role = 'admin'
        WHERE u.is_active = 1 AND (u.is_admin = 1 OR m.user_id IS NOT NULL) AND ${userTerm}
        ORDER BY u.id LIMIT ${maxDeciders}`)

    /** Who could decide an action that the person asks for, whether long enough or not. */
    const listOthers = (projectId: ProjectId, requester: UserId) =>
      read(projectId, sql.and([sql`u.id <> ${requester}`]))

    /** Who of them may approve what is requested now. */
    const listEligible = (projectId: ProjectId, requester: UserId, now: Timestamp) =>
      Effect.map(listOthers(projectId, requester), Arr.filter((decider) => canApprove(decider, now, minDays)))

    /** Fails where the person became a decider after the request, or too shortly before it. */
    const require = Effect.fnUntraced(function*(projectId: ProjectId, userId: UserId, requestedAt: Timestamp) {
      const decider = Arr.head(yield* read(projectId, sql.and([sql`u.id = ${userId}`])))
      if (Option.isNone(decider)) return yield* new Forbidden({ detail: "You no longer decide in this project." })
      const since = decidesSince(decider.value)
      if (!canApprove(decider.value, requestedAt, minDays)) return yield* makeTooNew(since)
      return describe(decider.value)
    })

    const makeTooNew = (since: Timestamp) =>
      new Forbidden({
        code: "decider_too_new",
        detail:
          `You decide here since ${
            formatMinute(since)
          }. Only people who have decided for ${minDays} days when the act is ` +
          "requested may approve it, so that no person creates the second one. Another admin can approve it, or " +
          "the operator of the brain's machine vouches for you: svc vouch <your e-mail address>."
      })

    return { listOthers, listEligible, require } as const
  })
}) {
  static readonly layer: Layer.Layer<Deciders, never, SqlClient.SqlClient | Settings> = this.Default
}
