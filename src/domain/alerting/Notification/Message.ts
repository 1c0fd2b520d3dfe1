import { formatMinute, type Timestamp } from "../../kernel/Timestamp.ts"
import type { Trigger, TriggerEvent } from "../../triggers/Trigger.ts"
import type { NotificationKind, NotificationTrigger } from "../Notification.ts"
import type { AlertDetails } from "./Alert.ts"
import { describeShared, listDetails } from "./Shared.ts"

/** Texts of alerts. Their values come from events, so they are masked and short already. */

const truncate = (text: string, most: number): string => {
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`
}

/** The exception's type, where a text begins with one: `CardDeclined` of `CardDeclined: do not honour`. */
const typeOf = (detail: string): string => /^([\w.$]{1,80}): /.exec(detail)?.[1] ?? truncate(detail, 80)

/** One line that names the condition. */
export const titleOf = (
  trigger: Trigger,
  event: Pick<TriggerEvent, "subject" | "task_name" | "occurrences">
): string => {
  const { subject } = event
  const task = event.task_name ?? subject.name
  const detail = event.occurrences[0].detail
  const because = detail === null ? "" : `: ${typeOf(detail)}`
  const titles: Record<Trigger, string> = {
    "task.failed": `${task} fails${because}`,
    "task.succeeded": `${task} succeeded`,
    "task.retried": `${task} is retried${because}`,
    "task.retries_exhausted": `${task} has no retries left${because}`,
    "task.failure_rate": `${subject.name} fails too often${detail === null ? "" : `: ${detail}`}`,
    "task.orphaned": `${task} lost its worker`,
    "failure_group.regressed": `${task} fails again after it was resolved${because}`,
    "agent.offline": `The agent ${subject.name} is offline`,
    "agent.online": `The agent ${subject.name} is online again`,
    "worker.offline": `The worker ${subject.name} is offline`,
    "schedule.misfired": `The schedule ${subject.name} missed its fire`,
    "schedule.fire.succeeded": `The schedule ${subject.name} fired`,
    "schedule.fire.failed": `A fire of the schedule ${subject.name} failed${because}`,
    "schedule.task_failed": `The task of the schedule ${subject.name} failed${because}`,
    "schedule.circuit_breaker.tripped": `The schedule ${subject.name} was disabled after repeated failures`,
    "approval.requested": `Approval needed: ${subject.name}`
  }
  return truncate(titles[trigger], 200)
}

const times = (count: number): string => (count === 1 ? "Once" : `${count} times`)

interface Alerted {
  readonly details: AlertDetails
  readonly occurrences: number
  readonly first_at: Timestamp
  readonly last_at: Timestamp
}

/** Of the newest tasks of one name that have ended. */
export interface Share {
  readonly tasks: number
  readonly failed: number
}

const sentenceOf = ({ failed, tasks }: Share): string => {
  const percent = (100 * failed) / tasks
  return `${failed} of the ${tasks} newest tasks of this name failed (${
    percent > 0 && percent < 1 ? "less than 1" : Math.round(percent)
  } %).`
}

const endOf = ({ subject: { type } }: AlertDetails): string =>
  type === "approval" ? "no longer waits" : type === "failure_group" ? "is triaged" : "works again"

/** How often it happened, since when, what share of its tasks failed, and what the occurrences share. */
export const textOf = (
  kind: string,
  { details, first_at, last_at, occurrences }: Alerted,
  now: Timestamp,
  share: Share | null = null
): string => {
  const count = occurrences === 1
    ? `At ${formatMinute(last_at)}`
    : `${times(occurrences)} since ${formatMinute(first_at)}`
  const shared = describeShared(details.tallies, occurrences)
  const [top, ...others] = listDetails(details.tallies)
  const sentences = [
    kind === "recovered"
      ? `It ${endOf(details)} since ${formatMinute(details.ended_at ?? now)}.`
      : null,
    kind === "escalation" ? `Not acknowledged since ${formatMinute(details.first_sent_at ?? first_at)}.` : null,
    `${[count, ...shared].join(", ")}.`,
    share === null || share.tasks === 0 ? null : sentenceOf(share),
    kind === "recovered" || top === undefined
      ? null
      : others.length === 0
      ? top[0]
      : `${times(top[1])}: ${top[0]} (and ${others.length} other ${others.length === 1 ? "text" : "texts"})`
  ]
  return sentences.filter((sentence) => sentence !== null).join("\n")
}

const prefixes: Partial<Record<NotificationKind, string>> = {
  update: "Still: ",
  recovered: "Recovered: ",
  acknowledged: "Acknowledged: ",
  escalation: "Not acknowledged: "
}

/** The title as people read it: what this kind of message says of the condition comes first. */
export const titleOfKind = (kind: NotificationKind, trigger: NotificationTrigger, title: string): string =>
  (kind === "recovered" && trigger === "approval.requested" ? "Decided or expired: " : prefixes[kind] ?? "") + title
