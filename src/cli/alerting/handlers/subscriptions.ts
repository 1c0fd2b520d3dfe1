import { Console, Effect, Option, Schema } from "effect"
import { SendHours } from "../../../domain/alerting/Notification/Hygiene.ts"
import {
  type DefaultSubscription,
  DefaultSubscriptionCreate,
  UserSubscriptionCreate
} from "../../../domain/alerting/Notification/Subscription.ts"
import { SubscriptionId } from "../../../domain/kernel/Id.ts"
import { TaskPriority } from "../../../domain/kernel/TaskState.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Trigger } from "../../../domain/triggers/Trigger.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { type Column, formatAge, formatFields, formatTable, idColumn, type View } from "../../io/Table.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call } from "../../remote/Handlers.ts"
import { printResponse, type Remote } from "../../remote/Remote.ts"
import type { definitions } from "../subscriptions.ts"
import { resolveChannelId } from "./channels.ts"

type Shown = Omit<DefaultSubscription, "escalation">

const stateOf = ({ is_active, muted_until }: Shown, { nowMillis }: View): string => {
  if (!is_active) return "inactive"
  return muted_until !== null && Date.parse(muted_until) > nowMillis
    ? `muted until ${muted_until.slice(0, 16)}Z`
    : "active"
}

const columns: ReadonlyArray<Column<Shown>> = [
  { head: "TRIGGER", cell: ({ trigger }) => trigger },
  { head: "STATE", cell: stateOf },
  {
    head: "FILTERS",
    cell: ({ filters }) => Object.entries(filters).map(([name, value]) => `${name}=${String(value)}`).join(" "),
    maxLength: 60,
    minLength: 10,
    dropRank: 2
  },
  { head: "FIRED", cell: ({ last_fired_at }, view) => formatAge(last_fired_at, view), dropRank: 1 },
  idColumn("ID", ({ id }) => id)
]

const TriggerInput = Schema.Struct({ trigger: Schema.compose(Schema.String, Trigger, { strict: false }) })

const projectIdOf = ({ api, slug }: Remote) => Effect.map(api.project.get({ path: { slug } }), ({ id }) => id)

const listOf = (given: Option.Option<string>) =>
  Option.getOrNull(Option.map(given, (text) => text.split(",").map((item) => item.trim())))

const usageError = (message: string) => new CliError({ usage: true, message })

/** The hours of `--send-only` or `--send-except`. */
const readSendHours = (
  { days, sendExcept, sendOnly, timezone }: OptionsOf<typeof definitions.create>
): Effect.Effect<unknown, CliError> => {
  if (Option.isSome(sendOnly) && Option.isSome(sendExcept)) {
    return usageError("--send-only and --send-except exclude each other")
  }
  const hours = Option.getOrNull(Option.orElse(sendOnly, () => sendExcept))
  if (hours === null) {
    return Option.isNone(days) && Option.isNone(timezone)
      ? Effect.succeed(null)
      : usageError("--days and --timezone need --send-only or --send-except")
  }
  const [start, end] = hours.split("-")
  return Effect.succeed({
    mode: Option.isSome(sendOnly) ? "only" : "except",
    start,
    end,
    timezone: Option.getOrElse(timezone, () => "UTC"),
    ...(Option.isSome(days) && { days: listOf(days) })
  })
}

const SendHoursInput = Schema.Struct({
  send_hours: Schema.compose(Schema.Unknown, Schema.NullOr(SendHours), { strict: false })
})
const PriorityInput = Schema.Struct({
  priority: Schema.compose(Schema.Unknown, Schema.NullOr(Schema.Array(TaskPriority)), { strict: false })
})

type Target = OptionsOf<typeof definitions.unmute>

const findSubscription = ({ api, slug }: Remote, { isDefault, subscription }: Target) =>
  Effect.gen(function*() {
    const rows: ReadonlyArray<Shown> = isDefault
      ? yield* api.notification_defaults.list({ path: { slug } })
      : (yield* api.user_subscriptions.list({ urlParams: { limit: 500 } })).items
    return yield* findOne(rows, {
      what: "subscription",
      given: subscription,
      nameOf: ({ trigger }) => trigger,
      listedBy: "svc subscriptions list"
    })
  })

