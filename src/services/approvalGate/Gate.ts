import { SqlClient } from "@effect/sql"
import { Context, Data, Effect, Layer, Option } from "effect"
import type { ApprovalKind } from "../../domain/approvalGate/Approval.ts"
import { Conflict, Forbidden } from "../../domain/kernel/Errors.ts"
import { ApprovalId, type UserId } from "../../domain/kernel/Id.ts"
import type { ApprovalPolicy, Project } from "../../domain/kernel/Project.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, currentPerson, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Inbox, type NewUserNotification } from "../kernel/Inbox.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { Deciders } from "./Deciders.ts"
import { requestedEvent, requestNoticeOf } from "./Events.ts"
import { type ApprovalRow, ApprovalsRepo } from "./Repo.ts"
import { findDifference, type Subject } from "./Subject.ts"

/** What the second person read who has approved the action. Present while the approved action runs. */
export class Approved
  extends Context.Tag("svc/Approved")<Approved, { readonly kind: ApprovalKind; readonly subject: Subject }>()
{}

/** The action waits for a second person. Nothing of it was done; `record` stores it. */
export class ApprovalNeeded extends Data.TaggedError("ApprovalNeeded")<{
  readonly kind: ApprovalKind
  /** The request, which `Approvals` repeats once it is approved. */
  readonly request: unknown
  readonly summary: string
  readonly subject: Subject
  /** Whose policy requires the approval. */
  readonly project: Project
}> {}

/** An action that may need approval. */
interface GatedAction<E, R> {
  readonly kind: ApprovalKind
  readonly request: unknown
  readonly summary: string
  /** What it changes now. Read only where the action needs approval or was approved. */
  readonly subject: Effect.Effect<Subject, E, R>
}

/** Pending approvals of a project: the person who decides could not read more. */
const maxPending = 100

const tooMany = new Conflict({
  code: "too_many_approvals",
  detail: `The project has ${maxPending} acts that wait for a second person. Have some of them decided first.`
})

const noDecider = " No other person has decided in the project for long enough to approve it. The operator of the " +
  "brain's machine can vouch for one: svc vouch <e-mail address>."

/** Fails where what was approved is not what the action would change now. */
const checkApproved = Effect.fnUntraced(function*(requested: Subject, now: Subject) {
  const difference = findDifference(requested, now)
  if (Option.isSome(difference)) {
    return yield* new Conflict({ code: "approval_outdated", detail: difference.value })
  }
})

/** The message of the inbox for a person who may decide. */
const noticeOf = (row: ApprovalRow, requester: string, user_id: UserId): NewUserNotification => ({
  ...requestNoticeOf(row),
  user_id,
  subscription_id: null,
  alert_id: null,
  reason: "approval",
  title: `${requester} asks: ${row.summary}`,
  body: `Approve or reject it before ${Timestamp.formatMinute(row.expires_at)}.`
})

/**
 * Stores actions that need a second person's approval by the project's policy (docs/approvals.md). The program itself,
 * its rules and schedules need none.
 */
