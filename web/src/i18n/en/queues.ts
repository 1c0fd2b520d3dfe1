import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const queues = {
  title: common.queues,
  filter: "Find a queue",
  name: common.queue,
  engine: common.engine,
  depth: common.depth,
  unreported: (count: Count) =>
    plural(
      count,
      "# message in the broker; no agent reported it as a task",
      "# messages in the broker; no agent reported them as tasks"
    ),
  oldest: "Oldest waiting since",
  received: "Received, 1 h",
  ended: "Ended, 1 h",
  consumers: "Consumers",
  noConsumer: "No consumer",
  broker: "Broker",
  lastSeen: "Last report",
  actions: common.actions,
  none: "No queues yet",
  noneHint: "Agents report the queues of their engine.",
  purge: "Purge",
  purgeLabel: (name: string) => `Purge ${name}`,
  purgeQuestion: (name: string) => `Purge the queue ${name}?`,
  purgeNotice: (name: string) => `Purge: ${name}`,
  purgeDepth: (count: Count) =>
    plural(
      count,
      "# message is waiting. It is deleted, and this cannot be undone.",
      "# messages are waiting. All of them are deleted, and this cannot be undone."
    ),
  purgeUnknown:
    "The agent does not report how many messages are waiting. All of them are deleted, and this cannot be undone.",
  purgeAgent: common.agent,
  purgeAgentHint: "This engine has several agents. Each purges the queue of this name on its own broker.",
  chooseAgent: "Choose the agent",
  purgeHint: (agent: string) => `The agent ${agent} counts the messages again and refuses if their number has changed.`,
  purgeForce: "Purge any number",
  purgeForceHint: "Also needed above the agent's limit, which is 1,000 by default.",
  tasks: "Tasks",
  oldestAge: "Oldest waiting since",
  arrived: "Received",
  inAndOut: "In and out",
  pause: "Pause",
  resume: "Resume",
  target: "Target",
  setTarget: "Set target",
  pauseQuestion: (name: string) => `Pause the queue ${name}?`,
  pauseNotice: (name: string) => `Pause: ${name}`,
  resumeNotice: (name: string) => `Resume the queue ${name}`,
  pauseHint: "No worker takes its tasks until it is resumed. Running tasks continue.",
  pauseReason: "Reason",
  pauseReasonHint: "Members of the project see it.",
  pauseFor: "Resume after (empty: never by itself)",
  pauseForHint: "30 min",
  pauseAgentHint: "This engine has several agents. Each pauses the queue of this name on its own broker.",
  cannotPause: (engine: string) =>
    `No agent can pause queues of ${engine}. Stop the workers instead, or cancel their consumers.`,
  pauseStatuses: { pausing: "Pausing", paused: "Paused", resuming: "Resuming" },
  pausedInEngine: "paused in the engine",
  resumes: "resumes",
  targetQuestion: (name: string) => `When should tasks of ${name} start?`,
  targetHint: "A queue whose oldest task waits for longer needs attention. Empty removes the target.",
  startWithin: "Start within",
  noTarget: "no target",
  targetOf: (duration: string) => `target ${duration}`,
  overTarget: (duration: string) => `Waits for longer than the target of ${duration}`,
  forecastUnknown: "too little data for a forecast",
  forecastEmpty: "nothing waits",
  forecastEmptying: (duration: string, rate: string) => `empty in ${duration} (${rate}/min)`,
  forecastGrowing: (rate: string) => `${rate}/min, never empty at this rate`,
  forecastSteady: (rate: string) => `steady (${rate}/min)`,
  forecastTurned: (rate: string) => `the depth has just turned (${rate}/min)`,
  needed: (duration: string) => `Workers to start within ${duration}`,
  neededWorkers: (count: Count, slots: Count) =>
    `${plural(count, "# worker", "# workers")} with ${plural(slots, "# slot", "# slots")} in all`,
  neededSlots: (count: Count) => plural(count, "# slot", "# slots"),
  tooFewTasks: "Fewer than 20 tasks in the last hour: too few to say how many workers it needs.",
  workersNow: (count: Count) => plural(count, "# worker consumes it now", "# workers consume it now"),
  slotsNow: (count: Count, slots: Count) => {
    const all = plural(slots, "# slot", "# slots")
    return plural(count, `Now # worker with ${all} consumes it`, `Now # workers with ${all} consume it`)
  },
  assumptions: (rate: string, runtime: string, busy: string) =>
    `For 95% of the tasks, if they arrive independently, ${rate} per minute, and run for ${runtime} as in the last hour: they keep ${busy} slots busy (Little’s law), and Erlang C gives the slots that the waiting needs. The workers serve this queue alone.`
}
