import type { Project } from "../../../domain/kernel/Project.ts"
import type { AttentionItem, AttentionKind, HomeSummary } from "../../../domain/operations/Home.ts"
import { highFailureRate, minRatedTasks } from "../../tasks/Stats.ts"
import type { Named } from "./NamedRepo.ts"

const amount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
const isOrAre = (count: number): string => count === 1 ? "is" : "are"
const hasOrHave = (count: number): string => count === 1 ? "has" : "have"

interface CountedKind {
  readonly kind: AttentionKind
  /** The name of the count in `HomeRepo.countAll`. */
  readonly countName: string
  readonly describe: (count: number) => string
  readonly forAdmins?: true
}

/** Kinds that need attention as soon as their count is above zero. Channels are for admins, as their list is. */
const countedKinds: ReadonlyArray<CountedKind> = [
  {
    kind: "agents_refused",
    countName: "refused",
    describe: (count) => `${amount(count, "agent")} had something refused in the last 24 hours.`
  },
  {
    kind: "stuck_commands",
    countName: "stuck",
    describe: (count) => `${amount(count, "command")} ${hasOrHave(count)} had no outcome for 5 minutes.`
  },
  {
    kind: "schedule_misfires",
    countName: "misfires",
    describe: (count) => `${amount(count, "misfire")} of schedules in the last 24 hours.`
  },
  {
    kind: "channels_disabled",
    countName: "channels",
    describe: (count) => `${amount(count, "channel")} ${isOrAre(count)} disabled.`,
    forAdmins: true
  },
  {
    kind: "breakers_tripped",
    countName: "breakers",
    describe: (count) => `The breakers of ${amount(count, "rule")} ${isOrAre(count)} tripped.`
  },
  {
    kind: "schedules_tripped",
    countName: "tripped",
    describe: (count) => `${amount(count, "schedule")} ${isOrAre(count)} disabled by the circuit breaker.`
  }
]

/** What waits for the reader's decision says nothing of how well the project works. */
export const isDecision = ({ kind }: AttentionItem): boolean => kind === "alerts_open" || kind === "approvals_waiting"

/** Kinds with names of what they are about, in the order in which they are listed. */
const namedKinds: ReadonlyArray<readonly [AttentionKind, (count: number) => string]> = [
  ["alerts_open", (count) => `${amount(count, "open alert")} ${isOrAre(count)} not acknowledged.`],
  ["approvals_waiting", (count) => `${amount(count, "action")} ${count === 1 ? "waits" : "wait"} for a second person.`],
  [
    "queue_unconsumed",
    (count) =>
      `${amount(count, "queue")} ${hasOrHave(count)} waiting tasks, and no online worker takes from ${
        count === 1 ? "it" : "them"
      }.`
  ],
  [
    "queue_over_target",
    (count) =>
      `The oldest task of ${amount(count, "queue")} has waited for longer than ${count === 1 ? "its" : "their"} target.`
  ],
  ["queue_depth", (count) => `${amount(count, "queue")} ${hasOrHave(count)} 1000 tasks or more.`],
  [
    "queue_growth",
    (count) => `${amount(count, "queue")} ${hasOrHave(count)} grown for 15 minutes.`
  ],
  [
    "failure_groups_regressed",
    (count) => `${amount(count, "failure group")} failed again after ${count === 1 ? "it was" : "they were"} resolved.`
  ],
  [
    "failure_groups_escalating",
    (count) =>
      `${amount(count, "failure group")} ${
        count === 1 ? "escalates" : "escalate"
      }: at least twice as many failures in an hour as in any hour of the day before.`
  ],
  ["failure_groups_new", (count) => `${amount(count, "failure group")} first failed in the last 24 hours.`]
]

/** What needs attention in a project. */
export const attentionOf = (
  project: Project,
  counts: Readonly<Record<string, number>>,
  sums: HomeSummary["aggregate"],
  named: ReadonlyArray<Named>,
  isAdmin: boolean
): ReadonlyArray<AttentionItem> => {
  const items: Array<AttentionItem> = []
  const add = (
    kind: AttentionKind,
    severity: AttentionItem["severity"],
    count: number,
    message: string,
    targets: AttentionItem["targets"] = []
  ) =>
    items.push({
      kind,
      severity,
      project_id: project.id,
      project_slug: project.slug,
      project_name: project.name,
      message,
      count,
      targets
    })
  const offline = sums.agents_total - sums.agents_online
  if (offline > 0) {
    const severity = sums.agents_online === 0 ? "critical" : "warning"
    add("agents_offline", severity, offline, `${offline} of ${sums.agents_total} agents ${isOrAre(offline)} offline.`)
  }
  if (sums.failure_rate_24h >= highFailureRate && sums.tasks_24h >= minRatedTasks) {
    const percent = Math.round(sums.failure_rate_24h * 100)
    add("failure_rate", "warning", sums.failures_24h, `${percent} % of the tasks of the last 24 hours failed.`)
  }
  for (const [kind, describe] of namedKinds) {
    const found = named.find((one) => one.project_id === project.id && one.kind === kind)
    if (found !== undefined) add(kind, "warning", found.count, describe(found.count), found.targets)
  }
  for (const { countName, describe, forAdmins, kind } of countedKinds) {
    const count = counts[countName] ?? 0
    if (count > 0 && (isAdmin || forAdmins !== true)) add(kind, "warning", count, describe(count))
  }
  return items
}
