import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/agent.ts"))

const noWebsocket = Options.boolean("no-websocket").pipe(
  Options.withDescription("Check long-poll instead, for a network that blocks WebSocket.")
)

const doctor = Command.make("doctor", { json, noWebsocket }, handler((module) => module.doctor)).pipe(
  Command.withDescription(
    "Check why an agent on this machine cannot reach its brain; reads SVC_AGENT_BRAIN_URL, SVC_AGENT_TOKEN and SVC_AGENT_HMAC_SECRET."
  )
)

export const agent = Command.make("agent").pipe(
  Command.withDescription("For machines on which an agent runs."),
  Command.withSubcommands([doctor])
)
