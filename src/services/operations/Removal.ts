import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { DeliveriesRepo } from "../alerting/Deliveries/Repo.ts"
import { SubscriptionsRepo } from "../alerting/Subscriptions/Repo.ts"
import { requestNoticeOf } from "../approvalGate/Events.ts"
import { ApprovalsRepo } from "../approvalGate/Repo.ts"
import { CommandStatusRepo } from "../commands/StatusRepo.ts"
import { Inbox } from "../kernel/Inbox.ts"
import { Removal } from "../kernel/Removal.ts"
import { Publications } from "../schedules/Publications.ts"
import { SchedulesRepo } from "../schedules/Repo.ts"
import { clearAssignee } from "../tasks/Failures/Assignees.ts"
import { SavedViewsRepo } from "../tasks/SavedViews/Repo.ts"

export const layer = Layer.effect(
  Removal,
  Effect.gen(function*() {
    const approvals = yield* ApprovalsRepo
    const commands = yield* CommandStatusRepo
    const deliveries = yield* DeliveriesRepo
    const inbox = yield* Inbox
    const publications = yield* Publications
    const savedViews = yield* SavedViewsRepo
    const sql = yield* SqlClient.SqlClient
    const schedules = yield* SchedulesRepo
    const subscriptions = yield* SubscriptionsRepo
    return {
      ofProject: Effect.fnUntraced(function*(id) {
        yield* schedules.insertProjectTombstones(id, yield* Timestamp.now)
        yield* commands.cancelUnfinished({ project: id })
      }),
      ofAgent: (projectId, id) =>
        Effect.map(publications.nextRevision, (revision) =>
          Effect.zipLeft(
            publications.withdraw(projectId, id, revision),
            commands.cancelUnfinished({ agent: id })
          )),
      ofUser: Effect.fnUntraced(function*(id) {
        yield* savedViews.deletePersonal(id) // shared ones outlive their owner
        yield* clearAssignee(sql, id, null)
        // the approvals go with their requester, and the messages of those who were asked stay
        for (const row of yield* approvals.listPendingOf(id)) {
          yield* inbox.close(requestNoticeOf(row), row.created_at, "The account of the person who asked was deleted.")
        }
      }),
      ofMembership: Effect.fnUntraced(function*(projectId, userId) {
        const ended = yield* subscriptions.deleteOfMember(projectId, userId)
        if (ended.length > 0) yield* subscriptions.bumpRevision(projectId)
        yield* deliveries.suppressOfMember(projectId, userId)
        yield* clearAssignee(sql, userId, projectId)
      })
    }
  })
).pipe(
  Layer.provide([
    ApprovalsRepo.layer,
    CommandStatusRepo.layer,
    DeliveriesRepo.layer,
    Inbox.layer,
    Publications.layer,
    SavedViewsRepo.layer,
    SchedulesRepo.layer,
    SubscriptionsRepo.layer
  ])
)
