import type { QueuePause } from "../../../agents/QueuePause.ts"
import type { TaskState } from "../../../kernel/TaskState.ts"
import type { Timestamp as Time } from "../../../kernel/Timestamp.ts"
import type { WhyFacts } from "./Facts.ts"

/** The evidence of each reason. */
interface Evidence {
  readonly ended: { readonly state: TaskState; readonly exception: string | null }
  readonly outcome_unknown: { readonly exception: string | null }
  readonly orphaned: { readonly worker_name: string | null; readonly started_at: Time | null }
  readonly worker_gone: { readonly worker_name: string; readonly last_heartbeat: Time | null }
  readonly worker_lost_task: { readonly worker_name: string; readonly active_tasks: number }
  readonly running: { readonly worker_name: string | null }
  readonly agent_offline: { readonly agents: number; readonly last_seen_at: Time | null }
  readonly broker_absent: { readonly agents: ReadonlyArray<string> }
  readonly events_off: { readonly agents: ReadonlyArray<string> }
  readonly asked: {
    readonly command_id: string
    readonly asked_at: Time
    readonly status: string
    readonly engine_state: string | null
    readonly error: string | null
  }
  readonly eta_in_future: { readonly eta: Time; readonly seconds_left: number }
  readonly queue_paused: {
    readonly queue: string
    readonly status: QueuePause["status"]
    readonly reason: string | null
    readonly resume_at: Time | null
    readonly command_id: string | null
  }
  readonly no_worker: { readonly workers_offline: number; readonly last_heartbeat: Time | null }
  readonly no_consumer: { readonly queue: string; readonly workers_online: number }
  readonly consumer_cancelled: {
    readonly queue: string
    readonly workers: ReadonlyArray<string>
    readonly command_ids: ReadonlyArray<string>
  }
  readonly waiting_for_children: { readonly unfinished: number; readonly sample: WhyFacts["children"] }
  readonly rate_limited: { readonly rate: string; readonly worker_name: string | null; readonly command_id: string }
  readonly workers_busy: { readonly workers: number; readonly active_tasks: number }
  readonly behind_others: {
    readonly queue: string
    readonly depth: number | null
    readonly known_ahead: number
    readonly is_at_least: boolean
  }
  readonly command_pending: { readonly command_id: string; readonly action: string }
  readonly unknown: { readonly state: TaskState }
}
export type ReasonCode = keyof Evidence

/** One reason, in a sentence, with what proves it; `since` is null where no time is known. */
export type Reason = {
  readonly [Code in ReasonCode]: {
    readonly code: Code
    readonly sentence: string
    readonly since: Time | null
    readonly evidence: Evidence[Code]
  }
}[ReasonCode]

/** Every code, the likeliest first. What cannot be otherwise (an eta) comes before what only delays (a queue). */
export const reasonCodes = [
  "ended",
  "outcome_unknown",
  "orphaned",
  "eta_in_future",
  "agent_offline",
  "broker_absent",
  "events_off",
  "worker_gone",
  "worker_lost_task",
  "queue_paused",
  "no_worker",
  "consumer_cancelled",
  "no_consumer",
  "waiting_for_children",
  "rate_limited",
  "workers_busy",
  "behind_others",
  "command_pending",
  "running",
  "unknown",
  "asked"
] as const satisfies ReadonlyArray<ReasonCode>
