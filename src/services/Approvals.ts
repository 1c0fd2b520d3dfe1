import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import type { Scope } from "../domain/Access.ts"
import { hasScope, system } from "../domain/Actor.ts"
import type { Approval, ApprovalKind, ListApprovals } from "../domain/Approval.ts"
import type { RuleCreate, RuleUpdate } from "../domain/Automation.ts"
import { BulkJobFilter } from "../domain/BulkJob.ts"
import { BulkRetryRequestCreate } from "../domain/BulkRetry.ts"
import type { BulkRetry, PurgeQueue } from "../domain/Command/Requests.ts"
import { Conflict, Forbidden, NotFound, Unavailable } from "../domain/Errors.ts"
import type { ApprovalId, RuleId } from "../domain/Id.ts"
import type { UpdateProject } from "../domain/Project.ts"
import { omitNullTerms } from "../domain/Task/Filter.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { decidedEvent } from "./Approvals/Events.ts"
import { Approved } from "./Approvals/Gate.ts"
import { type ApprovalRow, ApprovalsRepo } from "./Approvals/Repo.ts"
import { Audit } from "./Audit.ts"
import { AutomationRules } from "./AutomationRules.ts"
import { BulkJobs } from "./BulkJobs.ts"
import { BulkRetries } from "./BulkRetries.ts"
import { Commands } from "./Commands.ts"
import { CurrentActor, currentPerson, CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql } from "./Database.ts"
import { Loops } from "./Loops.ts"
import { MemberNames } from "./MemberNames.ts"
import { Inbox } from "./Notifications/Inbox.ts"
import { Projects } from "./Projects.ts"
import { decodeStart, pageOf } from "./RowPage.ts"
import { Settings } from "./Settings.ts"
import { Tasks } from "./Tasks.ts"
import { TriggerEvents } from "./TriggerEvents.ts"

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

const requesterGone = new Conflict({
  code: "approval_decided",
  detail: "The person who asked may no longer do this in the project. Reject it."
})

const fromNewerReplica = new Unavailable({
  detail: "A newer version of the program stored this act, with terms that this version does not know. The act still " +
    "waits. Approve it when all replicas run the newer version."
})

/** Reads a stored request: one of an older version gets newer terms as null, one with unknown terms is refused. */
const decodeWith = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema, { onExcessProperty: "error" })
  return (request: unknown) => Effect.mapError(decode(request), () => fromNewerReplica)
}
const decodeRetry = decodeWith(BulkRetryRequestCreate)
const decodeFilter = decodeWith(BulkJobFilter)

/** What an API key must hold to do the act itself: approving must not do more than the key may. */
const scopesOfActs: Readonly<Record<ApprovalKind, Scope>> = {
  purge_queue: "commands:write",
  bulk_retry: "commands:write",
  bulk_retry_request: "commands:write",
  bulk_delete: "tasks:delete",
  bulk_cancel: "commands:write",
  rule_create: "automation:write",
  rule_update: "automation:write",
  rule_reset: "automation:write",
  policy: "projects:write"
}

/** What only admins may do, and so ask for. The other acts are for operators too. */
const actsOfAdmins: ReadonlySet<ApprovalKind> = new Set(["purge_queue", "bulk_delete", "policy"])

/** What a person may find under this id. */
interface Done {
  readonly type: string
  readonly id?: string
  readonly deleted_count?: number
}

