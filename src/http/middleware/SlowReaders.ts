import { Effect, Schedule } from "effect"
import type { ServerResponse } from "node:http"
import { Settings } from "../../services/kernel/Settings.ts"
import { pieceBytes } from "./Pieces.ts"

/** Has the code that labels the metric of closed connections (`layers/Connections.ts`). */
class SlowReader extends Error {
  override readonly name = "SlowReader"
  readonly code = "ESLOWREADER"
}

interface Progress {
  readonly since: number
  readonly takenBytes: number
}

/** Checks each response this often within the time of SVC_SLOW_READER_SECONDS. */
const checksPerLimit = 3

/** The bytes that the reader's connection took so far; null: none wait for it. */
const takenBytesOf = ({ socket, writableLength }: ServerResponse): number | null =>
  socket === null || writableLength + socket.writableLength === 0 ? null : socket.bytesWritten - socket.writableLength

/**
 * Closes the connections of readers that take less than a piece of a waiting response within SVC_SLOW_READER_SECONDS: nothing,
 * or a byte now and then. Returns the function that watches a response until it is taken.
 */
export const makeSlowReaders = Effect.gen(function*() {
  const { slowReaderSeconds } = yield* Settings
  const clock = yield* Effect.clock
  const responses = new Map<ServerResponse, Progress>()

  const check = Effect.sync(() => {
    const now = clock.unsafeCurrentTimeMillis()
    for (const [response, { since, takenBytes }] of responses) {
      const taken = takenBytesOf(response)
      if (taken === null || taken - takenBytes >= pieceBytes) {
        responses.set(response, { since: now, takenBytes: taken ?? 0 })
      } else if (now - since >= slowReaderSeconds * 1000) response.socket?.destroy(new SlowReader())
    }
  })
  yield* Effect.forkScoped(
    Effect.repeat(check, Schedule.spaced(`${Math.ceil((slowReaderSeconds * 1000) / checksPerLimit)} millis`))
  )

  return (response: ServerResponse): void => {
    responses.set(response, { since: clock.unsafeCurrentTimeMillis(), takenBytes: takenBytesOf(response) ?? 0 })
    response.once("close", () => responses.delete(response))
  }
})
