import type WebSocket from "ws"
import { countBytes, truncateText } from "../domain/kernel/TruncateText.ts"

/** WebSocket close codes (the agents' protocol, section 1.1; RFC 6455, section 7.4). */
export const closeCode = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  tooBig: 1009,
  restart: 1012,
  tryLater: 1013,
  tokenRevoked: 4003,
  badHello: 4400,
  tokenVoid: 4401,
  replaced: 4409,
  protocolVersion: 4426,
  tooManyConnects: 4429
} as const

/** A peer that has not returned our close frame after this time is terminated. */
const closeTimeoutMillis = 2000

/** RFC 6455, section 5.5: a control frame has 125 bytes, of which the code takes two. The library throws over that. */
const maxReasonBytes = 123

/** Sends a close frame, and terminates the socket of a peer that does not return it. */
export const closeSocket = (ws: WebSocket, code: number, reason: string): void => {
  const timer = setTimeout(() => ws.terminate(), closeTimeoutMillis)
  ws.once("close", () => clearTimeout(timer))
  ws.resume() // a paused socket would never read the peer's close frame
  ws.close(code, truncateText(reason, maxReasonBytes, countBytes))
}