/** Decides acts that wait for a second person, and does what is approved, in the name of the person who approves. */
export class Approvals extends Effect.Service<Approvals>()("svc/Approvals", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ApprovalsRepo
    const commands = yield* Commands
    const bulkJobs = yield* BulkJobs
    const bulkRetries = yield* BulkRetries
    const tasks = yield* Tasks
    const rules = yield* AutomationRules
    const projects = yield* Projects
    const audit = yield* Audit
    const inbox = yield* Inbox
    const triggers = yield* TriggerEvents
    const memberNames = yield* MemberNames
    const { restMaxPageSize } = yield* Settings

    /** With a filter a job, which deletes what matched at the request: the approval is not about later tasks. */
    const deleteTasks = Effect.fnUntraced(function*(terms: BulkJobFilter, requestedAt: Timestamp.Timestamp) {
      if (Object.keys(omitNullTerms(terms)).every((name) => name === "task_ids")) {
        return { type: "tasks", deleted_count: yield* tasks.bulkDelete(terms) } satisfies Done
      }
      const { id } = yield* bulkJobs.deleteMatching(terms, requestedAt)
      return { type: "bulk_job", id } satisfies Done
    })

    /** The act, to be done again; the casts: `ApprovalGate.check` stored the request of this kind. */
    const actOf = Effect.fnUntraced(function*({ created_at, kind, request }: ApprovalRow) {
      const toDone = (type: string) => Effect.map(({ id }: { readonly id: string }): Done => ({ type, id }))
      switch (kind) {
        case "purge_queue":
          return toDone("command")(commands.purgeQueue(request as PurgeQueue))
        case "bulk_retry":
          return toDone("command")(commands.bulkRetry(request as BulkRetry))
        case "bulk_retry_request":
          return toDone("bulk_retry_request")(bulkRetries.create(yield* decodeRetry(request), created_at))
        case "bulk_delete":
          return deleteTasks(yield* decodeFilter(request), created_at)
        case "bulk_cancel":
          return toDone("bulk_job")(bulkJobs.cancelMatching(yield* decodeFilter(request), created_at))
        case "rule_create":
          return toDone("automation_rule")(rules.create(request as RuleCreate))
        case "rule_update": {
          const { body, rule_id } = request as { readonly rule_id: RuleId; readonly body: RuleUpdate }
          return toDone("automation_rule")(rules.update(rule_id, body))
        }
        case "rule_reset":
          return toDone("automation_rule")(rules.resetCircuit((request as { readonly rule_id: RuleId }).rule_id))
        case "policy":
          return toDone("project")(projects.update(request as UpdateProject))
      }
    })

    /** Adds the names of the people in these rows. */
    const makeNamer = Effect.fnUntraced(function*(rows: ReadonlyArray<ApprovalRow>) {
      const nameOf = yield* memberNames.find(
        rows.flatMap(({ decided_by, project_id, requested_by }) =>
          [requested_by, decided_by].flatMap((user_id) => (user_id === null ? [] : [{ project_id, user_id }]))
        )
      )
      return (row: ApprovalRow): Approval => {
        const { subject, ...shown } = row
        const { decided_by, project_id, requested_by } = row
        return {
          ...shown,
          before: subject?.before ?? null,
          after: subject?.after ?? null,
          revision: subject?.revision ?? null,
          requested_by_name: nameOf({ project_id, user_id: requested_by }),
          decided_by_name: decided_by === null ? null : nameOf({ project_id, user_id: decided_by })
        }
      }
    })

    const find = Effect.fnUntraced(function*(id: ApprovalId) {
      const project = yield* CurrentProject
      return yield* Option.match(yield* repo.find(project.id, id), {
        onNone: () => new NotFound({ resource: "approval" }),
        onSome: Effect.succeed
      })
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

    /** Marks the pending row as decided by the caller, who is another person than the one who asked. */
    const decide = Effect.fnUntraced(function*(id: ApprovalId, status: "approved" | "rejected", reason: string | null) {
      const row = yield* find(id)
      const { user_id, via } = yield* currentPerson
      const now = yield* Timestamp.now
      if (row.requested_by === user_id) return yield* ownApproval
      if (row.status !== "pending" || row.expires_at <= now) return yield* approvalDecided
      const scope = scopesOfActs[row.kind]
      if (status === "approved" && !hasScope(via, scope)) {
        return yield* new Forbidden({ code: "scope_missing", detail: `The API key lacks the scope ${scope}.` })
      }
      const roles = actsOfAdmins.has(row.kind) ? ["admin"] as const : ["operator", "admin"] as const
      if (status === "approved" && !(yield* repo.hasRole(row.project_id, row.requested_by, roles))) {
        return yield* requesterGone
      }
      if (!(yield* repo.decide(id, { status, decided_by: user_id, reason, now }))) return yield* approvalDecided
      yield* notifyRequester(row, status === "approved" ? "Approved" : "Rejected", reason)
      yield* triggers.record([decidedEvent(row, status, now)])
      yield* recordEnd(`approval.${status}`, row, reason === null ? {} : { reason })
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
     * Approves the act and does it. A crash in between leaves it approved without a result: whether it was done is then
     * unknown, and it is not repeated.
     */
    const approve = Effect.fn("Approvals.approve")(function*(id: ApprovalId) {
      const act = yield* actOf(yield* find(id)) // first: a request that cannot be read is not decided
      const row = yield* decide(id, "approved", null)
      const outcome = yield* Effect.either(Effect.provideService(act, Approved, row))
      if (outcome._tag === "Right") yield* repo.setResult(id, "approved", outcome.right)
      else {
        const { code, detail } = outcome.left
        yield* recordFailure(row, { code, detail })
      }
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
      Inbox.layer,
      MemberNames.layer,
      Projects.layer,
      Tasks.layer,
      TriggerEvents.layer
    ])
  )

  /** Each minute. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const approvals = yield* Approvals
    yield* loops.upkeep("approvals", "1 minute", approvals.expireDue())
  })).pipe(Layer.provide(this.layer))
}
