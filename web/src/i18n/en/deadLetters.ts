import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const deadLetters = {
  title: common.deadLetters,
  engine: common.engine,
  agent: common.agent,
  anyAgent: "The agent last seen",
  queue: common.queue,
  queueHint: "All queues",
  readAt: common.asOf,
  readAgain: "Ask the agent again",
  total: (count: Count) => `The engine has ${count.text} in all.`,
  task: common.task,
  error: common.error,
  attempts: common.attempts,
  failedAt: common.failedTask,
  action: common.action,
  none: "The engine has no dead letters",
  noneHint: "A dead letter is a failed task that the engine keeps so that it can run again.",
  noEngine: common.noAgentsYet,
  noEngineHint: "An engine's agent lists its dead letters. Connect an agent first.",
  noneCanList: "No agent can list dead letters",
  cannotList: (engine: string) => `The agents of ${engine} cannot list dead letters`,
  cannotListHint:
    "Agents of RQ, Dramatiq, BullMQ and Effect queues can. For other engines, retry failed tasks from the list of tasks.",
  failedTasks: "Show failed tasks",
  requeue: "Requeue",
  requeueQuestion: (name: string) => `Requeue ${name}?`,
  requeueHint: (queue: string) => `The engine puts the task back into the queue ${queue} and runs it again.`,
  requeueNotice: (name: string) => `Requeue: ${name}`
}
