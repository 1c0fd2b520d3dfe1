import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import type { Delivery, DeliveryDetail, ListDeliveries, ListUserDeliveries } from "../../../domain/alerting/Delivery.ts"
import { Notification } from "../../../domain/alerting/Notification.ts"
import { titleOfKind } from "../../../domain/alerting/Notification/Message.ts"
import { Conflict, NotFound } from "../../../domain/kernel/Errors.ts"
import type { DeliveryId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import { Projects } from "../../identity/Projects.ts"
import { yieldToEventLoop } from "../../kernel/concurrency/EventLoop.ts"
import { CurrentActor, currentPerson, CurrentProject, visibleProjects } from "../../kernel/CurrentActor.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { decodeStart, pageOf } from "../../kernel/sql/RowPage.ts"
import { orFail } from "../../kernel/sql/Rows.ts"
import { ChannelsRepo } from "../Channels/Repo.ts"
import { Deliveries } from "../Deliveries.ts"
import { DeliveryLogRepo, type LogOwner, type LogRow } from "../Deliveries/LogRepo.ts"

const defaultLimit = 50

/** Rows of a statement that deletes. */
const clearSlice = 500

const notFound = new NotFound({ resource: "delivery" })

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
    const channels = yield* ChannelsRepo
    const deliveries = yield* Deliveries
    const projects = yield* Projects
    const audit = yield* Audit
    const { restMaxPageSize } = yield* Settings

    const findRow = (owner: LogOwner, id: DeliveryId) => Effect.flatMap(repo.find(owner, id), orFail(notFound))

    /**
     * Enqueues the same message again, under an id of its own: a receiver that keeps the ids it has seen would drop the
     * former id. `resend_of` names the delivery that is sent again.
     */
    const resend = Effect.fnUntraced(
      function*(owner: LogOwner, id: DeliveryId) {
        const row = yield* findRow(owner, id)
        if (row.status === "pending") return yield* isPending
        const [channel] = yield* channels.lock([row.channel_id])
        if (channel === undefined || !channel.is_active) return yield* isInactive
        const actor = yield* CurrentActor
        const [resent = id] = yield* deliveries.enqueue([{
          project_id: row.project_id,
          user_id: row.user_id,
          subscription_id: row.subscription_id,
          channel,
          notification: decodeNotification(row.notification),
          resend_of: id,
          sender: actor.kind === "person" ? actor : null
        }])
        yield* audit.record(auditEntry("notification.resent", "delivery", id, {
          project_id: row.project_id,
          metadata: { channel_name: row.channel_name, channel_type: row.channel_type, new_delivery_id: resent }
        }))
        return resent
      },
      sql.withTransaction
    )

    /** The log of one owner, without what it may not show. */
    const logOf = <E, R>(findOwner: Effect.Effect<LogOwner, E, R>) => ({
      list: Effect.fn("DeliveryLog.list")(function*(
        filters: ListDeliveries & { readonly project_id?: LogRow["project_id"] & string }
      ) {
        const query = { cursor: filters.cursor, limit: Math.min(filters.limit ?? defaultLimit, restMaxPageSize) }
        const start = yield* decodeStart("deliveries", query)
        const rows = yield* repo.list(yield* findOwner, filters, start, query.limit + 1)
        return pageOf("deliveries", query, rows.map(toDelivery))
      }, orDieOnSql),
      get: Effect.fn("DeliveryLog.get")(function*(id: DeliveryId) {
        const { notification, ...row } = yield* findRow(yield* findOwner, id)
        const { kind, text, title, trigger } = decodeNotification(notification)
        return {
          ...toDelivery(row),
          title: titleOfKind(kind, trigger, title),
          text,
          attempt_list: yield* repo.listAttempts(id)
        } satisfies DeliveryDetail
      }, orDieOnSql),
      resend: Effect.fn("DeliveryLog.resend")(function*(id: DeliveryId) {
        const owner = yield* findOwner
        const { notification: _, ...row } = yield* findRow(owner, yield* resend(owner, id))
        return toDelivery(row)
      }, orDieOnSql)
    })

    /** Of the current project's channels. */
    const ofProject = logOf(Effect.map(CurrentProject, ({ id }): LogOwner => ({ project_id: id })))

    /** Of the caller's personal channels; nothing about a project that the caller does not see. */
    const ofPerson = logOf(Effect.map(currentPerson, (person): LogOwner => ({
      user_id: person.user_id,
      projects: visibleProjects(person)
    })))

    const listOwn = Effect.fn("DeliveryLog.listOwn")(function*({ project_slug, ...filters }: ListUserDeliveries) {
      if (project_slug === undefined) return yield* ofPerson.list(filters)
      const project = yield* Effect.option(projects.getBySlug(project_slug))
      return Option.isNone(project)
        ? { items: [], next_cursor: null }
        : yield* ofPerson.list({ ...filters, project_id: project.value.id })
    })

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
      yield* sql.withTransaction(audit.record(auditEntry("notification.log_cleared", "project", project.id, {
        project_id: project.id,
        metadata: { before: before ?? null, deleted }
      })))
      return { deleted }
    }, orDieOnSql)

    return { project: { ...ofProject, clear }, personal: { ...ofPerson, list: listOwn } } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ChannelsRepo.layer, Deliveries.layer, DeliveryLogRepo.layer, Projects.layer])
  )
}
