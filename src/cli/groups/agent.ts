import { Command, Options } from "@effect/cli"
import { lazyHandlers } from "../Load.ts"
import { json } from "../Options.ts"

const handler = lazyHandlers(() => import("../handlers/agent.ts"))

const noWebsocket = Options.boolean("no-websocket").pipe(
  Options.withDescription("Look at long-poll instead, as for a network that lets no WebSocket through.")
)

const doctor = Command.make("doctor", { json, noWebsocket }, handler((module) => module.doctor)).pipe(
  Command.withDescription("Find out what keeps an agent on this machine from its brain; reads SVC_AGENT_BRAIN_URL, SVC_AGENT_TOKEN and SVC_AGENT_HMAC_SECRET.")
)

export const agent = Command.make("agent").pipe(
  Command.withDescription("For machines on which an agent runs."),
  Command.withSubcommands([doctor])
)
