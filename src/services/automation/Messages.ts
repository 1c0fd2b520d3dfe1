import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { hash } from "node:crypto"
import type { Notification } from "../../domain/alerting/Notification.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { severities, type Trigger } from "../../domain/triggers/Trigger.ts"
import { Deliveries, type NewDelivery } from "../alerting/Deliveries.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { DashboardPages } from "../kernel/DashboardPages.ts"
import { Inbox } from "../kernel/Inbox.ts"
import { Settings } from "../kernel/Settings.ts"
import type { RuleMessage } from "./Decide.ts"
import { ExecutionsRepo } from "./ExecutionsRepo.ts"
import { type DueMessage, type MessageCause, type NewMessage, RuleMessagesRepo } from "./MessagesRepo.ts"
import { type RuleRow, RulesRepo } from "./RulesRepo.ts"

/** Longer conditions share no key either, since their ends are hashed. */
const maxKeyLength = 200

const conditionKey = (condition: string): string =>
  condition.length <= maxKeyLength
    ? condition
    : `${condition.slice(0, 100).toWellFormed()} ${hash("sha256", condition)}`

/** The condition of a message about a rule's own breaker. */
const breakerKey = "breaker"

const verbs: Partial<Record<Trigger, string>> = {
  "task.failed": "fails",
  "task.succeeded": "succeeds",
  "task.retried": "is retried",
  "task.orphaned": "is orphaned",
  "worker.offline": "is offline",
  "schedule.misfired": "misfired"
}

const describeCause = (rule: string, cause: MessageCause, unsent: number) => {
  if (cause.kind === "tripped") {
    return {
      title: `The rule "${rule}" tripped its breaker`,
      text: `It executed ${cause.executions} times within ${cause.window_seconds} s, which is its limit. ` +
        "Until older executions have aged out it only notifies. A person can reset the breaker.",
      exception: null
    }
  }
  const { event } = cause
  const [{ detail }] = event.occurrences
  const what = `${event.subject.name} ${verbs[event.trigger] ?? event.trigger}`
  const exception = event.trigger === "task.failed" ? detail : null
  return {
    title: `${what}${exception === null ? "" : ` with ${exception}`}`.slice(0, 250).toWellFormed(),
    text: `The rule "${rule}" matched ${unsent === 1 ? "once" : `${unsent} times`}.${
      detail === null ? "" : `\n${detail}`
    }`,
    exception
  }
}

const toNotification = (message: DueMessage, pages: DashboardPages, now: Timestamp.Timestamp): Notification => {
  const { condition_key, first_at, occurrences, payload, project_id, rule_id, rule_name, unsent } = message
  const event = payload.kind === "event" ? payload.event : null
  // the cast: a rule has no other trigger
  const trigger = message.trigger_key as Trigger
  const [newest] = event?.occurrences ?? []
  return {
    kind: message.sent_at === null ? "alert" : "update",
    trigger,
    severity: payload.kind === "tripped" ? "error" : severities[trigger],
    project: { id: project_id, slug: message.slug, name: message.project_name },
    ...describeCause(rule_name, payload, unsent),
    facts: [{ name: "Rule", value: rule_name }],
    dedup_key: hash("sha256", `${rule_id} ${condition_key}`).slice(0, 64),
    alert_id: null,
    occurrences,
    first_at,
    last_at: newest?.occurred_at ?? now,
    engine: event?.engine ?? null,
    task_id: newest?.task_id ?? null,
    task_name: event?.task_name ?? null,
    queue: event?.queue ?? null,
    worker: newest?.worker ?? null,
    fingerprint: event?.fingerprint ?? null,
    links: {
      view: pages.urlOf(`/projects/${message.slug}/automation/${rule_id}`),
      acknowledge: null,
      snooze: null
    }
  }
}

/**
 * The messages of rules. A rule sends at most one message a minute about one condition, and all messages count towards
 * the project's ceiling; what is held back is sent later, in one message.
 */
