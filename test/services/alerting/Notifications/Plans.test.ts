import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId, UserId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { AlertsRepo } from "../../../../src/services/alerting/AlertsRepo.ts"
import { DeliveryLogRepo } from "../../../../src/services/alerting/Deliveries/LogRepo.ts"
import { DeliveriesRepo } from "../../../../src/services/alerting/Deliveries/Repo.ts"
import { InboxRepo } from "../../../../src/services/kernel/Inbox/Repo.ts"
import { brainOn } from "../../../brain.ts"
import { plansOf } from "../../../plans.ts"

const repos = Layer.mergeAll(
  AlertsRepo.layer,
  DeliveriesRepo.layer,
  DeliveryLogRepo.layer,
  InboxRepo.layer
)

describe("statements about a million alerts and messages, on SQLite", () => {
  layer(Layer.provideMerge(repos, brainOn("SQLite")), { excludeTestServices: true })((it) => {
    const project_id = ProjectId.make(randomUUID())
    const user_id = UserId.make(randomUUID())
    const planOf = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
      Effect.map(plansOf(statement), (plans) => plans.flat().join("\n"))

    it.effect("alerts", () =>
      Effect.gen(function*() {
        const repo = yield* AlertsRepo
        const now = yield* Timestamp.now
        const page = { limit: 50, start: null }
        assert.include(yield* planOf(repo.list(project_id, user_id, page)), "alerts_project (project_id=?)")
        assert.include(
          yield* planOf(repo.list(project_id, user_id, { ...page, status: "stale" })),
          "alerts_status (project_id=? AND status=?)"
        )
        assert.include(
          yield* planOf(repo.wakeProject(project_id, now)),
          "alerts_status (project_id=? AND status=?)"
        )
        for (const due of [planOf(repo.hasDue(now)), planOf(repo.takeDue(now, 200))]) {
          assert.include(yield* due, "alerts_due (due_at>? AND due_at<?)")
        }
      }))

    it.effect("deliveries", () =>
      Effect.gen(function*() {
        const { list } = yield* DeliveryLogRepo
        const { claim, listBusyBatches, listWaiting, suppressOfMember } = yield* DeliveriesRepo
        const now = yield* Timestamp.now
        const own = { user_id, projects: { only: [project_id] } }
        const filters = [
          [{}, "deliveries_user (user_id=?)"],
          [{ status: "failed" }, "deliveries_user_status (user_id=? AND status=?)"],
          [{ trigger: "agent.offline" }, "deliveries_user_trigger (user_id=? AND trigger_key=?)"],
          [{ project_id }, "deliveries_user_project (user_id=? AND project_id=?)"]
        ] as const
        for (const [filter, index] of filters) assert.include(yield* planOf(list(own, filter, null, 51)), index)
        assert.include(yield* planOf(list({ project_id }, {}, null, 51)), "deliveries_project (project_id=?)")
        const some = [randomUUID()]
        for (const busy of [{ full: [], fullForFailing: [] }, { full: some, fullForFailing: some }]) {
          const claiming = { channelId: randomUUID(), isFailing: false, limit: 8, now, until: now, busy }
          const claimed = yield* planOf(claim(claiming))
          assert.include(claimed, "deliveries_channel_due (channel_id=? AND due_at>? AND due_at<?)")
          assert.include(claimed, "deliveries_batch (batch_id=?)")
          assert.include(yield* planOf(listWaiting(null, busy)), "deliveries_channel_due (channel_id")
        }
        assert.include(yield* planOf(listBusyBatches(now)), "deliveries_batch")
        const suppressed = yield* planOf(suppressOfMember(project_id, user_id))
        assert.include(suppressed, "deliveries_user_status (user_id=? AND status=?)")
        assert.include(suppressed, "(id=?)")
      }))

    it.effect("the inbox", () =>
      Effect.gen(function*() {
        const { countUnread, list, markSomeRead } = yield* InboxRepo
        const now = yield* Timestamp.now
        for (const projects of [{ only: [project_id] }, { except: [] }, { except: [project_id] }]) {
          const view = { user_id, projects }
          assert.include(yield* planOf(list(view, false, null, 50)), "user_notifications_user (user_id=?)")
          const unread = [
            planOf(list(view, true, null, 50)),
            planOf(countUnread(view)),
            planOf(markSomeRead(view, randomUUID(), now))
          ]
          for (const plan of unread) assert.include(yield* plan, "user_notifications_unread (user_id=?")
        }
      }))
  })
})
