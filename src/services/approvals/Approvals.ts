import { SqlClient } from "@effect/sql"
import { Effect, Layer, Predicate } from "effect"
import type { Approval, ListApprovals } from "../../domain/approvalGate/Approval.ts"
import { hasScope, type Person, system } from "../../domain/kernel/Actor.ts"
import { Conflict, Forbidden, NotFound } from "../../domain/kernel/Errors.ts"
import type { ApprovalId } from "../../domain/kernel/Id.ts"
import { omitNullTerms } from "../../domain/kernel/Query.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { hidePayloadQuery } from "../../domain/tasks/Task/Filter.ts"
import { Deciders } from "../approvalGate/Deciders.ts"
import { decidedEvent, requestNoticeOf } from "../approvalGate/Events.ts"
import { Approved } from "../approvalGate/Gate.ts"
import { type ApprovalRow, ApprovalsRepo } from "../approvalGate/Repo.ts"
import { Audit } from "../audit/Audit.ts"
import { AutomationRules } from "../automation/AutomationRules.ts"
import { BulkJobs } from "../commands/BulkJobs.ts"
import { BulkRetries } from "../commands/BulkRetries.ts"
import { Commands } from "../commands/Commands.ts"
import { Invitations } from "../identity/Invitations.ts"
import { MemberNames } from "../identity/MemberNames.ts"
import { Memberships } from "../identity/Memberships.ts"
import { Projects } from "../identity/Projects.ts"
import { Users } from "../identity/Users.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { canReadPayload, CurrentActor, currentPerson, CurrentProject } from "../kernel/CurrentActor.ts"
import { Inbox } from "../kernel/Inbox.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { decodeStart, pageOf } from "../kernel/sql/RowPage.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { Tasks } from "../tasks/Tasks.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { makeApprovedActions, needsOf } from "./ApprovedActions.ts"

const defaultLimit = 50
const expiredAtOnce = 100

const approvalDecided = new Conflict({
  code: "approval_decided",
  detail: "The approval was decided already, or has expired."
})

const ownApproval = new Forbidden({
  code: "own_approval",
  detail: "You asked for this yourself. Another admin of the project must decide."
})

const boundKey = new Forbidden({
  code: "scope_missing",
  detail:
    "This API key is bound to a project, and this act concerns the whole brain. Approve it with a key without a project."
})

/** Without the terms that were not given: a query that is null then is a hidden one. */
const hideTerms = (terms: Readonly<Record<string, unknown>>) => hidePayloadQuery(omitNullTerms(terms))

/** A bulk act's query may compare arguments or results. */
const hideQueries = ({ kind, request }: ApprovalRow): unknown =>
  kind.startsWith("bulk_") && Predicate.isReadonlyRecord(request)
    ? {
      ...hideTerms(request),
      ...(Predicate.isReadonlyRecord(request.filter) && { filter: hideTerms(request.filter) })
    }
    : request

const requesterGone = new Conflict({
  code: "approval_decided",
  detail: "The person who asked may no longer do this in the project. Reject it."
})