export class RuleMessages extends Effect.Service<RuleMessages>()("svc/RuleMessages", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* RuleMessagesRepo
    const rules = yield* RulesRepo
    const executions = yield* ExecutionsRepo
    const deliveries = yield* Deliveries
    const inbox = yield* Inbox
    const pages = yield* DashboardPages
    const settings = yield* Settings

    const insert = (messages: ReadonlyArray<NewMessage>, now: Timestamp.Timestamp) =>
      messages.length === 0 ? Effect.void : repo.add(messages, now)

    /** In the caller's transaction. */
    const add = (messages: ReadonlyArray<RuleMessage>, now: Timestamp.Timestamp) => {
      const byKey = new Map<string, NewMessage>()
      for (const { event, occurrences, rule } of messages) {
        const newest = occurrences[occurrences.length - 1]
        if (newest === undefined) continue
        const condition_key = conditionKey(event.condition)
        const key = `${rule.id} ${condition_key}`
        const payload: MessageCause = { kind: "event", event: { ...event, occurrences: [newest] } }
        byKey.set(key, {
          rule_id: rule.id,
          condition_key,
          first_at: byKey.get(key)?.first_at ?? occurrences[0]!.occurred_at,
          occurrences: (byKey.get(key)?.occurrences ?? 0) + occurrences.length,
          payload: JSON.stringify(payload)
        })
      }
      return insert([...byKey.values()], now)
    }

    /** In the caller's transaction: the breakers of these rules have just tripped. */
    const addTrips = (tripped: ReadonlyArray<RuleRow>, now: Timestamp.Timestamp) =>
      insert(
        tripped.map(({ id, max_executions_per_window: executions, window_seconds }) => ({
          rule_id: id,
          condition_key: breakerKey,
          first_at: now,
          occurrences: 1,
          payload: JSON.stringify({ kind: "tripped", executions, window_seconds } satisfies MessageCause)
        })),
        now
      )

    const addressOf = Effect.fnUntraced(function*(message: DueMessage) {
      const action = message.actions.find(({ type }) => type === "notify")
      // a rule that notifies of nothing still says that it has stopped acting
      const { channel_ids, in_app } = action?.type === "notify" ? action : { channel_ids: [], in_app: true }
      return { channels: yield* repo.listChannels(message.project_id, channel_ids), in_app }
    })

    /** In the caller's transaction: sends at most `limit` of the project's messages. */
    const sendDue = Effect.fnUntraced(function*(projectId: ProjectId, limit: number, now: Timestamp.Timestamp) {
      if (limit <= 0) return
      const due = yield* repo.takeDue(projectId, now, limit)
      if (due.length === 0) return
      const members = yield* repo.listMembers(projectId)
      const sent: Array<NewDelivery> = []
      for (const message of due) {
        const notification = toNotification(message, pages, now)
        const { channels, in_app } = yield* addressOf(message)
        for (const channel of channels) {
          sent.push({ project_id: projectId, user_id: null, subscription_id: null, channel, notification })
        }
        if (!in_app) continue
        yield* inbox.insert(members.map(({ user_id }) => ({
          user_id,
          project_id: projectId,
          subscription_id: null,
          alert_id: null,
          trigger: notification.trigger,
          reason: "automation",
          title: notification.title,
          body: notification.text,
          data: { rule_id: message.rule_id, condition: message.condition_key, occurrences: message.unsent }
        })))
      }
      yield* deliveries.enqueue(sent)
      yield* repo.markSent(due, now)
    })

    /** Sends what was held back, project after project. */
    const sendHeld = Effect.fn("RuleMessages.sendHeld")(function*() {
      const now = yield* Timestamp.now
      for (const { project_id } of yield* repo.listProjectsDue(now)) {
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* rules.lockProject(project_id)
          const actions = (yield* executions.countRecentActions(project_id, now)) +
            (yield* repo.countRecent(project_id, now))
          yield* sendDue(project_id, settings.automationActionsPerMinute - actions, now)
        }))
      }
    })

    return { add, addTrips, sendDue, sendHeld, countRecent: repo.countRecent } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      DashboardPages.layer,
      Deliveries.layer,
      ExecutionsRepo.layer,
      Inbox.layer,
      RuleMessagesRepo.layer,
      RulesRepo.layer
    ])
  )

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const messages = yield* RuleMessages
    yield* loops.every("automation messages", "2 seconds", messages.sendHeld())
  })).pipe(Layer.provide(this.layer))
}
