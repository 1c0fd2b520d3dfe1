import { Effect } from "effect"
import type { ServerResponse } from "node:http"

/** A reader that takes nothing for twice this long, while data waits for it, is disconnected. */
const interval = "15 seconds"

const progressOf = ({ socket, writableLength }: ServerResponse): number | null => {
  if (socket === null || writableLength + socket.writableLength === 0) return null
  return socket.bytesWritten - socket.writableLength
}

/** Waits until the reader of the response stops reading; for ever if it does not. */
export const waitUntilStalled = Effect.fnUntraced(function*(response: ServerResponse) {
  let strikes = 0
  for (let previous: number | null = null; strikes < 2;) {
    yield* Effect.sleep(interval)
    const now = progressOf(response)
    strikes = now !== null && now === previous ? strikes + 1 : 0
    previous = now
  }
})
