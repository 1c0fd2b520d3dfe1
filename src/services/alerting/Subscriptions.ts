import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Layer, Option } from "effect"
import type {
  DefaultSubscriptionCreate,
  DefaultSubscriptionUpdate,
  ListUserSubscriptions,
  UserSubscriptionCreate,
  UserSubscriptionUpdate
} from "../../domain/alerting/Notification/Subscription.ts"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { type ProjectId, SubscriptionId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Audit } from "../audit/Audit.ts"
import { CurrentActor, currentPerson, CurrentProject, requireRole, roleIn } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { decodeStart, pageOf } from "../kernel/sql/RowPage.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { ChannelsRepo } from "./Channels/Repo.ts"
import { type SubscriptionRow, SubscriptionsRepo } from "./Subscriptions/Repo.ts"
import {
  changeChannels,
  changeRow,
  channelsOf,
  checkRow,
  linksOf,
  listUnknownChannels,
  makeRow,
  noChannels,
  type SubscriptionChannels,
  type SubscriptionInput,
  toDefault,
  toPersonal
} from "./Subscriptions/Row.ts"

const maxDefaults = 200
const maxPersonal = 200

const tooManyDefaults = new Conflict({
  code: "too_many_subscriptions",
  detail: `The project has ${maxDefaults} defaults, which is the limit. Delete one first.`
})

const tooManyPersonal = new Conflict({
  code: "too_many_subscriptions",
  detail: `You have ${maxPersonal} subscriptions, which is the limit. Delete one first.`
})

const defaultNotFound = new NotFound({ resource: "default" })
const subscriptionNotFound = new NotFound({ resource: "subscription" })

const list = "subscriptions"

/**
 * Who is notified of what, through which channels: a project's defaults, and the subscriptions of its members
 * (docs/notifications.md). Each change raises the project's trigger revision, so that the ingest sees it at once.
 */
