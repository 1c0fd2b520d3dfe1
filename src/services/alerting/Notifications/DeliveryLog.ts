import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import type { Delivery, DeliveryDetail, ListDeliveries, ListUserDeliveries } from "../../../domain/alerting/Delivery.ts"
import { Notification } from "../../../domain/alerting/Notification.ts"
import { titleOfKind } from "../../../domain/alerting/Notification/Message.ts"
import { Conflict, NotFound } from "../../../domain/kernel/Errors.ts"
import type { DeliveryId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit } from "../../audit/Audit.ts"
import { Projects } from "../../identity/Projects.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import { CurrentActor, currentPerson, CurrentProject, visibleProjects } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { decodeStart, pageOf } from "../../kernel/sql/RowPage.ts"
import { Deliveries } from "../Deliveries.ts"
import { DeliveryLogRepo, type DetailRow, type LogOwner, type LogRow } from "../Deliveries/LogRepo.ts"
import { QueueRepo } from "../Deliveries/QueueRepo.ts"

const defaultLimit = 50

/** Rows of a statement that deletes. */
const clearSlice = 500

const isPending = new Conflict({
  code: "delivery_pending",
  detail: "The delivery is still pending: it is sent by itself. Wait until it is sent or has failed."
})

const isInactive = new Conflict({
  code: "channel_not_active",
  detail: "The channel of the delivery was deleted or is not active. Set it active, then send again."
})

const decodeNotification = Schema.decodeSync(Schema.parseJson(Notification))

const toDelivery = ({ due_at, sent_at, trigger_key, user_id, ...row }: LogRow): Delivery => ({
  ...row,
  channel_id: user_id === null ? row.channel_id : null,
  user_channel_id: user_id === null ? null : row.channel_id,
  trigger: trigger_key,
  next_attempt_at: due_at,
  sent_at: sent_at ?? row.created_at
})

