import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const queues = {
  title: common.queues,
  filter: "Find a queue",
  name: common.queue,
  engine: common.engine,
  depth: common.depth,
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
  purgeForceHint: "Also needed above the agent's limit, which is 1,000 by default."
}