const setMute = (remote: Remote, target: Target, muted_until: Timestamp.Timestamp | null) =>
  Effect.gen(function*() {
    const { api, slug } = remote
    const { id } = yield* findSubscription(remote, target)
    const payload = { muted_until }
    yield* target.isDefault
      ? Effect.asVoid(api.notification_defaults.update({ path: { slug, default_id: id }, payload }))
      : Effect.asVoid(api.user_subscriptions.update({ path: { sub_id: id }, payload }))
    yield* Console.log(muted_until === null ? `unmuted ${id}` : `muted ${id} until ${muted_until}`)
  })

export const handlers: HandlersOf<typeof definitions> = {
  list: call(function*(remote, { isDefault, json }) {
    const { api, slug } = remote
    if (isDefault) {
      const response = yield* api.notification_defaults.list({ path: { slug }, withResponse: true })
      return yield* printResponse(response, json, (rows, _text, view) => formatTable(columns, rows, view))
    }
    const urlParams = { project_id: yield* projectIdOf(remote), limit: 500 }
    const response = yield* api.user_subscriptions.list({ urlParams, withResponse: true })
    yield* printResponse(response, json, ({ items }, _text, view) => formatTable(columns, items, view))
  }),
  show: call(function*(remote, { json, ...target }) {
    const found = yield* findSubscription(remote, target)
    if (json) return yield* Console.log(JSON.stringify(found))
    yield* Console.log(formatFields(
      Object.entries(found).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])
    ))
  }),
  create: call(function*(remote, options) {
    const { each, isDefault, json, priority, projectChannel, queue, taskName, userChannel } = options
    const { api, slug } = remote
    const { trigger } = yield* decodeInput(TriggerInput, { trigger: options.trigger })
    const input = {
      trigger,
      filters: {
        ...(yield* decodeInput(PriorityInput, { priority: listOf(priority) })),
        task_name: Option.getOrNull(taskName),
        queue: Option.getOrNull(queue)
      },
      ...(yield* decodeInput(SendHoursInput, { send_hours: yield* readSendHours(options) })),
      project_channel_ids: yield* Effect.forEach(projectChannel, (given) => resolveChannelId(remote, given)),
      ...(each && { grouping: null })
    }
    if (isDefault && userChannel.length > 0) {
      return yield* usageError("--user-channel is for your own subscriptions, without --default")
    }
    const describeCreated = ({ id }: { readonly id: string }) => `created the subscription ${id} to ${trigger}`
    if (isDefault) {
      const payload = yield* decodeInput(DefaultSubscriptionCreate, input)
      const response = yield* api.notification_defaults.create({ path: { slug }, payload, withResponse: true })
      return yield* printResponse(response, json, describeCreated)
    }
    const payload = yield* decodeInput(UserSubscriptionCreate, {
      ...input,
      project_id: yield* projectIdOf(remote),
      user_channel_ids: userChannel
    })
    const response = yield* api.user_subscriptions.create({ payload, withResponse: true })
    yield* printResponse(response, json, describeCreated)
  }),
  mute: call(function*(remote, { minutes, ...target }) {
    yield* setMute(remote, target, Timestamp.addSeconds(yield* Timestamp.now, minutes * 60))
  }),
  unmute: call((remote, target) => setMute(remote, target, null)),
  delete: call(function*(remote, { yes, ...target }) {
    const { api, slug } = remote
    const { id, trigger } = yield* findSubscription(remote, target)
    yield* confirm(yes, `Delete the subscription ${id} to ${trigger} with its alerts?`)
    yield* target.isDefault
      ? api.notification_defaults.remove({ path: { slug, default_id: SubscriptionId.make(id) } })
      : api.user_subscriptions.remove({ path: { sub_id: SubscriptionId.make(id) } })
    yield* Console.log(`deleted the subscription ${id}`)
  })
}
