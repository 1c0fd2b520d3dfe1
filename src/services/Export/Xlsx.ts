import { Effect, Stream } from "effect"
import { Worker } from "node:worker_threads"
import type { Cell } from "../../domain/Task/Json.ts"
import { workerFile } from "../WorkerFile.ts"

type Rows = ReadonlyArray<ReadonlyArray<Cell>>

/** What `Xlsx.worker.ts` is told after the sheet's name, its workerData, and what it answers. */
export type XlsxQuestion = Rows | "end"
export interface XlsxAnswer {
  readonly bytes: Uint8Array
}

/** Megabytes a file may take while it is made: 25 000 rows with large arguments fit. */
const memory = { maxOldGenerationSizeMb: 1024 }

class XlsxFailed extends Error {
  override readonly name = "XlsxFailed"
}

/** Makes spreadsheets on a thread: packing 25 000 rows takes seconds of a processor. One at a time. */
export class Xlsx extends Effect.Service<Xlsx>()("svc/Xlsx", {
  effect: Effect.gen(function*() {
    const one = yield* Effect.makeSemaphore(1)

    const start = (sheet: string) =>
      Effect.acquireRelease(
        Effect.sync(() =>
          new Worker(workerFile("Xlsx", import.meta.url), { resourceLimits: memory, workerData: sheet })
        ),
        (worker) => Effect.promise(() => worker.terminate())
      )

    const answerOf = (worker: Worker) =>
      Effect.async<Uint8Array>((resume) => {
        worker.on("message", ({ bytes }: XlsxAnswer) => resume(Effect.succeed(bytes)))
        worker.on("error", (cause) => resume(Effect.die(new XlsxFailed("the spreadsheet was not made", { cause }))))
        worker.on("exit", () => resume(Effect.die(new XlsxFailed("the thread ended before the spreadsheet"))))
      })

    /** The bytes of a file with one sheet of this name: a heading row and these rows. */
    const make = <E, R>(sheet: string, heading: ReadonlyArray<string>, rows: Stream.Stream<Rows, E, R>) =>
      Effect.gen(function*() {
        const worker = yield* start(sheet)
        const tell = (question: XlsxQuestion) => Effect.sync(() => worker.postMessage(question))
        const telling = tell([heading]).pipe(
          Effect.zipRight(Stream.runForEach(rows, tell)),
          Effect.zipRight(tell("end"))
        )
        const [bytes] = yield* Effect.all([answerOf(worker), telling], { concurrency: "unbounded" })
        return bytes
      }).pipe(Effect.scoped, one.withPermits(1))

    return { make } as const
  })
}) {
  static readonly layer = this.Default
}
