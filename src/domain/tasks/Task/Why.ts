/**
 * Why a task is not running: the reasons that recorded facts give, the likeliest first (docs/why.md). A reason that the
 * facts do not prove is not given; without any the only reason is `unknown`.
 */
import type { TaskState } from "../../kernel/TaskState.ts"
import { formatSecond } from "../../kernel/Timestamp.ts"
import type { WhyFacts } from "./Why/Facts.ts"
import { type Reason, type ReasonCode, reasonCodes } from "./Why/Reasons.ts"
import { aheadOf, consumersOf, etaOf, pauseOf, rateLimitsOf } from "./Why/Waiting.ts"

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

const lastQuestion = ({ question }: WhyFacts): ReadonlyArray<Reason> => {
  if (question === null) return []
  const { asked_at, engine_state, error, id, status } = question
  const result = engine_state !== null
    ? `answered "${engine_state}"`
    : error !== null
    ? `failed: ${error.slice(0, maxExceptionLength).toWellFormed()}`
    : status === "pending" || status === "dispatched"
    ? "has not answered yet"
    : `gave no answer (${status})`
  return [{
    code: "asked",
    sentence: `Its agent was last asked at ${formatSecond(asked_at)} and ${result}.`,
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
      : `No agent of ${task.engine} has been connected since ${formatSecond(agents.last_seen_at)}. ` +
        "The task may have run since then.",
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
  ...pauseOf(facts),
  // without an agent the workers' state is as old as its last report
  ...(facts.agents.online > 0 ? consumersOf(facts) : []),
  ...childrenOf(facts),
  ...rateLimitsOf(facts),
  ...aheadOf(facts)
]
