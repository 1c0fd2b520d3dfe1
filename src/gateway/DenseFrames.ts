import { Effect } from "effect"
import { decodeDenseFrame, type DenseFrameRequest, type DenseFrameResponse } from "../protocol/DenseFrame.ts"
import type { FrameRefusal } from "../protocol/Envelope.ts"
import type { AgentFrame, WireSession } from "../protocol/Frame.ts"
import { yieldToEventLoop } from "../services/kernel/concurrency/EventLoop.ts"
import { workerFile } from "../services/kernel/concurrency/WorkerFile.ts"
import { makeWorkerThread, type WorkerThreadFailed } from "../services/kernel/concurrency/WorkerThread.ts"

/**
 * Decodes frames of very many values on a thread, one at a time, so that no frame within the limits blocks the event
 * loop.
 */
export class DenseFrames extends Effect.Service<DenseFrames>()("svc/gateway/DenseFrames", {
  scoped: Effect.gen(function*() {
    const read = yield* makeWorkerThread<DenseFrameRequest, DenseFrameResponse>(
      workerFile("DenseFrame", import.meta.url)
    )

    /**
     * The frame, or why it is refused. Until then the caller handles no other frame of the session. `now`: when it
     * arrived.
     */
    const decode = (
      text: string,
      session: WireSession,
      now: number
    ): Effect.Effect<AgentFrame | FrameRefusal, WorkerThreadFailed> =>
      Effect.gen(function*() {
        const pieces = decodeDenseFrame(yield* read({ text, key: session.key, ids: session.ids }), session, now)
        for (let piece = pieces.next();; piece = pieces.next()) {
          if (piece.done === true) return piece.value
          yield* yieldToEventLoop
        }
      })

    return { decode } as const
  })
}) {
  static readonly layer = this.Default
}