/** Decides actions that wait for a second person, and does what is approved, in the name of the person who approves. */
// one object of short methods: each is a way in which an approval is read or ends
export class Approvals extends Effect.Service<Approvals>()("svc/Approvals", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ApprovalsRepo
    const approvedActions = yield* makeApprovedActions
    const deciders = yield* Deciders
    const audit = yield* Audit
    const inbox = yield* Inbox
    const triggers = yield* TriggerEvents
    const memberNames = yield* MemberNames
    const { restMaxPageSize } = yield* Settings

    /** Adds the names of the people in these rows, and hides what `payload_role` does not show the actor. */
    const makeNamer = Effect.fnUntraced(function*(rows: ReadonlyArray<ApprovalRow>) {
      const nameOf = yield* memberNames.find(
        rows.flatMap(({ decided_by, project_id, requested_by }) =>
          [requested_by, decided_by].flatMap((user_id) => (user_id === null ? [] : [{ project_id, user_id }]))
        )
      )
      const isReader = yield* canReadPayload
      return (row: ApprovalRow): Approval => {
        const { request, subject, ...shown } = row
        const { decided_by, project_id, requested_by } = row
        return {
          ...shown,
          request: isReader ? request : hideQueries(row),
          before: subject.before,
          after: subject.after,
          revision: subject.revision,
          requested_by_name: nameOf({ project_id, user_id: requested_by }),
          decided_by_name: decided_by === null ? null : nameOf({ project_id, user_id: decided_by })
        }
      }
    })

    const find = Effect.fnUntraced(function*(id: ApprovalId) {
      const project = yield* CurrentProject
      return yield* Effect.flatMap(repo.find(project.id, id), orFail(new NotFound({ resource: "approval" })))
    })

    const list = Effect.fn("Approvals.list")(function*({ cursor, limit = defaultLimit, status }: ListApprovals) {
      const { id } = yield* CurrentProject
      const page = { cursor, limit: Math.min(limit, restMaxPageSize) }
      const after = yield* decodeStart("approvals", page)
      const rows = yield* repo.list(id, status ?? null, after, page.limit + 1)
      return pageOf("approvals", page, rows.map(yield* makeNamer(rows)))
    }, orDieOnSql)

    const show = Effect.fnUntraced(function*(id: ApprovalId) {
      const row = yield* find(id)
      return (yield* makeNamer([row]))(row)
    })

    const get = Effect.fn("Approvals.get")(show, orDieOnSql)

    const recordEnd = (action: string, row: ApprovalRow, metadata: Readonly<Record<string, unknown>> = {}) =>
      audit.record({
        action,
        target_type: "approval",
        target_id: row.id,
        project_id: row.project_id,
        metadata: { kind: row.kind, summary: row.summary, requested_by: row.requested_by, ...metadata }
      })

    const notifyRequester = (row: ApprovalRow, title: string, body: string | null) =>
      inbox.insert([{
        user_id: row.requested_by,
        project_id: row.project_id,
        subscription_id: null,
        alert_id: null,
        trigger: "approval.decided",
        reason: "approval",
        title: `${title}: ${row.summary}`,
        body,
        data: { approval_id: row.id, kind: row.kind }
      }])

    /** Those who were asked need not decide any more. */
    const closeRequest = (row: ApprovalRow, how: string) => inbox.close(requestNoticeOf(row), row.created_at, how)

    /** Fails unless the person may approve the action, and the one who asked may still do it. Returns since when they decide. */
    const authorize = Effect.fnUntraced(function*(row: ApprovalRow, { is_admin, user_id, via }: Person) {
      const { roles, scope } = needsOf[row.kind]
      if (!hasScope(via, scope)) {
        return yield* new Forbidden({ code: "scope_missing", detail: `The API key lacks the scope ${scope}.` })
      }
      if (roles === "global_admin" && via.kind === "api_key" && via.project_id !== null) return yield* boundKey
      if (roles === "global_admin" && !is_admin) {
        return yield* new Forbidden({ detail: "Only a global admin can do this." })
      }
      const isEntitled = roles === "global_admin"
        ? repo.isGlobalAdmin(row.requested_by)
        : repo.hasRole(row.project_id, row.requested_by, roles)
      if (!(yield* isEntitled)) return yield* requesterGone
      return yield* deciders.require(row.project_id, user_id, row.created_at)
    })

    /** Marks the pending row as decided by the caller, who is another person than the one who asked. */
    const decide = Effect.fnUntraced(function*(id: ApprovalId, status: "approved" | "rejected", reason: string | null) {
      const row = yield* find(id)
      const person = yield* currentPerson
      const { user_id } = person
      const now = yield* Timestamp.now
      if (row.requested_by === user_id) return yield* ownApproval
      if (row.status !== "pending" || row.expires_at <= now) return yield* approvalDecided
      const proof = status === "approved" ? yield* authorize(row, person) : {}
      if (!(yield* repo.decide(id, { status, decided_by: user_id, reason, now }))) return yield* approvalDecided
      const title = status === "approved" ? "Approved" : "Rejected"
      yield* notifyRequester(row, title, reason)
      yield* closeRequest(
        row,
        `${title} by ${yield* repo.findName(user_id)}${reason === null ? "." : `: ${reason}`}`
      )
      yield* triggers.record([decidedEvent(row, status, now)])
      yield* recordEnd(`approval.${status}`, row, { ...proof, ...(reason !== null && { reason }) })
      return row
    }, sql.withTransaction)

    const recordFailure = Effect.fnUntraced(
      function*(row: ApprovalRow, problem: { readonly code: string; readonly detail: string }) {
        yield* repo.setResult(row.id, "failed", problem)
        yield* notifyRequester(row, "Approved, and not done", problem.detail)
        yield* recordEnd("approval.failed", row, { code: problem.code })
      },
      sql.withTransaction
    )

    /**
     * Approves the action and does it. A crash in between leaves it approved without a result: whether it was done is then
     * unknown, and it is not repeated.
     */
    const approve = Effect.fn("Approvals.approve")(function*(id: ApprovalId) {
      const row = yield* decide(id, "approved", null)
      const outcome = yield* Effect.either(Effect.provideService(approvedActions.perform(row), Approved, row))
      if (outcome._tag === "Right") {
        const { accept_url_path, ...done } = outcome.right
        yield* repo.setResult(id, "approved", done)
        const shown = yield* show(id)
        return accept_url_path === undefined ? shown : { ...shown, result: outcome.right }
      }
      const { code, detail } = outcome.left
      yield* recordFailure(row, { code, detail })
      return yield* show(id)
    }, orDieOnSql)

    const reject = Effect.fn("Approvals.reject")(function*(id: ApprovalId, reason: string | null) {
      yield* decide(id, "rejected", reason)
      return yield* show(id)
    }, orDieOnSql)

    const expire = Effect.fnUntraced(function*(row: ApprovalRow) {
      const now = yield* Timestamp.now
      if (!(yield* repo.decide(row.id, { status: "expired", decided_by: null, reason: null, now }))) return
      yield* notifyRequester(row, "Expired", "It was not decided in time. Ask again if it is still needed.")
      yield* closeRequest(row, "It was not decided in time.")
      yield* triggers.record([decidedEvent(row, "not decided in time", now)])
      yield* recordEnd("approval.expired", row)
    }, sql.withTransaction)

    /** Ends approvals that were not decided in time. */
    const expireDue = Effect.fn("Approvals.expireDue")(
      function*() {
        const rows = yield* repo.listExpired(yield* Timestamp.now, expiredAtOnce)
        yield* Effect.forEach(rows, expire, { discard: true })
      },
      Effect.provideService(CurrentActor, system("approvals")),
      orDieOnSql
    )

    return { list, get, approve, reject, expireDue } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      ApprovalsRepo.layer,
      AutomationRules.layer,
      BulkJobs.layer,
      BulkRetries.layer,
      Commands.layer,
      Deciders.layer,
      Inbox.layer,
      Invitations.layer,
      MemberNames.layer,
      Memberships.layer,
      Projects.layer,
      Tasks.layer,
      TriggerEvents.layer,
      Users.layer
    ])
  )

  /** Each minute. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const approvals = yield* Approvals
    yield* loops.upkeep("approvals", "1 minute", approvals.expireDue())
  })).pipe(Layer.provide(this.layer))
}
