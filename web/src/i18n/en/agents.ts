export const agents = {
  title: "Agents",
  name: "Agent",
  id: "Id",
  state: "State",
  engines: "Engines",
  host: "Host",
  framework: "Framework",
  version: "Version",
  protocol: "Protocol",
  facts: "Facts",
  lastSeen: "Last seen",
  connectedAt: "Last connected",
  createdAt: "Created",
  never: "never",
  outdated: "speaks an older protocol",
  refused: "Last refused",
  refusedBefore: "It has connected since, so nothing is to be done.",
  advice: "Needs attention",
  noTrouble: "The brain has seen nothing wrong with this agent.",
  capabilities: "What it can do",
  noCapabilities: "It has not reported what it can do. It reports that over WebSocket only.",
  losses: "Lost telemetry",
  noLoss: "No process of it has reported lost events.",
  none: "No agent yet",
  noneHint:
    "An agent connects a task engine to the brain. The assistant shows what to install and which lines to copy.",
  adminsCreate: "Only admins create agents",
  adminsCreateHint: "Ask an admin of the project to create one.",
  unknown: "There is no such agent",
  unknownHint: "It may have been deleted. The list shows those that exist.",
  create: "New agent",
  createSubmit: "Create and show the lines",
  chooseEngine: "Which engine runs the tasks?",
  newName: "Name of the agent",
  newNameHint: "People see it in lists and commands, for example the name of the deployment.",
  namespace: "Namespace",
  namespaceHint:
    "Optional. Becomes part of its tasks' ids, such as eu/mail:1. Set it where ids are unique only within one broker: BullMQ, RQ ids set by hand, readers from outside.",
  back: "Back to the agents",
  shownOnce:
    "The token and the secret are shown only now. Copy them before you leave this page. A person who has them can report tasks for this agent.",
  steps: {
    install: "1. Install",
    environment: "2. Set the environment of the worker",
    code: "3. Add to the application",
    start: "4. Start the worker"
  },
  celeryHostname:
    "Z4J_CELERY_LOCAL_HOSTNAME must equal the node name after --hostname. Otherwise each event arrives once per agent.",
  plainHttp:
    "Plain http works only where the worker is on the machine of the brain. From other machines use its https address.",
  waitTitle: "First events",
  waitingForConnection: "Waiting for the agent to connect",
  connected: (host: string) => `Connected from ${host}`,
  waitingForEvent: "Waiting for the first event",
  firstEvent: (kind: string) => `The first event has arrived (${kind}):`,
  toAgent: "Show the agent",
  remedies: {
    secret:
      "Set the hmac secret that was shown together with this token, and restart the worker. Without it, create another agent.",
    clock: "Set the clock of the agent's machine, for example with NTP.",
    upgrade: "Upgrade the agent's package: this brain speaks version 2 of the protocol.",
    proxy:
      "Check the reverse proxy: it must forward the WebSocket at once, and keep an idle connection open for more than 60 seconds.",
    repeated: "A frame arrived twice. Look for a proxy that repeats requests; the agent connects again by itself.",
    size: "The agent sends too much at once. Shorten the arguments and results of its tasks, or upgrade the agent.",
    other: "Upgrade the agent's package. If it is refused again, report the sentence above."
  },
  deleteQuestion: (name: string) => `Delete the agent ${name}?`,
  deleteHint: "Its token is revoked, its connections are closed, and its open commands are cancelled. Its tasks stay."
}