export class Subscriptions extends Effect.Service<Subscriptions>()("svc/Subscriptions", {
  // The methods of the two lists, which are built on `insert`, `update` and `remove`.
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* SubscriptionsRepo
    const channelsRepo = yield* ChannelsRepo
    const triggers = yield* TriggerEvents
    const audit = yield* Audit

    const recordChange = (action: string, { id, project_id, trigger_key, user_id }: SubscriptionRow) =>
      Effect.zipRight(
        triggers.bumpRevision(project_id),
        audit.record({
          action,
          target_type: "subscription",
          target_id: id,
          project_id,
          metadata: { trigger: trigger_key, is_default: user_id === null }
        })
      )

    /** Fails unless all project channels belong to the project and all others to the user. */
    const checkChannels = Effect.fnUntraced(
      function*({ project_id, user_id }: SubscriptionRow, channels: SubscriptionChannels) {
        const { escalation, project_channel_ids, user_channel_ids } = channels
        const ofProject = yield* channelsRepo.listRefs(
          { project_id },
          Arr.dedupe([...project_channel_ids, ...escalation.project_channel_ids])
        )
        const ofUser = user_id === null ? [] : yield* channelsRepo.listRefs(
          { user_id },
          Arr.dedupe([...user_channel_ids, ...escalation.user_channel_ids])
        )
        const issues = listUnknownChannels(channels, new Set([...ofProject, ...ofUser].map(({ id }) => id)))
        if (issues.length > 0) return yield* new ValidationFailed({ issues })
      }
    )

    /** Locks the list that the row joins, so that concurrent requests do not exceed its limit together. */
    const checkCount = Effect.fnUntraced(function*({ project_id, user_id }: SubscriptionRow) {
      if (user_id === null) {
        yield* lockName(sql, `defaults ${project_id}`)
        if ((yield* repo.countDefaults(project_id)) >= maxDefaults) return yield* tooManyDefaults
      } else {
        yield* lockName(sql, `subscriptions ${user_id}`)
        if ((yield* repo.countPersonal(user_id)) >= maxPersonal) return yield* tooManyPersonal
      }
    })

    const insert = Effect.fnUntraced(function*(
      place: Pick<SubscriptionRow, "project_id" | "user_id">,
      input: DefaultSubscriptionCreate | UserSubscriptionCreate
    ) {
      const channels = changeChannels(noChannels, input)
      const row = makeRow({ ...place, id: yield* Ids.nextOf(SubscriptionId) }, input, yield* Timestamp.now)
      yield* checkRow(row, channels)
      yield* checkChannels(row, channels)
      yield* checkCount(row)
      yield* repo.insert(row)
      yield* repo.setChannels(row.id, linksOf(channels))
      yield* recordChange("subscription.created", row)
      return { row, channels }
    })

    const update = Effect.fnUntraced(function*(before: SubscriptionRow, input: SubscriptionInput) {
      const channels = changeChannels(channelsOf(yield* repo.listChannels([before.id], sql)), input)
      const row = changeRow(before, input, yield* Timestamp.now)
      yield* checkRow(row, channels)
      yield* checkChannels(row, channels)
      yield* repo.update(row)
      yield* repo.setChannels(row.id, linksOf(channels))
      yield* recordChange("subscription.updated", row)
      return { row, channels }
    })

    const remove = (row: SubscriptionRow) =>
      Effect.zipRight(repo.delete(row.id), recordChange("subscription.deleted", row))

    const withChannels = Effect.fnUntraced(function*<A>(
      rows: ReadonlyArray<SubscriptionRow>,
      make: (row: SubscriptionRow, channels: SubscriptionChannels) => A
    ) {
      const links = Arr.groupBy(
        yield* repo.listChannels(rows.map(({ id }) => id)),
        ({ subscription_id }) => subscription_id
      )
      return rows.map((row) => make(row, channelsOf(links[row.id] ?? [])))
    })

    /** The project's defaults, oldest first. */
    const listDefaults = Effect.fn("Subscriptions.listDefaults")(function*() {
      const { id } = yield* CurrentProject
      return yield* withChannels(yield* repo.listDefaults(id), toDefault)
    }, orDieOnSql)

    const createDefault = Effect.fn("Subscriptions.createDefault")(function*(input: DefaultSubscriptionCreate) {
      const { id } = yield* CurrentProject
      const { channels, row } = yield* insert({ project_id: id, user_id: null }, input)
      return toDefault(row, channels)
    }, inTransaction(sql))

    const findDefault = (id: SubscriptionId) =>
      Effect.flatMap(
        CurrentProject,
        (project) => Effect.flatMap(repo.findDefaultForUpdate(project.id, id), orFail(defaultNotFound))
      )

    const updateDefault = Effect.fn("Subscriptions.updateDefault")(
      function*(id: SubscriptionId, input: DefaultSubscriptionUpdate) {
        const { channels, row } = yield* update(yield* findDefault(id), input)
        return toDefault(row, channels)
      },
      inTransaction(sql)
    )

    const removeDefault = Effect.fn("Subscriptions.removeDefault")(
      (id: SubscriptionId) => Effect.flatMap(findDefault(id), remove),
      sql.withTransaction,
      orDieOnSql
    )

    /** The caller's subscriptions, newest first; by a bound API key those of its project. */
    const listOwn = Effect.fn("Subscriptions.listOwn")(
      function*({ limit = 50, project_id, cursor }: ListUserSubscriptions) {
        const { user_id, via } = yield* currentPerson
        const query = { limit, cursor }
        const start = yield* decodeStart(list, query)
        const bound = via.kind === "api_key" ? via.project_id : null
        if (bound !== null && project_id !== undefined && project_id !== bound) return { items: [], next_cursor: null }
        const rows = yield* repo.listPersonal(user_id, project_id ?? bound, start, limit + 1)
        const page = pageOf(list, query, rows)
        return {
          ...page,
          items: yield* withChannels(page.items, (row, channels) => toPersonal(row, user_id, channels))
        }
      },
      orDieOnSql
    )

    /** Operators may send their own messages to the project's channels, which others read. */
    const checkProjectChannels = (projectId: ProjectId, { escalation, project_channel_ids }: SubscriptionInput) =>
      (project_channel_ids?.length ?? 0) + (escalation?.project_channel_ids.length ?? 0) > 0
        ? requireRole(projectId, "operator")
        : Effect.void

    const createOwn = Effect.fn("Subscriptions.createOwn")(function*(input: UserSubscriptionCreate) {
      const { user_id } = yield* currentPerson
      const project_id = yield* findProject(input.project_id)
      yield* checkProjectChannels(project_id, input)
      const { channels, row } = yield* insert({ project_id, user_id }, input)
      return toPersonal(row, user_id, channels)
    }, inTransaction(sql))

    /** A project that the caller is a member of. */
    const findProject = Effect.fnUntraced(function*(id: string) {
      const found = yield* repo.findProject(id)
      return Option.isSome(found) && roleIn(yield* CurrentActor, found.value) !== null
        ? found.value
        : yield* ValidationFailed.at("project_id", "is not a project that you are a member of")
    })

    /** A subscription of the caller, in a project that the credential reaches. */
    const findOwn = Effect.fnUntraced(function*(id: SubscriptionId) {
      const { user_id } = yield* currentPerson
      const row = yield* Effect.flatMap(repo.findPersonalForUpdate(user_id, id), orFail(subscriptionNotFound))
      if (roleIn(yield* CurrentActor, row.project_id) === null) return yield* subscriptionNotFound
      return { row, user_id }
    })

    const updateOwn = Effect.fn("Subscriptions.updateOwn")(
      function*(id: SubscriptionId, input: UserSubscriptionUpdate) {
        const { row: before, user_id } = yield* findOwn(id)
        yield* checkProjectChannels(before.project_id, input)
        const { channels, row } = yield* update(before, input)
        return toPersonal(row, user_id, channels)
      },
      inTransaction(sql)
    )

    const removeOwn = Effect.fn("Subscriptions.removeOwn")(
      (id: SubscriptionId) => Effect.flatMap(findOwn(id), ({ row }) => remove(row)),
      sql.withTransaction,
      orDieOnSql
    )

    return {
      listDefaults,
      createDefault,
      updateDefault,
      removeDefault,
      listOwn,
      createOwn,
      updateOwn,
      removeOwn
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ChannelsRepo.layer, SubscriptionsRepo.layer, TriggerEvents.layer])
  )
}
