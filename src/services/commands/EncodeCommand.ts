import { Effect } from "effect"
import { canonicalize, type JsonInput, JsonObject, parse, toCanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { OutboundCommand } from "../agents/AgentSessions.ts"
import type { DecryptionFailed, Vault } from "../kernel/keys/Keys.ts"
import type { ClaimedCommand } from "./Model.ts"

/** The target type of commands to an engine's own scheduler; the target id is the scheduler's name. */
export const schedulerTarget = "scheduler"

/** The `target` of a command frame. A target without an id means all (the agents' protocol, sections 5.1 and 6.3). */
export const encodeTarget = (
  { engine, target_id, target_type }: Pick<ClaimedCommand, "engine" | "target_type" | "target_id">
): string =>
  canonicalize({
    type: target_type,
    id: target_id ?? undefined,
    engine: engine ?? undefined,
    scheduler: target_type === schedulerTarget ? target_id ?? undefined : undefined
  })

/** The command as it is sent to the agent; fails when its encrypted parameters cannot be decrypted. */
export const encodeCommand = (
  vault: Vault,
  command: ClaimedCommand
): Effect.Effect<OutboundCommand, DecryptionFailed> => {
  const { action, id, issued_at, issued_by, payload, sealed_payload, timeout_at } = command
  const timeout_seconds = Math.round((Timestamp.toEpochMillis(timeout_at) - Timestamp.toEpochMillis(issued_at)) / 1000)
  const frame = { id, action, target: encodeTarget(command), parameters: payload, timeout_seconds, issued_by }
  return sealed_payload === null
    ? Effect.succeed(frame)
    : Effect.map(vault.open("commands.sealed_payload", id, sealed_payload), (sealed) => ({
      ...frame,
      parameters: canonicalize({ ...parseMembers(payload), ...parseMembers(sealed) })
    }))
}

/** The members of a JSON object, their values with all digits. */
const parseMembers = (text: string): Readonly<Record<string, JsonInput>> => {
  const node = parse(text)
  if (!(node instanceof JsonObject)) return {}
  return Object.fromEntries(node.keys.map((key) => [key, toCanonicalText(node.get(key) ?? "null")]))
}
