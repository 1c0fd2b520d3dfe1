import { Array as Arr, Effect } from "effect"
import { defaultGrouping } from "../../../domain/alerting/Notification/Hygiene.ts"
import {
  type DefaultSubscription,
  type DefaultSubscriptionCreate,
  type DefaultSubscriptionUpdate,
  findUnsuitedFilter,
  setFilters,
  type UserSubscription,
  type UserSubscriptionCreate
} from "../../../domain/alerting/Notification/Subscription.ts"
import { ValidationFailed } from "../../../domain/kernel/Errors.ts"
import type { UserId } from "../../../domain/kernel/Id.ts"
import type * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { ChannelLink, SubscriptionRow } from "./Repo.ts"

/** The fields of both kinds of bodies; null and absent differ where null has a meaning. */
export interface SubscriptionInput extends Omit<DefaultSubscriptionUpdate, "escalation"> {
  readonly user_channel_ids?: ReadonlyArray<string> | null | undefined
  readonly escalation?:
    | {
      readonly after_minutes: number
      readonly project_channel_ids: ReadonlyArray<string>
      readonly user_channel_ids?: ReadonlyArray<string>
    }
    | null
    | undefined
}

export interface SubscriptionChannels {
  readonly project_channel_ids: ReadonlyArray<string>
  readonly user_channel_ids: ReadonlyArray<string>
  readonly escalation: {
    readonly project_channel_ids: ReadonlyArray<string>
    readonly user_channel_ids: ReadonlyArray<string>
  }
}

export const channelsOf = (links: ReadonlyArray<ChannelLink>): SubscriptionChannels => {
  const idsOf = (purpose: ChannelLink["purpose"], isPersonal: boolean) =>
    links.filter((link) => link.purpose === purpose && (link.user_id !== null) === isPersonal)
      .map(({ channel_id }) => channel_id)
  return {
    project_channel_ids: idsOf("message", false),
    user_channel_ids: idsOf("message", true),
    escalation: { project_channel_ids: idsOf("escalation", false), user_channel_ids: idsOf("escalation", true) }
  }
}

export const linksOf = ({ escalation, project_channel_ids, user_channel_ids }: SubscriptionChannels) => {
  const links = (purpose: ChannelLink["purpose"], ids: ReadonlyArray<string>) =>
    Arr.dedupe(ids).map((channel_id) => ({ channel_id, purpose }))
  return [
    ...links("message", [...project_channel_ids, ...user_channel_ids]),
    ...links("escalation", [...escalation.project_channel_ids, ...escalation.user_channel_ids])
  ]
}

/** The channels after a change: absent and null keep what is there. */
export const changeChannels = (
  before: SubscriptionChannels,
  { escalation, project_channel_ids, user_channel_ids }: SubscriptionInput
): SubscriptionChannels => ({
  project_channel_ids: Arr.dedupe(project_channel_ids ?? before.project_channel_ids),
  user_channel_ids: Arr.dedupe(user_channel_ids ?? before.user_channel_ids),
  escalation: escalation === undefined ? before.escalation : {
    project_channel_ids: Arr.dedupe(escalation?.project_channel_ids ?? []),
    user_channel_ids: Arr.dedupe(escalation?.user_channel_ids ?? [])
  }
})

export const noChannels = channelsOf([])

/** The fields that name other channels than the known ones of the project and the user. */
export const listUnknownChannels = (
  { escalation, project_channel_ids, user_channel_ids }: SubscriptionChannels,
  known: ReadonlySet<string>
) => {
  const fields = [
    ["project_channel_ids", project_channel_ids],
    ["user_channel_ids", user_channel_ids],
    ["escalation.project_channel_ids", escalation.project_channel_ids],
    ["escalation.user_channel_ids", escalation.user_channel_ids]
  ] as const
  return fields.filter(([, ids]) => !ids.every((id) => known.has(id))).map(([path]) => ({
    path,
    message: path.endsWith("project_channel_ids")
      ? "names a channel that the project does not have"
      : "names a channel that you do not have"
  }))
}

