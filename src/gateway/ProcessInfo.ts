import { Redacted } from "effect"
import { toStorable } from "../domain/kernel/Text.ts"
import { FrameRefusal } from "../protocol/Envelope.ts"
import type { WireSession } from "../protocol/Frame.ts"
import { decodeHelloFrame, type HelloFrame } from "../protocol/Hello.ts"
import { signingKey } from "../protocol/Signing.ts"
import type { ProcessInfo } from "../services/agents/Presence/Model.ts"
import type { AgentIdentity } from "../services/kernel/CurrentActor.ts"

/** Longest name of an engine or scheduler. */
const maxEngineLength = 40
const maxPid = 2 ** 31 - 1

/** Lower-case names of engines and schedulers; names over 40 characters are dropped. */
const normalizeEngines = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => name.length <= maxEngineLength)

/** Longest name of a broker, and most of them: a process has few engines. */
const maxSourceLength = 100
const maxSources = 20

const normalizeSources = (sources: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(sources).slice(0, maxSources)
      .map(([engine, source]): [string, string] => [engine.toLowerCase(), toStorable(source, maxSourceLength)])
  )

const orNull = (text: string): string | null => (text === "" ? null : text)

/** A hello as the brain's record of the process. */
export const processInfoFromHello = (
  identity: AgentIdentity,
  { payload }: HelloFrame,
  sessionId: string
): ProcessInfo => ({
  agentId: identity.agent_id,
  projectId: identity.project_id,
  sessionId,
  workerId: payload.workerId ?? identity.agent_id,
  exclusive: true,
  protocolVersion: payload.protocolVersion,
  agentVersion: orNull(payload.agentVersion),
  framework: orNull(payload.framework),
  engines: normalizeEngines(payload.engines),
  schedulers: normalizeEngines(payload.schedulers),
  features: payload.runtimeFeatures,
  capabilities: Object.fromEntries(
    Object.entries(payload.capabilities).map(([engine, actions]) => [engine.toLowerCase(), actions])
  ),
  hostName: payload.host.name,
  role: payload.workerRole,
  pid: payload.workerPid !== null && payload.workerPid >= 0 && payload.workerPid <= maxPid ? payload.workerPid : null,
  startedAt: payload.workerStartedAt,
  sources: normalizeSources(payload.host.sources)
})

/**
 * The process of a long-poll session, which has no hello: the engines are those that headers or `agent_status` name.
 */
export const processInfoFromPoll = (
  identity: AgentIdentity,
  sessionId: string,
  adapters: Pick<ProcessInfo, "engines" | "schedulers" | "agentVersion">
): ProcessInfo => ({
  agentId: identity.agent_id,
  projectId: identity.project_id,
  sessionId,
  workerId: identity.agent_id,
  exclusive: false,
  protocolVersion: "2",
  agentVersion: adapters.agentVersion,
  framework: null,
  engines: normalizeEngines(adapters.engines),
  schedulers: normalizeEngines(adapters.schedulers),
  features: [],
  capabilities: {},
  hostName: null,
  role: null,
  pid: null,
  startedAt: null,
  sources: {}
})

/** The process of a long-poll session whose agent sends its hello in a header; null where it does not. */
export const processInfoFromPollHello = (
  identity: AgentIdentity,
  sessionId: string,
  header: string | undefined
): ProcessInfo | null => {
  const hello = header === undefined ? null : decodeHelloFrame(Buffer.from(header, "base64url").toString("utf8"))
  if (hello === null || hello instanceof FrameRefusal) return null
  // schedules are published over WebSocket only, so the hello's features do not count here
  return { ...processInfoFromHello(identity, hello, sessionId), exclusive: false, features: [] }
}

/** The key and the ids that a session's signatures use. */
export const wireSessionArgs = (
  identity: AgentIdentity,
  sessionId: string
): ConstructorParameters<typeof WireSession> => [
  signingKey(Redacted.value(identity.key)),
  { agentId: identity.agent_id, projectId: identity.project_id, sessionId }
]
