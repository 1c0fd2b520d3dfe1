/** Texts that both transports use. */
import { CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import type { FrameRefusal } from "../../protocol/Envelope.ts"
import type { WirePayloads } from "../../protocol/Frame.ts"
import type { CommandEntry } from "./BufferFile.ts"

/** Why a frame of the brain was refused, for people. Contains no text of the brain. */
export const describeFrameRefusal = ({ field, reason, skewSeconds }: FrameRefusal): string => {
  if (skewSeconds !== undefined) {
    const seconds = Math.abs(skewSeconds).toFixed(1)
    return `The brain's clock is ${seconds} s ${
      skewSeconds > 0 ? "ahead of" : "behind"
    } this machine's; 60 s are allowed.`
  }
  if (reason === "bad_signature") {
    return "The brain's message has a wrong signature. Check that the hmac secret belongs to this token."
  }
  return `The brain's address sent an invalid message: ${reason}${field === undefined ? "" : ` (${field})`}.`
}

export const resultPayload = ({ claimToken, error, result, status }: CommandEntry): WirePayloads["command_result"] => ({
  status: status ?? "failed", // only finished ones are sent
  result: result === null ? null : new CanonicalText(result),
  error,
  delivery_claim_token: claimToken
})
