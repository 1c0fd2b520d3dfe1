/**
 * Why a task is not running: the reasons that recorded facts give, the likeliest first (docs/why.md). A reason that the
 * facts do not prove is not given; without any the answer is `unknown`.
 */
import type { TaskState } from "../../kernel/TaskState.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"

type Time = Timestamp.Timestamp

/** What the brain knows that may keep a task from running. */
export interface WhyFacts {
  readonly now: Time
  readonly task: {
    readonly engine: string
    readonly task_id: string
    readonly name: string
    readonly queue: string | null
    readonly state: TaskState
    readonly eta: Time | null
    readonly first_event_at: Time
    readonly started_at: Time | null
    readonly finished_at: Time | null
    readonly worker_name: string | null
    readonly exception: string | null
  }
  /** Agents that serve the engine. */
  readonly agents: {
    readonly total: number
    readonly online: number
    readonly last_seen_at: Time | null
    /** The names of those online that report only received tasks, and of those whose broker does not answer. */
    readonly eventsOff: ReadonlyArray<string>
    readonly brokerAbsent: ReadonlyArray<string>
  }
  /** The engine's workers, online ones first. */
  readonly workers: ReadonlyArray<WorkerFact>
  /** Whether the task's worker lists it among its running tasks; null: it lists none. */
  readonly isListed: boolean | null
  readonly queue: { readonly depth: number | null; readonly last_seen_at: Time | null } | null
  /** Older tasks of the queue that wait, as far as the brain knows them; `isAtLeast`: there may be more. */
  readonly ahead: { readonly tasks: number; readonly isAtLeast: boolean }
  /** Children that have not ended. */
  readonly children: ReadonlyArray<{ readonly engine: string; readonly task_id: string; readonly state: TaskState }>
  /** Completed commands that steer workers, newest first. */
  readonly controls: ReadonlyArray<ControlFact>
  /** Commands about the task that have not ended. */
  readonly openCommands: ReadonlyArray<{ readonly id: string; readonly action: string; readonly issued_at: Time }>
  readonly orphaned: { readonly orphaned_at: Time; readonly detail: string } | null
  /** The last question about its outcome; null: never asked. */
  readonly asked: QuestionFact | null
}

export interface QuestionFact {
  readonly id: string
  readonly asked_at: Time
  readonly status: string
  /** What the engine said; null without an answer. */
  readonly engine_state: string | null
  readonly error: string | null
}

export interface WorkerFact {
  readonly name: string
  readonly isOnline: boolean
  readonly last_heartbeat: Time | null
  readonly queues: ReadonlyArray<string>
  readonly concurrency: number | null
  readonly active_tasks: number
}

export interface ControlFact {
  readonly id: string
  readonly action: string
  /** Null: all workers. */
  readonly worker_name: string | null
  readonly queue: string | null
  readonly task_name: string | null
  readonly rate: string | null
  readonly completed_at: Time
}

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

const rankOf = (code: ReasonCode): number => reasonCodes.indexOf(code)

const endStates: ReadonlySet<TaskState> = new Set(["success", "failure", "revoked", "rejected"])

const endVerbs: Readonly<Record<string, string>> = {
  success: "It succeeded",
  failure: "It failed",
  revoked: "It was revoked",
  rejected: "Its worker rejected it"
}

const maxExceptionLength = 300

const firstLineOf = (exception: string | null): string | null =>
  exception?.split("\n", 1)[0]?.slice(0, maxExceptionLength).toWellFormed() ?? null

/** The reasons, the likeliest first; at least one. */
export const explainTask = (facts: WhyFacts): ReadonlyArray<Reason> => {
  const { state } = facts.task
  if (endStates.has(state)) return [endOf(facts)]
  const found = state === "started" || state === "unknown" ? reasonsOfStarted(facts) : reasonsOfWaiting(facts)
  const reasons = [...found, ...pendingCommands(facts)].toSorted((a, b) => rankOf(a.code) - rankOf(b.code))
  return [...(reasons.length > 0 ? reasons : [unknownReason(facts)]), ...lastQuestion(facts)]
}

const namesOf = (agents: ReadonlyArray<string>): string =>
  agents.length === 1 ? `The agent ${agents[0]}` : `The agents ${agents.join(", ")}`

/** What keeps the brain from learning what becomes of the task, though an agent is connected. */
const blindAgents = ({ agents: { brokerAbsent, eventsOff }, task }: WhyFacts): ReadonlyArray<Reason> => [
  ...(brokerAbsent.length === 0 ? [] : [{
    code: "broker_absent" as const,
    sentence: `${namesOf(brokerAbsent)} cannot reach the broker of ${task.engine}. ` +
      "Until it answers nothing runs, and what ran is not reported.",
    since: null,
    evidence: { agents: brokerAbsent }
  }]),
  ...(eventsOff.length === 0 ? [] : [{
    code: "events_off" as const,
    sentence: `${namesOf(eventsOff)} reports only received tasks: it may have run. ` +
      "Start the Celery workers with -E (or worker_send_task_events = True).",
    since: null,
    evidence: { agents: eventsOff }
  }])
]

const lastQuestion = ({ asked }: WhyFacts): ReadonlyArray<Reason> => {
  if (asked === null) return []
  const { asked_at, engine_state, error, id, status } = asked
  const answer = engine_state !== null
    ? `answered "${engine_state}"`
    : error !== null
    ? `failed: ${error.slice(0, maxExceptionLength).toWellFormed()}`
    : status === "pending" || status === "dispatched"
    ? "has not answered yet"
    : `gave no answer (${status})`
  return [{
    code: "asked",
    sentence: `Its agent was last asked at ${asked_at} and ${answer}.`,
    since: asked_at,
    evidence: { command_id: id, asked_at, status, engine_state, error }
  }]
}

