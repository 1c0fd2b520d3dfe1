import { defaultRate, type Trigger } from "./form.ts"
import type { Subscription } from "./subscriptionOwner.ts"

/** Starting points that fill the form of a new subscription; what they leave out has the form's own default. */

type Preset =
  & { readonly trigger: Trigger }
  & Partial<Pick<Subscription, "filters" | "grouping" | "escalation" | "send_hours">>

const atOnce = { wait_seconds: 0, interval_seconds: 300, repeat_seconds: 3_600 }

/** 22:00 to 07:00 where the person is. */
const night = (): Subscription["send_hours"] => ({
  mode: "only",
  start: "22:00",
  end: "07:00",
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  always_critical: false
})

const presetNames = [
  "critical",
  "lastRetry",
  "nightWatch",
  "failureRate",
  "agents",
  "missedSchedules",
  "brokenSchedules"
] as const
export type PresetName = (typeof presetNames)[number]

export const presets: Readonly<Record<PresetName, () => Preset>> = {
  critical: () => ({ trigger: "task.failed", filters: { priority: ["critical"] }, grouping: atOnce }),
  lastRetry: () => ({ trigger: "task.retries_exhausted" }),
  nightWatch: () => ({
    trigger: "task.failed",
    filters: { priority: ["critical", "high"] },
    grouping: atOnce,
    send_hours: night()
  }),
  failureRate: () => ({ trigger: "task.failure_rate", filters: defaultRate }),
  agents: () => ({ trigger: "agent.offline" }),
  missedSchedules: () => ({ trigger: "schedule.misfired" }),
  brokenSchedules: () => ({ trigger: "schedule.circuit_breaker.tripped", grouping: atOnce })
}

/** Those whose trigger the owner's subscriptions take. */
export const presetsFor = (triggers: ReadonlyArray<Trigger>): ReadonlyArray<PresetName> =>
  presetNames.filter((name) => triggers.includes(presets[name]().trigger))
