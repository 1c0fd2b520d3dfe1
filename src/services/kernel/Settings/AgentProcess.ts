import { list, oneOf, secret, text } from "./Kinds.ts"

/** Read by an agent's process, not by the brain. */
export const agentProcessSettings = {
  agentBrainUrl: text(
    "SVC_AGENT_BRAIN_URL",
    { default: "" },
    "For an agent's process: URL of the brain, such as https://svc.example.com.",
    { tunable: false }
  ),
  agentToken: secret("SVC_AGENT_TOKEN", "For an agent's process: the token shown when the agent was created."),
  agentHmacSecret: secret(
    "SVC_AGENT_HMAC_SECRET",
    "For an agent's process: the hmac secret shown when the agent was created."
  ),
  agentHome: text(
    "SVC_AGENT_HOME",
    { default: "" },
    "For an agent's process: folder of its buffer of unsent events (default: ~/.svc/agent).",
    { tunable: false }
  ),
  agentName: text(
    "SVC_AGENT_NAME",
    { default: "" },
    "For an agent's process: its displayed name (default: the machine's name).",
    {
      tunable: false
    }
  ),
  agentTransport: {
    ...oneOf(
      "SVC_AGENT_TRANSPORT",
      { default: "auto", values: ["auto", "ws", "longpoll"] },
      "For an agent's process: auto uses WebSocket, and long-poll while WebSocket fails."
    ),
    tunable: false
  },
  agentAllowInsecure: {
    ...oneOf(
      "SVC_AGENT_ALLOW_INSECURE",
      { default: "no", values: ["no", "yes"] },
      "For an agent's process: yes allows plain http to another machine."
    ),
    tunable: false
  },
  agentRedactExtraKeys: {
    ...list(
      "SVC_AGENT_REDACT_EXTRA_KEYS",
      "For an agent's process: additional key names whose values are masked before they are sent."
    ),
    tunable: false
  }
} as const
