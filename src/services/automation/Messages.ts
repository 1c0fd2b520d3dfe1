import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { Notify } from "../../domain/automation/Actions.ts"
import { conditionKeyOf, type MessageCause, ruleMessage } from "../../domain/automation/RuleMessage.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ChannelsRepo } from "../alerting/Channels/Repo.ts"
import { Deliveries, type NewDelivery } from "../alerting/Deliveries.ts"
import { MembershipsRepo } from "../identity/Memberships/Repo.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { DashboardPages } from "../kernel/DashboardPages.ts"
import { Inbox, type NewUserNotification } from "../kernel/Inbox.ts"
import { Settings } from "../kernel/Settings.ts"
import type { RuleMessage } from "./Decide.ts"
import { ExecutionsRepo } from "./ExecutionsRepo.ts"
import { type AddedMessage, type DueMessage, RuleMessagesRepo } from "./MessagesRepo.ts"
import { type RuleRow, RulesRepo } from "./RulesRepo.ts"

/** What each rule adds about each condition. */
const groupByCondition = (
  messages: ReadonlyArray<RuleMessage>,
  tripped: ReadonlyArray<RuleRow>,
  now: Timestamp.Timestamp
): ReadonlyArray<AddedMessage> => {
  const rows = new Map<string, AddedMessage>()
  const add = (rule_id: RuleRow["id"], cause: MessageCause, first_at: Timestamp.Timestamp, occurrences: number) => {
    const condition_key = conditionKeyOf(cause)
    const key = `${rule_id} ${condition_key}`
    const known = rows.get(key)
    rows.set(key, {
      rule_id,
      condition_key,
      first_at: known?.first_at ?? first_at,
      occurrences: (known?.occurrences ?? 0) + occurrences,
      cause: JSON.stringify(cause)
    })
  }
  for (const { event, occurrences, rule } of messages) {
    const [first, newest] = [occurrences[0], occurrences.at(-1)]
    if (first === undefined || newest === undefined) continue
    add(rule.id, { kind: "event", event: { ...event, occurrences: [newest] } }, first.occurred_at, occurrences.length)
  }
  for (const { dry_run, id, max_executions_per_window: executions, window_seconds } of tripped) {
    add(id, { kind: "tripped", executions, window_seconds, dry_run }, now, 1)
  }
  return [...rows.values()]
}

/** A rule without a notification still reports that its breaker tripped. */
const addressOf = ({ actions }: DueMessage): Pick<Notify, "channel_ids" | "in_app"> =>
  actions.find((action) => action.type === "notify") ?? { channel_ids: [], in_app: true }

/**
 * The messages of rules. A rule sends at most one message a minute about one condition, and all messages count towards
 * the project's ceiling; deferred messages are sent later, as one. A message that is sent is a delivery.
 */
export class RuleMessages extends Effect.Service<RuleMessages>()("svc/RuleMessages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* RuleMessagesRepo
    const rules = yield* RulesRepo
    const executions = yield* ExecutionsRepo
    const channels = yield* ChannelsRepo
    const memberships = yield* MembershipsRepo
    const deliveries = yield* Deliveries
    const inbox = yield* Inbox
    const pages = yield* DashboardPages
    const settings = yield* Settings

    /** In the caller's transaction. `tripped`: the rules whose breakers have just tripped. */
    const add = Effect.fnUntraced(
      function*(messages: ReadonlyArray<RuleMessage>, tripped: ReadonlyArray<RuleRow>, now: Timestamp.Timestamp) {
        const rows = groupByCondition(messages, tripped, now)
        if (rows.length > 0) yield* repo.add(rows, now)
      }
    )

    /** Commands and messages of the project's rules within the window of the ceiling. */
    const countRecent = (projectId: ProjectId, now: Timestamp.Timestamp) =>
      Effect.zipWith(
        executions.countRecentActions(projectId, now),
        repo.countRecent(projectId, now),
        (commands, messages) => commands + messages
      )

    /** In the caller's transaction: sends at most `limit` of the project's messages. */
    const sendDue = Effect.fnUntraced(function*(projectId: ProjectId, limit: number, now: Timestamp.Timestamp) {
      const due = limit <= 0 ? [] : yield* repo.takeDue(projectId, now, limit)
      if (due.length === 0) return
      const addressed = due.map((message) => ({ message, address: addressOf(message) }))
      const wanted = new Set(addressed.flatMap(({ address }) => address.channel_ids))
      const activeChannels = (yield* channels.listRefs({ project_id: projectId }, [...wanted])).filter((one) =>
        one.is_active
      )
      const members = yield* memberships.listActive([projectId])
      const newDeliveries: Array<NewDelivery> = []
      const inboxRows: Array<NewUserNotification> = []
      for (const { address, message } of addressed) {
        const { condition_key, project_name: name, rule_id, slug, unsent } = message
        const view = pages.urlOf(`/projects/${slug}/automation/${rule_id}`)
        const notification = ruleMessage(message, { id: projectId, slug, name }, view, now)
        const { channel_ids, in_app } = address
        for (const channel of activeChannels.filter(({ id }) => channel_ids.includes(id))) {
          newDeliveries.push({ project_id: projectId, user_id: null, subscription_id: null, channel, notification })
        }
        for (const { user_id } of in_app ? members : []) {
          inboxRows.push({
            user_id,
            project_id: projectId,
            subscription_id: null,
            alert_id: null,
            trigger: notification.trigger,
            reason: "automation",
            title: notification.title,
            body: notification.text,
            data: { rule_id, condition: condition_key, occurrences: unsent }
          })
        }
      }
      yield* deliveries.enqueue(newDeliveries)
      yield* inbox.insert(inboxRows)
      yield* repo.markSent(due, now)
    })

    /** Sends the deferred messages, project after project. */
    const sendDeferred = Effect.fn("RuleMessages.sendDeferred")(function*() {
      const now = yield* Timestamp.now
      for (const { project_id } of yield* repo.listProjectsDue(now)) {
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* rules.lockProject(project_id)
          const recent = yield* countRecent(project_id, now)
          yield* sendDue(project_id, settings.automationActionsPerMinute - recent, now)
        }))
      }
    })

    return { add, countRecent, sendDue, sendDeferred } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      ChannelsRepo.layer,
      DashboardPages.layer,
      Deliveries.layer,
      ExecutionsRepo.layer,
      Inbox.layer,
      MembershipsRepo.layer,
      RuleMessagesRepo.layer,
      RulesRepo.layer
    ])
  )

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const messages = yield* RuleMessages
    yield* loops.every("automation messages", "2 seconds", messages.sendDeferred())
  })).pipe(Layer.provide(this.layer))
}
