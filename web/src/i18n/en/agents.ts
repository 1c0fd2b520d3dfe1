import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const agents = {
  title: common.agents,
  name: common.agent,
  id: common.id,
  state: common.status,
  engines: "Engines",
  host: common.host,
  framework: common.framework,
  version: common.version,
  protocol: "Protocol",
  facts: common.details,
  lastSeen: common.lastSeen,
  connectedAt: "Last connected",
  createdAt: "Created",
  never: common.neverInText,
  outdated: "older protocol version",
  refused: "Last refusal",
  refusedBefore: "It has connected since. Nothing to do.",
  advice: common.needsAttention,
  noTrouble: "The server has found no problem with this agent.",
  capabilities: "Capabilities",
  noCapabilities: "It has not reported its capabilities. Agents report them over WebSocket only.",
  lastDay: common.last24Hours,
  uptime: (percent: string) => `Connected for ${percent} of the last 24 h`,
  uptimeOfKnown: (percent: string, duration: string) => `Connected for ${percent} of the ${duration} that are known`,
  uptimeUnknown: "Not known",
  away: (duration: string, time: string) => `away ${duration} at ${time}`,
  awaySince: (time: string) => `away since ${time}`,
  awayInAll: (count: Count, duration: string) => `away ${count.text} times, ${duration} in all`,
  legend: "Each half hour",
  cells: {
    connected: "Connected",
    partly: "Partly away",
    away: "Away",
    unknown: "Not known: before it first connected, or the server did not run"
  },
  noOutage: "No recorded outages.",
  losses: "Lost telemetry",
  noLoss: "None of its processes has reported lost events.",
  none: common.noAgentsYet,
  noneHint:
    "An agent connects a task engine to the server. The assistant shows what to install and which lines to copy.",
  adminsCreate: "Only admins create agents",
  adminsCreateHint: "Ask a project admin to create one.",
  unknown: "Agent not found",
  unknownHint: "It may have been deleted. The list shows the existing agents.",
  create: "New agent",
  createSubmit: "Create agent",
  chooseEngine: "Which engine runs the tasks?",
  newName: "Agent name",
  newNameHint: "Shown in lists and commands. The name of the deployment, for example.",
  namespace: "Namespace",
  namespaceHint:
    "Optional. Becomes part of its task IDs, such as eu/mail:1. Needed where IDs are unique only within one broker: BullMQ, RQ IDs set by hand, external readers.",
  back: "Back to the agents",
  shownOnce:
    "The token and the secret are shown only once. Copy them before you leave this page. Anyone who has them can report tasks for this agent.",
  choosePlace: "Where the worker runs",
  places: { shell: "Shell", docker: "Docker", kubernetes: "Kubernetes" },
  steps: {
    environment: "1. Install and set the environment",
    code: "2. Add to the application",
    start: "3. Start the worker"
  },
  celeryHostname:
    "Z4J_CELERY_LOCAL_HOSTNAME must equal the node name after --hostname. Otherwise each event arrives once per agent.",
  plainHttp:
    "Plain http works only if the worker runs on the server's machine. From other machines, use the server's https address.",
  waitTitle: "First events",
  waitingForConnection: "Waiting for the agent to connect",
  connected: (host: string) => `Connected from ${host}`,
  waitingForEvent: "Waiting for the first event",
  firstEvent: (kind: string) => `The first event has arrived (${kind}):`,
  toAgent: "Open the agent",
  toOverview: "Next steps",
  remedies: {
    secret:
      "Set the HMAC secret that was shown with this token, and restart the worker. If you no longer have it, create another agent.",
    clock: "Set the clock of the agent's machine, for example with NTP.",
    upgrade: "Upgrade the agent's package: this server speaks version 2 of the protocol.",
    proxy:
      "Check the reverse proxy: it must forward the WebSocket at once, and keep an idle connection open for more than 60 seconds.",
    repeated: "A frame arrived twice. Look for a proxy that repeats requests; the agent connects again by itself.",
    size: "The agent sends too much at once. Shorten the arguments and results of its tasks, or upgrade the agent.",
    other: "Upgrade the agent's package. If it is refused again, report the sentence above."
  },
  deleteQuestion: (name: string) => `Delete the agent ${name}?`,
  deleteHint:
    "Its token is revoked, its connections are closed, and its open commands are cancelled. Its tasks are kept."
}