/** What was sent to a project's channels and to a user's own, for people: lists, attempts, sending again. */
export class DeliveryLog extends Effect.Service<DeliveryLog>()("svc/DeliveryLog", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* DeliveryLogRepo
    const queue = yield* QueueRepo
    const deliveries = yield* Deliveries
    const projects = yield* Projects
    const audit = yield* Audit
    const { restMaxPageSize } = yield* Settings

    const ofProject = Effect.map(CurrentProject, ({ id }): LogOwner => ({ project_id: id }))
    const ofUser = Effect.map(currentPerson, (person): LogOwner => ({
      user_id: person.user_id,
      projects: visibleProjects(person)
    }))

    const listOf = Effect.fnUntraced(function*(
      owner: LogOwner,
      filters: ListDeliveries & { readonly project_id?: LogRow["project_id"] & string }
    ) {
      const query = { cursor: filters.cursor, limit: Math.min(filters.limit ?? defaultLimit, restMaxPageSize) }
      const start = yield* decodeStart("deliveries", query)
      const rows = yield* repo.list(owner, filters, start, query.limit + 1)
      return pageOf("deliveries", query, rows.map(toDelivery))
    })

    const list = Effect.fn("DeliveryLog.list")(function*(filters: ListDeliveries) {
      return yield* listOf(yield* ofProject, filters)
    }, orDieOnSql)

    /** The caller's personal channels; none of a project that the caller does not see. */
    const listOwn = Effect.fn("DeliveryLog.listOwn")(function*({ project_slug, ...filters }: ListUserDeliveries) {
      const owner = yield* ofUser
      if (project_slug === undefined) return yield* listOf(owner, filters)
      const project = yield* Effect.option(projects.getBySlug(project_slug))
      return Option.isNone(project)
        ? { items: [], next_cursor: null }
        : yield* listOf(owner, { ...filters, project_id: project.value.id })
    }, orDieOnSql)

    const findRow = (owner: LogOwner, id: DeliveryId) =>
      Effect.flatMap(
        repo.find(owner, id),
        Option.match({ onNone: () => new NotFound({ resource: "delivery" }), onSome: Effect.succeed })
      )

    const show = Effect.fnUntraced(function*({ notification, ...row }: DetailRow) {
      const { kind, text, title, trigger } = decodeNotification(notification)
      return {
        ...toDelivery(row),
        title: titleOfKind(kind, trigger, title),
        text,
        attempt_list: yield* repo.listAttempts(row.id)
      } satisfies DeliveryDetail
    })

    const get = Effect.fn("DeliveryLog.get")(function*(id: DeliveryId) {
      return yield* show(yield* findRow(yield* ofProject, id))
    }, orDieOnSql)

    const getOwn = Effect.fn("DeliveryLog.getOwn")(function*(id: DeliveryId) {
      return yield* show(yield* findRow(yield* ofUser, id))
    }, orDieOnSql)

    /**
     * Enqueues the same message again, under an id of its own: a receiver that keeps the ids it has seen would drop the
     * former id. `resend_of` tells it what is sent again.
     */
    const resendOf = Effect.fnUntraced(
      function*(owner: LogOwner, id: DeliveryId) {
        const row = yield* findRow(owner, id)
        if (row.status === "pending") return yield* isPending
        const { channel_id } = row
        const [channel] = channel_id === null ? [] : yield* queue.lockChannels([channel_id])
        if (channel === undefined || !channel.is_active) return yield* isInactive
        const actor = yield* CurrentActor
        const [resent] = yield* deliveries.enqueue([{
          project_id: row.project_id,
          user_id: row.user_id,
          subscription_id: row.subscription_id,
          channel,
          notification: decodeNotification(row.notification),
          resend: {
            of: id,
            user_id: actor.kind === "person" ? actor.user_id : null,
            email: actor.kind === "person" ? actor.email : null
          }
        }])
        yield* audit.record({
          action: "notification.resent",
          target_type: "delivery",
          target_id: id,
          project_id: row.project_id,
          metadata: { channel_name: row.channel_name, channel_type: row.channel_type, new_delivery_id: resent ?? null }
        })
        return resent ?? id
      },
      sql.withTransaction
    )

    const resend = Effect.fn("DeliveryLog.resend")(function*(id: DeliveryId) {
      const owner = yield* ofProject
      return yield* Effect.map(
        findRow(owner, yield* resendOf(owner, id)),
        ({ notification: _, ...row }) => toDelivery(row)
      )
    }, orDieOnSql)

    const resendOwn = Effect.fn("DeliveryLog.resendOwn")(function*(id: DeliveryId) {
      const owner = yield* ofUser
      return yield* Effect.map(
        findRow(owner, yield* resendOf(owner, id)),
        ({ notification: _, ...row }) => toDelivery(row)
      )
    }, orDieOnSql)

    /** Deletes the log of the project's channels. What is pending and the audit log remain. */
    const clear = Effect.fn("DeliveryLog.clear")(function*(before: Timestamp.Timestamp | undefined) {
      const project = yield* CurrentProject
      const millis = Timestamp.toEpochMillis(before ?? (yield* Timestamp.now))
      const beforeId = before === undefined ? Ids.maxIdAt(millis) : Ids.minIdAt(millis)
      let deleted = 0
      for (let count = clearSlice; count === clearSlice;) {
        count = yield* repo.clear(project.id, beforeId, clearSlice)
        deleted += count
        yield* yieldToEventLoop
      }
      yield* sql.withTransaction(audit.record({
        action: "notification.log_cleared",
        target_type: "project",
        target_id: project.id,
        project_id: project.id,
        metadata: { before: before ?? null, deleted }
      }))
      return { deleted }
    }, orDieOnSql)

    return { list, listOwn, get, getOwn, resend, resendOwn, clear } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([Deliveries.layer, DeliveryLogRepo.layer, Projects.layer, QueueRepo.layer])
  )
}
