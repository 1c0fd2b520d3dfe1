import type { Row } from "./summary.ts"
import type { Thing } from "./thing.ts"

/** Last words of actions that the catalogue has a sentence for. */
const verbs = [
  "created",
  "updated",
  "deleted",
  "revoked",
  "enabled",
  "disabled",
  "paused",
  "resumed",
  "cancelled",
  "granted",
  "requested",
  "approved",
  "rejected",
  "acknowledged",
  "unacknowledged",
  "snoozed",
  "unsnoozed",
  "tested",
  "accepted",
  "marked",
  "reopened",
  "muted",
  "resolved",
  "assigned",
  "unassigned"
] as const
export type Verb = (typeof verbs)[number] | "retried" | "requeued" | "purged" | "restarted" | "triggered" | "noted"

/** Kinds of things that the catalogue has a word for. */
const nouns = [
  "agent",
  "alert",
  "api_key",
  "approval",
  "automation_rule",
  "bulk_job",
  "bulk_retry",
  "channel",
  "deploy",
  "failure_group",
  "invitation",
  "maintenance_window",
  "membership",
  "project",
  "queue",
  "saved_view",
  "searchable_path",
  "schedule",
  "subscription",
  "task",
  "user",
  "worker"
] as const
export type Noun = (typeof nouns)[number]

export type Sentence =
  | { readonly kind: "act"; readonly verb: Verb; readonly noun: Noun; readonly thing: Thing; readonly rule?: Thing }
  | { readonly kind: "retriedTasks"; readonly count: number; readonly thing: Thing }
  | { readonly kind: "deletedTasks"; readonly count: number }
  | { readonly kind: "tripped"; readonly rule: Thing }
  | { readonly kind: "signedIn" | "signedOut" }

/** What commands do to their target. */
const commandVerbs: Readonly<Partial<Record<string, Verb>>> = {
  retry_task: "retried",
  cancel_task: "cancelled",
  requeue_dead_letter: "requeued",
  purge_queue: "purged",
  pause_queue: "paused",
  resume_queue: "resumed",
  restart_worker: "restarted",
  pool_grow: "updated",
  pool_shrink: "updated",
  add_consumer: "updated",
  cancel_consumer: "updated",
  rate_limit: "updated",
  "schedule.fire": "triggered"
}

/** Actions whose last word is none of the verbs. */
const otherVerbs: Readonly<Partial<Record<string, Verb>>> = {
  "schedule.trigger_now": "triggered",
  "bulk_job.stopped": "cancelled",
  "failure_group.note_changed": "noted",
  "queue.target.updated": "updated"
}

const verbOf = (action: string): Verb | undefined => {
  const last = action.slice(action.lastIndexOf(".") + 1)
  return otherVerbs[action] ?? verbs.find((verb) => verb === last)
}

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

const act = (verb: Verb | undefined, thing: Thing, rule?: Thing): Sentence | null => {
  const noun = nouns.find((one) => one === thing.type)
  return verb === undefined || noun === undefined || thing.id === null
    ? null
    : { kind: "act", verb, noun, thing, ...(rule !== undefined && { rule }) }
}

/** What the row is about; the audit log's rows have no names. */
export const targetOf = ({ metadata, target_id, target_name = null, target_type }: Row): Thing => ({
  type: target_type,
  id: target_id,
  name: target_name,
  engine: textOf(metadata.engine)
})

/** The row as a sentence; null where it has none, as for what was refused or what only a newer server records. */
export const readSentence = (row: Row): Sentence | null => {
  const { action, metadata, outcome } = row
  if (outcome === "deny") return null
  const target = targetOf(row)
  if (action === "auth.login") return { kind: "signedIn" }
  if (action === "auth.logout") return { kind: "signedOut" }
  if (action === "bulk_retry.created" && typeof metadata.total === "number") {
    return { kind: "retriedTasks", count: metadata.total, thing: target }
  }
  if (action === "task.bulk_deleted" && typeof metadata.deleted_count === "number") {
    return { kind: "deletedTasks", count: metadata.deleted_count }
  }
  if (action === "automation.rule.circuit_tripped") return { kind: "tripped", rule: target }
  if (action === "automation.rule.executed") {
    const task = { type: "task", id: textOf(metadata.task_id), name: textOf(metadata.task_name), engine: target.engine }
    return act(metadata.action === "cancel" ? "cancelled" : "retried", task, target)
  }
  if (action === "command.issued") {
    const thing = { ...target, type: textOf(metadata.target_type) ?? "", id: textOf(metadata.target_id) }
    return act(commandVerbs[String(metadata.action)], thing)
  }
  return act(verbOf(action), target)
}
