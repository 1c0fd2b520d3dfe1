/** What both transports say in the same words. */
import { CanonicalText } from "../../domain/CanonicalJson.ts"
import type { FrameRefusal } from "../protocol/Envelope.ts"
import type { WirePayloads } from "../protocol/Frame.ts"
import type { CommandEntry } from "./BufferFile.ts"

/** What a refused frame of the brain's means, for people. Never holds what the brain sent. */
export const describeRefusal = ({ field, reason, skewSeconds }: FrameRefusal): string => {
  if (skewSeconds !== undefined) {
    const seconds = Math.abs(skewSeconds).toFixed(1)
    return `The brain's clock is ${seconds} s ${skewSeconds > 0 ? "ahead of" : "behind"} this machine's; 60 s are allowed.`
  }
  if (reason === "bad_signature") return "A message of the brain's is not signed with the agent's hmac secret: is it the one of this token?"
  return `What answers there is not a brain as this agent knows it: ${reason}${field === undefined ? "" : ` (${field})`}.`
}

export const resultPayload = ({ claimToken, error, result, status }: CommandEntry): WirePayloads["command_result"] => ({
  status: status ?? "failed", // only finished ones are sent
  result: result === null ? null : new CanonicalText(result),
  error,
  delivery_claim_token: claimToken
})
