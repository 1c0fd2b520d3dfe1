import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { DeliveriesRepo } from "../alerting/Deliveries/Repo.ts"
import { SubscriptionsRepo } from "../alerting/Subscriptions/Repo.ts"
import { CommandStatusRepo } from "../commands/StatusRepo.ts"
import { Removal } from "../kernel/Removal.ts"
import { Publications } from "../schedules/Publications.ts"
import { SchedulesRepo } from "../schedules/Repo.ts"
import { clearAssignee } from "../tasks/Failures/Assignees.ts"
import { SavedViewsRepo } from "../tasks/SavedViews/Repo.ts"

export const layer = Layer.effect(
  Removal,
  Effect.gen(function*() {
    const commands = yield* CommandStatusRepo
    const deliveries = yield* DeliveriesRepo
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
      ofUser: (id) =>
        Effect.zipRight(
          savedViews.deletePersonal(id), // shared ones outlive their owner
          clearAssignee(sql, id, null)
        ),
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
    CommandStatusRepo.layer,
    DeliveriesRepo.layer,
    Publications.layer,
    SavedViewsRepo.layer,
    SchedulesRepo.layer,
    SubscriptionsRepo.layer
  ])
)
