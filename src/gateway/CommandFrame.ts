import { removeFromCommand, type TaskNamespace } from "../domain/agents/TaskNamespace.ts"
import { CanonicalText, parse, ParseFailure, toCanonicalText } from "../domain/kernel/CanonicalJson.ts"
import { encodeFrame, type WireSession } from "../protocol/Frame.ts"
import { MAX_FRAME_BYTES } from "../protocol/Payload.ts"
import type { OutboundCommand } from "../services/agents/AgentSessions.ts"

/** The command's signed frame with the engine's own ids, or null when it is longer than the agent accepts. `now` is epoch milliseconds. */
export const encodeCommandFrame = (
  stored: OutboundCommand,
  namespace: TaskNamespace,
  wire: WireSession,
  now: number
): string | null => {
  const command = removeFromCommand(namespace, stored)
  const text = encodeFrame(
    "command",
    command.id,
    {
      action: command.action,
      target: canonicalObject(command.target),
      parameters: canonicalObject(command.parameters),
      timeout_seconds: command.timeout_seconds,
      issued_by: command.issued_by,
      delivery_claim_token: null
    },
    wire,
    now
  )
  return Buffer.byteLength(text) > MAX_FRAME_BYTES ? null : text
}

/** Stored JSON text in its canonical form. Creation refuses other texts; an agent accepts only objects. */
const canonicalObject = (text: string): CanonicalText => {
  const node = parse(text)
  return node instanceof ParseFailure ? new CanonicalText("{}") : toCanonicalText(node)
}
