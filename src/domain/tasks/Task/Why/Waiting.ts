/** Why a task waits: its eta, its queue, the workers that take from it, and the tasks before it. */
import { isUnconsumed } from "../../../agents/Consumers.ts"
import { formatDuration } from "../../../kernel/Duration.ts"
import * as Timestamp from "../../../kernel/Timestamp.ts"
import type { ControlFact, WhyFacts, WorkerFact } from "./Facts.ts"
import type { Reason } from "./Reasons.ts"

type Time = Timestamp.Timestamp

export const etaOf = ({ now, task }: WhyFacts): ReadonlyArray<Reason> => {
  if (task.eta === null || task.eta <= now) return []
  const seconds_left = Math.ceil((Timestamp.toEpochMillis(task.eta) - Timestamp.toEpochMillis(now)) / 1000)
  return [{
    code: "eta_in_future",
    sentence: `It is to run at ${Timestamp.formatSecond(task.eta)} at the earliest, in ${
      formatDuration(seconds_left)
    }.`,
    since: task.first_event_at,
    evidence: { eta: task.eta, seconds_left }
  }]
}

export const pauseOf = ({ agents, pause, task: { queue } }: WhyFacts): ReadonlyArray<Reason> => {
  if (queue === null || pause === null) return []
  const { command_id, paused_at, reason, resume_at, status } = pause
  // without an agent the engine's own pause is as old as its last report
  if (agents.online === 0 && command_id === null) return []
  const because = reason === null ? "" : ` ("${reason}")`
  const sentence = status === "pausing"
    ? `The command to pause the queue ${queue}${because} has no outcome yet.`
    : `The queue ${queue} is paused${because}: no worker takes its tasks.`
  const end = status === "resuming"
    ? " The command to resume it has no outcome yet."
    : resume_at === null
    ? ""
    : ` It resumes at ${Timestamp.formatSecond(resume_at)}.`
  return [{
    code: "queue_paused",
    sentence: `${sentence}${end}`,
    since: paused_at,
    evidence: { queue, status, reason, resume_at, command_id }
  }]
}

/** Seconds after a cancelled consumer within which the worker's report may still name the queue. */
const reportSeconds = 60

/** The cancellation of the queue at the worker, unless a later command or report says that it takes from it again. */
const cancellationAt = ({ controls, task }: WhyFacts, worker: WorkerFact): ControlFact | undefined => {
  const last = controls.find(({ action, queue, worker_name }) =>
    (action === "add_consumer" || action === "cancel_consumer") && queue === task.queue && worker_name === worker.name
  )
  if (last?.action !== "cancel_consumer") return undefined
  const isOld = worker.last_heartbeat !== null &&
    worker.last_heartbeat > Timestamp.addSeconds(last.completed_at, reportSeconds)
  return isOld && worker.queues.includes(task.queue ?? "") ? undefined : last
}

export const consumersOf = (facts: WhyFacts): ReadonlyArray<Reason> => {
  const { task: { engine, queue }, workers } = facts
  const online = workers.filter(({ isOnline }) => isOnline)
  if (online.length === 0) {
    if (workers.length === 0) return []
    const last_heartbeat = lastOf(workers.map((worker) => worker.last_heartbeat))
    return [{
      code: "no_worker",
      sentence: `No worker of ${engine} is online.`,
      since: last_heartbeat,
      evidence: { workers_offline: workers.length, last_heartbeat }
    }]
  }
  // engines whose workers report no queues: which worker consumes which queue is unknown
  if (queue === null) return []
  const cancelled = online.flatMap((worker) => {
    const command = cancellationAt(facts, worker)
    return command === undefined ? [] : [{ worker, command }]
  })
  const reporting = online.filter(({ queues }) => queues.length > 0)
  const consumers = reporting.filter((worker) =>
    worker.queues.includes(queue) && !cancelled.some((entry) => entry.worker === worker)
  )
  if (consumers.length > 0) return busyOf(consumers)
  if (cancelled.length > 0 && cancelled.length + reporting.length >= online.length) {
    return [{
      code: "consumer_cancelled",
      sentence: `Commands stopped the workers that consumed the queue ${queue}, and no other worker consumes it.`,
      since: cancelled[0]?.command.completed_at ?? null,
      evidence: {
        queue,
        workers: cancelled.map(({ worker }) => worker.name),
        command_ids: [...new Set(cancelled.map(({ command }) => command.id))]
      }
    }]
  }
  if (!isUnconsumed(queue, online)) return []
  return [{
    code: "no_consumer",
    sentence: `No online worker takes from the queue ${queue}.`,
    since: null,
    evidence: { queue, workers_online: online.length }
  }]
}

const busyOf = (consumers: ReadonlyArray<WorkerFact>): ReadonlyArray<Reason> => {
  const isBusy = consumers.every(({ active_tasks, concurrency }) => concurrency !== null && active_tasks >= concurrency)
  if (!isBusy) return []
  const active_tasks = consumers.reduce((sum, worker) => sum + worker.active_tasks, 0)
  return [{
    code: "workers_busy",
    sentence: consumers.length === 1
      ? `The only worker of its queue is busy with ${active_tasks} tasks.`
      : `All ${consumers.length} workers of its queue are busy, with ${active_tasks} tasks.`,
    since: null,
    evidence: { workers: consumers.length, active_tasks }
  }]
}

const isRateOfTask = ({ task }: WhyFacts, { task_name }: ControlFact): boolean =>
  task_name === task.name || (task.engine === "bullmq" && task_name === task.queue) // BullMQ limits a queue

/** The limits in force: of each worker the newest command counts, and one for all workers replaces those before it. */
export const rateLimitsOf = (facts: WhyFacts): ReadonlyArray<Reason> => {
  const limits = new Map<string | null, ControlFact>()
  for (const control of facts.controls) {
    if (control.action !== "rate_limit" || control.rate === null || !isRateOfTask(facts, control)) continue
    if (!limits.has(control.worker_name)) limits.set(control.worker_name, control)
    if (control.worker_name === null) break
  }
  return [...limits.values()].filter(({ rate }) => !/^0+(\/|$)/.test(rate ?? "")).map((
    { completed_at, id, rate, worker_name }
  ): Reason => ({
    code: "rate_limited",
    sentence: `A command limits it to ${rate}${worker_name === null ? "" : ` at ${worker_name}`}, ` +
      "until its workers restart or another command clears it.",
    since: completed_at,
    evidence: { rate: rate ?? "", worker_name, command_id: id }
  }))
}

export const aheadOf = ({ ahead, queue, task }: WhyFacts): ReadonlyArray<Reason> => {
  const depth = queue?.depth ?? null
  if (task.queue === null || (ahead.tasks === 0 && (depth === null || depth <= 1))) return []
  const known = `${ahead.isAtLeast ? "at least " : ""}${ahead.tasks} older ${ahead.tasks === 1 ? "task" : "tasks"}`
  const counted = depth === null ? "" : ` The queue had ${depth} waiting messages when its agent last counted.`
  return [{
    code: "behind_others",
    sentence: `In the queue ${task.queue} the brain knows ${known} that wait.${counted}`,
    since: queue?.last_seen_at ?? null,
    evidence: { queue: task.queue, depth, known_ahead: ahead.tasks, is_at_least: ahead.isAtLeast }
  }]
}

const lastOf = (times: ReadonlyArray<Time | null>): Time | null =>
  times.reduce((last, time) => (last === null || (time !== null && time > last) ? time : last), null)
