import type { AttentionItem, AttentionKind, HomeSummary } from "../../domain/Home.ts"
import type { Project } from "../../domain/Project.ts"
import { highFailureRate, minRatedTasks } from "../Stats.ts"

/** What needs a look in a project. Channels are for its admins, as their list is. */
export const attentionOf = (
  project: Project,
  counts: Readonly<Record<string, number>>,
  sums: HomeSummary["aggregate"],
  isAdmin: boolean
): ReadonlyArray<AttentionItem> => {
  const items: Array<AttentionItem> = []
  const add = (kind: AttentionKind, severity: AttentionItem["severity"], count: number, message: string) =>
    items.push({
      kind,
      severity,
      project_id: project.id,
      project_slug: project.slug,
      project_name: project.name,
      message,
      count
    })
  const offline = sums.agents_total - sums.agents_online
  if (offline > 0) {
    const severity = sums.agents_online === 0 ? "critical" : "warning"
    add("agents_offline", severity, offline, `${offline} of ${sums.agents_total} agents ${isOrAre(offline)} offline.`)
  }
  const refused = counts["refused"] ?? 0
  if (refused > 0) {
    add("agents_refused", "warning", refused, `${amount(refused, "agent")} had something refused in the last 24 hours.`)
  }
  if (sums.failure_rate_24h >= highFailureRate && sums.tasks_24h >= minRatedTasks) {
    const percent = Math.round(sums.failure_rate_24h * 100)
    add("failure_rate", "warning", sums.failures_24h, `${percent} % of the tasks of the last 24 hours failed.`)
  }
  const queues = counts["queues"] ?? 0
  if (queues > 0) {
    add("queue_depth", "warning", queues, `${amount(queues, "queue")} ${hasOrHave(queues)} 1000 tasks or more.`)
  }
  const growing = counts["growing"] ?? 0
  if (growing > 0) {
    const verb = growing === 1 ? "grows" : "grow"
    add(
      "queue_growth",
      "warning",
      growing,
      `${amount(growing, "queue")} only ${verb}: for 15 minutes no report had fewer tasks.`
    )
  }
  const stuck = sums.stuck_commands
  if (stuck > 0) {
    add(
      "stuck_commands",
      "warning",
      stuck,
      `${amount(stuck, "command")} ${hasOrHave(stuck)} had no outcome for 5 minutes.`
    )
  }
  const misfires = counts["misfires"] ?? 0
  if (misfires > 0) {
    add("schedule_misfires", "warning", misfires, `${amount(misfires, "misfire")} of schedules in the last 24 hours.`)
  }
  const channels = counts["channels"] ?? 0
  if (channels > 0 && isAdmin) {
    add("channels_disabled", "warning", channels, `${amount(channels, "channel")} ${isOrAre(channels)} disabled.`)
  }
  const breakers = counts["breakers"] ?? 0
  if (breakers > 0) {
    add(
      "breakers_tripped",
      "warning",
      breakers,
      `The breakers of ${amount(breakers, "rule")} ${isOrAre(breakers)} tripped.`
    )
  }
  const tripped = counts["tripped"] ?? 0
  if (tripped > 0) {
    add(
      "schedules_tripped",
      "warning",
      tripped,
      `${amount(tripped, "schedule")} ${isOrAre(tripped)} disabled by the circuit breaker.`
    )
  }
  return items
}

const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
const isOrAre = (count: number): string => count === 1 ? "is" : "are"
const hasOrHave = (count: number): string => count === 1 ? "has" : "have"