/** A new subscription, which never fired. */
export const makeRow = (
  place: Pick<SubscriptionRow, "id" | "project_id" | "user_id">,
  input: DefaultSubscriptionCreate | UserSubscriptionCreate,
  now: Timestamp.Timestamp
): SubscriptionRow => {
  const { cooldown_seconds, muted_until, ...filters } = input.filters
  return {
    ...place,
    trigger_key: input.trigger,
    filters,
    in_app: input.in_app,
    cooldown_seconds: cooldown_seconds ?? input.cooldown_seconds,
    grouping: input.grouping === undefined ? defaultGrouping : input.grouping,
    hygiene: {
      notify_recovery: input.notify_recovery,
      send_hours: input.send_hours,
      escalate_after_minutes: input.escalation?.after_minutes ?? null
    },
    muted_until: muted_until ?? input.muted_until,
    is_active: true,
    last_fired_at: null,
    created_at: now,
    updated_at: now
  }
}

/** The row after a change: absent keeps a value, and null clears what can be empty. */
export const changeRow = (
  row: SubscriptionRow,
  input: SubscriptionInput,
  updated_at: Timestamp.Timestamp
): SubscriptionRow => {
  const { cooldown_seconds, muted_until, ...filters } = input.filters ??
    { ...row.filters, cooldown_seconds: null, muted_until: null }
  return {
    ...row,
    trigger_key: input.trigger ?? row.trigger_key,
    filters,
    in_app: input.in_app ?? row.in_app,
    cooldown_seconds: cooldown_seconds ?? input.cooldown_seconds ?? row.cooldown_seconds,
    grouping: input.grouping === undefined ? row.grouping : input.grouping,
    muted_until: muted_until ?? (input.muted_until === undefined ? row.muted_until : input.muted_until),
    is_active: input.is_active ?? row.is_active,
    hygiene: {
      notify_recovery: input.notify_recovery ?? row.hygiene.notify_recovery,
      send_hours: input.send_hours === undefined ? row.hygiene.send_hours : input.send_hours,
      escalate_after_minutes: input.escalation === undefined
        ? row.hygiene.escalate_after_minutes
        : input.escalation?.after_minutes ?? null
    },
    updated_at
  }
}

const toPublic = ({ filters, hygiene, trigger_key, user_id: _, ...row }: SubscriptionRow) => ({
  ...row,
  trigger: trigger_key,
  filters: setFilters(filters),
  notify_recovery: hygiene.notify_recovery,
  send_hours: hygiene.send_hours
})

export const toDefault = (
  row: SubscriptionRow,
  { escalation, project_channel_ids }: SubscriptionChannels
): DefaultSubscription => ({
  ...toPublic(row),
  project_channel_ids,
  escalation: row.hygiene.escalate_after_minutes === null ? null : {
    after_minutes: row.hygiene.escalate_after_minutes,
    project_channel_ids: escalation.project_channel_ids
  }
})

export const toPersonal = (
  row: SubscriptionRow,
  user_id: UserId,
  { escalation, project_channel_ids, user_channel_ids }: SubscriptionChannels
): UserSubscription => ({
  ...toPublic(row),
  user_id,
  project_channel_ids,
  user_channel_ids,
  escalation: row.hygiene.escalate_after_minutes === null ? null : {
    after_minutes: row.hygiene.escalate_after_minutes,
    ...escalation
  }
})

/** Fails where the trigger, its filters and the escalation contradict each other. */
export const checkRow = (row: SubscriptionRow, { escalation }: SubscriptionChannels) => {
  const unsuited = findUnsuitedFilter(row.trigger_key, row.filters)
  if (unsuited !== null) return ValidationFailed.at(`filters.${unsuited}`, "is for the trigger task.failure_rate only")
  const hours = row.hygiene.send_hours
  if (hours !== null && hours.start === hours.end) {
    return ValidationFailed.at("send_hours.end", "must differ from start")
  }
  const isEmpty = escalation.project_channel_ids.length + escalation.user_channel_ids.length === 0
  return row.hygiene.escalate_after_minutes !== null && isEmpty
    ? ValidationFailed.at("escalation", "must name a channel")
    : Effect.void
}