export class ApprovalGate extends Effect.Service<ApprovalGate>()("svc/ApprovalGate", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* ApprovalsRepo
    const deciders = yield* Deciders
    const audit = yield* Audit
    const inbox = yield* Inbox
    const triggers = yield* TriggerEvents
    const { approvalBulkWindow, approvalTtl } = yield* Settings

    /**
     * Fails with ApprovalNeeded where the policy requires approval, and, where the action was approved, with a Conflict
     * unless it is what the person read. What it changes is read where `check` runs: in the action's transaction, with
     * its locks.
     */
    const check = Effect.fnUntraced(function*<E, R>(
      { subject, ...action }: GatedAction<E, R>,
      needsApproval: (policy: ApprovalPolicy) => boolean
    ) {
      const approved = yield* Effect.serviceOption(Approved)
      if (Option.isSome(approved) && approved.value.kind === action.kind) {
        return yield* checkApproved(approved.value.subject, yield* subject)
      }
      const project = yield* CurrentProject
      const { approvals } = project
      const actor = yield* CurrentActor
      if (approvals === null || actor.kind === "system" || !needsApproval(approvals)) return
      return yield* new ApprovalNeeded({ ...action, project, subject: yield* subject })
    })

    /** Adds a bulk action to those of the person's window, unless they would take more tasks together than the limit. */
    const countBulk = Effect.fnUntraced(function*(limit: number, tasks: number) {
      const { id: project_id } = yield* CurrentProject
      const { user_id } = yield* currentPerson
      const created_at = yield* Timestamp.now
      yield* lockName(sql, `bulk actions ${project_id} ${user_id}`)
      const before = yield* repo.countBulkTasks(
        project_id,
        user_id,
        Timestamp.addSeconds(created_at, -approvalBulkWindow)
      )
      const isOver = before + tasks > limit
      if (!isOver) yield* repo.insertBulkAction({ id: yield* Ids.next, project_id, user_id, tasks, created_at })
      return { isOver, before }
    }, sql.withTransaction)

    /**
     * `check` for a bulk action, which needs approval where the person's bulk actions within the window take more tasks
     * than `bulk_over`: else a hundred actions under the limit would do what one may not. Null: too many tasks to count.
     */
    const checkBulk = Effect.fnUntraced(function*<E, R>(action: GatedAction<E, R>, tasks: number | null) {
      const actor = yield* CurrentActor
      const limit = (yield* CurrentProject).approvals?.bulk_over ?? null
      const isApproved = Option.exists(yield* Effect.serviceOption(Approved), ({ kind }) => kind === action.kind)
      if (isApproved || limit === null || actor.kind === "system") return yield* check(action, () => false)
      if (tasks === null) return yield* check(action, () => true)
      const { before, isOver } = yield* countBulk(limit, tasks)
      const summary = tasks > limit ? action.summary : `${action.summary}, after ${before} of other bulk acts`
      yield* check({ ...action, summary }, () => isOver)
    })

    const insert = Effect.fnUntraced(function*({ kind, project, request, subject, summary }: ApprovalNeeded) {
      const person = yield* currentPerson
      yield* lockName(sql, `approvals ${project.id}`)
      const now = yield* Timestamp.now
      const sameRequests = yield* repo.listSame(project.id, person.user_id, kind, JSON.stringify(request), now)
      const same = sameRequests.find((row) => Option.isNone(findDifference(row.subject, subject)))
      if (same !== undefined) return { row: same, isDecidable: true }
      if ((yield* repo.countPending(project.id)) >= maxPending) return yield* tooMany
      const row: ApprovalRow = {
        id: yield* Ids.nextOf(ApprovalId),
        project_id: project.id,
        kind,
        summary,
        request,
        subject,
        status: "pending",
        requested_by: person.user_id,
        decided_by: null,
        reason: null,
        result: null,
        created_at: now,
        expires_at: Timestamp.addSeconds(now, approvalTtl),
        decided_at: null
      }
      yield* repo.insert(row)
      const eligible = (yield* deciders.listEligible(project.id, person.user_id, now))
        .filter(({ admin_since }) => kind !== "user_update" || admin_since !== null) // what only global admins may do
      const requester = yield* repo.findName(person.user_id)
      yield* inbox.insert(eligible.map(({ user_id }) => noticeOf(row, requester, user_id)))
      yield* triggers.record([requestedEvent(row)])
      yield* audit.record(auditEntry("approval.requested", "approval", row.id, {
        project_id: project.id,
        metadata: { kind, summary }
      }))
      return { row, isDecidable: eligible.length > 0 }
    }, sql.withTransaction)

    /** Stores an action that needs approval; its caller gets 403 `approval_required`. Wraps the action's transaction. */
    const record = <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.catchIf(
        self,
        (failure): failure is E & ApprovalNeeded => failure instanceof ApprovalNeeded,
        (needed) =>
          Effect.flatMap(orDieOnSql(insert(needed)), ({ isDecidable, row: { expires_at, id } }) =>
            new Forbidden({
              code: "approval_required",
              detail: "This waits for a second person. It is done as soon as another admin approves it " +
                `(approval ${id}, before ${Timestamp.formatMinute(expires_at)}).${isDecidable ? "" : noDecider}`,
              details: { approval_id: id, expires_at }
            }))
      )

    return { check, checkBulk, record } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ApprovalsRepo.layer, Deciders.layer, Inbox.layer, TriggerEvents.layer])
  )
}
