import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { flag, json } from "../program/Options.ts"

export const definitions = {
  doctor: define(
    "Check why an agent on this machine cannot reach its brain; reads SVC_AGENT_BRAIN_URL, SVC_AGENT_TOKEN and SVC_AGENT_HMAC_SECRET.",
    { json, noWebsocket: flag("no-websocket", "Check long-poll instead, for a network that blocks WebSocket.") }
  )
}

export const agent = makeGroup(
  "agent",
  "For machines on which an agent runs.",
  bindCommands(definitions, () => import("./handlers/agent.ts"))
)
