import { Effect } from "effect"
import type { LogLevel } from "../../../src/agent/runtime/Log.ts"
import type { AgentOptions } from "../../../src/agent/runtime/Options.ts"
import { type AgentHandle, startAgent } from "../../../src/agent/runtime/startAgent.ts"
import type { Credentials } from "../../agent.ts"
import { temporaryHome } from "../../databases.ts"
import { until } from "../../until.ts"

export interface Started extends AgentHandle {
  readonly home: string
  readonly lines: ReadonlyArray<readonly [level: LogLevel, message: string]>
}

/** The options of an agent of these credentials, with a buffer folder of its own. */
export const optionsFor = (
  base: string,
  { hmac_secret, token }: Pick<Credentials, "token" | "hmac_secret">,
  more: Partial<AgentOptions> = {}
) =>
  Effect.map(
    temporaryHome,
    (home): AgentOptions => ({ brainUrl: base, token, hmacSecret: hmac_secret, engines: [], home, ...more })
  )

/** A running agent, closed with the scope. */
export const started = (options: AgentOptions) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const lines: Array<readonly [LogLevel, string]> = []
      const handle = await startAgent({ ...options, log: (level, message) => void lines.push([level, message]) })
      return { ...handle, lines, home: options.home ?? "" } satisfies Started
    }),
    (agent) => Effect.promise(() => agent.close())
  )

/** Waits until the agent's status is so. */
export const statusOf = (agent: AgentHandle, when: (status: ReturnType<AgentHandle["status"]>) => boolean) =>
  until(Effect.sync(agent.status), when)

export const online = (agent: AgentHandle) => statusOf(agent, ({ state }) => state === "online")

/** Waits until the brain has acknowledged everything. */
export const drained = (agent: AgentHandle) =>
  statusOf(agent, ({ buffer, state }) => state === "online" && buffer.events === 0)
