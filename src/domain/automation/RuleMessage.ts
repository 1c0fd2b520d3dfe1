import { Schema } from "effect"
import { hash } from "node:crypto"
import type { Notification } from "../alerting/Notification.ts"
import { formatDuration } from "../kernel/Duration.ts"
import type { RuleId } from "../kernel/Id.ts"
import type { Timestamp } from "../kernel/Timestamp.ts"
import { severities, type Trigger, TriggerEvent } from "../triggers/Trigger.ts"

/** What a message is about: the newest event of its condition, or the breaker of the rule. */
export const MessageCause = Schema.Union(
  Schema.Struct({ kind: Schema.Literal("event"), event: TriggerEvent }),
  Schema.Struct({
    kind: Schema.Literal("tripped"),
    executions: Schema.Int,
    window_seconds: Schema.Int,
    dry_run: Schema.Boolean
  })
)
export type MessageCause = typeof MessageCause.Type

/** A condition that a rule reports, with what happened since its first event. */
export interface ReportedCondition {
  readonly rule_id: RuleId
  readonly rule_name: string
  readonly trigger_key: Trigger
  readonly condition_key: string
  readonly first_at: Timestamp
  readonly occurrences: number
  /** Occurrences since the last message. */
  readonly unsent: number
  readonly cause: MessageCause
  /** When the last message was sent. */
  readonly sent_at: Timestamp | null
}

/** Longer conditions share no key either, since their ends are hashed. */
const maxKeyLength = 200

/** The condition of a message about a rule's own breaker. */
const breakerKey = "breaker"

export const conditionKeyOf = (cause: MessageCause): string => {
  if (cause.kind === "tripped") return breakerKey
  const { condition } = cause.event
  return condition.length <= maxKeyLength
    ? condition
    : `${condition.slice(0, 100).toWellFormed()} ${hash("sha256", condition)}`
}

const verbs: Partial<Record<Trigger, string>> = {
  "task.failed": "fails",
  "task.succeeded": "succeeds",
  "task.retried": "is retried",
  "task.orphaned": "is orphaned",
  "worker.offline": "is offline",
  "schedule.misfired": "misfired"
}

const describe = ({ cause, rule_name, unsent }: ReportedCondition) => {
  if (cause.kind === "tripped") {
    const limit = `${cause.executions} times within ${formatDuration(cause.window_seconds)}, which is its limit.`
    return {
      title: `The rule "${rule_name}" tripped its breaker${cause.dry_run ? " in its dry run" : ""}`,
      text: cause.dry_run
        ? `It would have executed ${limit} An active rule would then only notify until older executions have aged out.`
        : `It executed ${limit} Until older executions have aged out it only notifies. A person can reset the breaker.`,
      exception: null
    }
  }
  const { occurrences: [{ detail }], subject, trigger } = cause.event
  const what = `${subject.name} ${verbs[trigger] ?? trigger}`
  const exception = trigger === "task.failed" ? detail : null
  return {
    title: `${what}${exception === null ? "" : ` with ${exception}`}`.slice(0, 250).toWellFormed(),
    text: `The rule "${rule_name}" matched ${unsent === 1 ? "once" : `${unsent} times`}.${
      detail === null ? "" : `\n${detail}`
    }`,
    exception
  }
}

/** The message of a rule about a condition. `view` is the rule's page in the dashboard. */
export const ruleMessage = (
  condition: ReportedCondition,
  project: Notification["project"],
  view: string | null,
  now: Timestamp
): Notification => {
  const { cause, condition_key, first_at, occurrences, rule_id, rule_name, sent_at, trigger_key } = condition
  const event = cause.kind === "event" ? cause.event : null
  const newest = event?.occurrences[0]
  return {
    kind: sent_at === null ? "alert" : "update",
    trigger: trigger_key,
    severity: cause.kind === "tripped" ? "error" : severities[trigger_key],
    project,
    ...describe(condition),
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
    links: { view, acknowledge: null, snooze: null }
  }
}
