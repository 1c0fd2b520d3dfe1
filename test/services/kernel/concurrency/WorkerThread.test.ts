import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createSecretKey } from "node:crypto"
import type { DenseFrameRequest, DenseFrameResponse } from "../../../../src/protocol/DenseFrame.ts"
import { workerFile } from "../../../../src/services/kernel/concurrency/WorkerFile.ts"
import { makeWorkerThread, WorkerThreadFailed } from "../../../../src/services/kernel/concurrency/WorkerThread.ts"

const key = createSecretKey(Buffer.alloc(32))
const ids = { agentId: "a", projectId: "p", sessionId: "s" }

describe("a worker thread", () => {
  it.scopedLive("fails what cannot be sent to it and a file that is not there, and serves the next request", () =>
    Effect.gen(function*() {
      const request = yield* makeWorkerThread<DenseFrameRequest | (() => void), DenseFrameResponse>(
        workerFile("DenseFrame", import.meta.url)
      )
      assert.instanceOf(yield* Effect.flip(request(() => {})), WorkerThreadFailed)
      assert.deepInclude(yield* request({ text: "{", key, ids }), { kind: "refused", reason: "not_json" })
      const absent = yield* makeWorkerThread<DenseFrameRequest, DenseFrameResponse>(
        workerFile("Absent", import.meta.url)
      )
      for (let round = 0; round < 2; round++) {
        assert.instanceOf(yield* Effect.flip(absent({ text: "{", key, ids })), WorkerThreadFailed)
      }
    }))
})