const endOf = ({ task }: WhyFacts): Reason => {
  const exception = firstLineOf(task.exception)
  const cause = exception === null || task.state === "success" ? "" : `: ${exception}`
  return {
    code: "ended",
    sentence: `${endVerbs[task.state]}${cause}. It is not waiting to run.`,
    since: task.finished_at,
    evidence: { state: task.state, exception }
  }
}

const unknownReason = ({ task }: WhyFacts): Reason => ({
  code: "unknown",
  sentence: "Nothing that the brain knows keeps it from running. Ask the engine and its broker.",
  since: task.started_at ?? task.first_event_at,
  evidence: { state: task.state }
})

const agentOffline = ({ agents, task }: WhyFacts): ReadonlyArray<Reason> =>
  agents.online > 0 ? [] : [{
    code: "agent_offline",
    sentence: agents.last_seen_at === null
      ? `No agent of ${task.engine} has connected, so the brain cannot know what becomes of the task.`
      : `No agent of ${task.engine} has been connected since ${agents.last_seen_at}. The task may have run since then.`,
    since: agents.last_seen_at,
    evidence: { agents: agents.total, last_seen_at: agents.last_seen_at }
  }]

const pendingCommands = ({ openCommands }: WhyFacts): ReadonlyArray<Reason> =>
  openCommands.map(({ action, id, issued_at }): Reason => ({
    code: "command_pending",
    sentence: `The command ${action} about it has not ended.`,
    since: issued_at,
    evidence: { command_id: id, action }
  }))

const childrenOf = ({ children }: WhyFacts): ReadonlyArray<Reason> =>
  children.length === 0 ? [] : [{
    code: "waiting_for_children",
    sentence: `${children.length} of its children ${children.length === 1 ? "has" : "have"} not ended. ` +
      "A parent that waits for its children goes on when they have.",
    since: null,
    evidence: { unfinished: children.length, sample: children.slice(0, 5) }
  }]

/** A task that a worker took, as far as its events say. */
const reasonsOfStarted = (facts: WhyFacts): ReadonlyArray<Reason> => {
  const { isListed, orphaned, task, workers } = facts
  const { started_at, worker_name } = task
  const reasons: Array<Reason> = [...agentOffline(facts), ...blindAgents(facts)]
  if (orphaned !== null) {
    reasons.push({
      code: "orphaned",
      sentence: orphaned.detail,
      since: orphaned.orphaned_at,
      evidence: { worker_name, started_at }
    })
  }
  const worker = workers.find(({ name }) => name === worker_name)
  if (worker !== undefined && !worker.isOnline) {
    reasons.push({
      code: "worker_gone",
      sentence: `Its worker ${worker.name} is offline.`,
      since: worker.last_heartbeat,
      evidence: { worker_name: worker.name, last_heartbeat: worker.last_heartbeat }
    })
  }
  if (task.state === "unknown") {
    if (task.exception !== null) {
      const exception = firstLineOf(task.exception)
      reasons.push({
        code: "outcome_unknown",
        sentence: exception ?? "",
        since: started_at,
        evidence: { exception }
      })
    }
    return reasons
  }
  if (worker?.isOnline === true && isListed === false) {
    reasons.push({
      code: "worker_lost_task",
      sentence: `Its worker ${worker.name} is online, but does not list it among its running tasks. ` +
        "It may have been dropped without an end, or has ended a moment ago.",
      since: started_at,
      evidence: { worker_name: worker.name, active_tasks: worker.active_tasks }
    })
  }
  if (reasons.length > 0) return [...reasons, ...childrenOf(facts)]
  if (worker?.isOnline !== true && isListed !== true) return childrenOf(facts)
  return [...childrenOf(facts), {
    code: "running",
    sentence: `It is running${
      worker_name === null ? "" : ` at ${worker_name}`
    }: its worker is online and no end was reported.`,
    since: started_at,
    evidence: { worker_name }
  }]
}

/** A task that no worker has started. */
const reasonsOfWaiting = (facts: WhyFacts): ReadonlyArray<Reason> => [
  ...agentOffline(facts),
  ...blindAgents(facts),
  ...etaOf(facts),
  // without an agent the workers' state is as old as its last report
  ...(facts.agents.online > 0 ? consumersOf(facts) : []),
  ...childrenOf(facts),
  ...rateLimitsOf(facts),
  ...aheadOf(facts)
]

const etaOf = ({ now, task }: WhyFacts): ReadonlyArray<Reason> => {
  if (task.eta === null || task.eta <= now) return []
  const seconds_left = Math.ceil((Timestamp.toEpochMillis(task.eta) - Timestamp.toEpochMillis(now)) / 1000)
  return [{
    code: "eta_in_future",
    sentence: `It is to run at ${task.eta} at the earliest, in ${seconds_left} s.`,
    since: task.first_event_at,
    evidence: { eta: task.eta, seconds_left }
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

const consumersOf = (facts: WhyFacts): ReadonlyArray<Reason> => {
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
  // engines whose workers report no queues: nothing is known of who takes from which
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
  if (reporting.length < online.length || reporting.length === 0) return []
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
const rateLimitsOf = (facts: WhyFacts): ReadonlyArray<Reason> => {
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

const aheadOf = ({ ahead, queue, task }: WhyFacts): ReadonlyArray<Reason> => {
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
