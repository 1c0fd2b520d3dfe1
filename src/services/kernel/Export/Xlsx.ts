import { Deferred, Effect, Stream } from "effect"
import { Worker } from "node:worker_threads"
import type { Cell } from "../../../domain/kernel/Cell.ts"
import type { ValidationFailed } from "../../../domain/kernel/Errors.ts"
import { makeFairSemaphore } from "../concurrency/FairQueue.ts"
import { workerFile } from "../concurrency/WorkerFile.ts"
import { maxXlsxCharacters, tooMuchXlsxText } from "./Formats.ts"

type Rows = ReadonlyArray<ReadonlyArray<Cell>>

/** The messages to `Xlsx.worker.ts`, one at a time; the sheet's name is its workerData. */
export type XlsxRequest = Rows | "end"
/** The worker's reply: "more" to rows, the file to "end". */
export type XlsxResponse = "more" | { readonly bytes: Uint8Array }

/** Heap limit of the thread in megabytes; enough for the most characters and rows that a file may have. */
const workerLimits = { maxOldGenerationSizeMb: 1024 }

/** Characters that Excel takes in one cell. */
const maxCellCharacters = 32_767

class XlsxFailed extends Error {
  override readonly name = "XlsxFailed"
}

/** Builds spreadsheets on a worker thread, one at a time and for users in turn: compressing 25 000 rows takes seconds of CPU. */
export class Xlsx extends Effect.Service<Xlsx>()("svc/Xlsx", {
  sync: () => {
    const inTurn = makeFairSemaphore(1)

    /**
     * Starts the thread and returns its request function. When the thread dies, the pending and all later requests
     * fail.
     */
    const start = Effect.fnUntraced(function*(sheet: string) {
      const failure = yield* Deferred.make<never>()
      const worker = yield* Effect.acquireRelease(
        Effect.sync(() =>
          new Worker(workerFile("Xlsx", import.meta.url), { resourceLimits: workerLimits, workerData: sheet })
        ),
        (worker) => Effect.promise(() => worker.terminate())
      )
      const fail = (cause: unknown) =>
        Deferred.unsafeDone(failure, Effect.die(new XlsxFailed("the spreadsheet was not made", { cause })))
      worker.on("error", fail)
      worker.on("exit", () => fail("the thread ended"))
      return (question: XlsxRequest) =>
        Effect.async<XlsxResponse>((resume) => {
          worker.once("message", (response: XlsxResponse) => resume(Effect.succeed(response)))
          worker.postMessage(question)
        }).pipe(Effect.raceFirst(Deferred.await(failure)))
    })

    /**
     * The bytes of a file with one sheet of this name: a heading row and these rows. The thread holds one slice at a
     * time; the next slice is read once the thread has taken the last.
     */
    const make = <E, R>(sheet: string, heading: ReadonlyArray<string>, rows: Stream.Stream<Rows, E, R>) =>
      Effect.gen(function*() {
        const request = yield* start(sheet)
        yield* request([heading])
        yield* Stream.runForEach(limitCells(rows), request)
        const response = yield* request("end")
        return response === "more" ? yield* Effect.dieMessage("the thread did not return the file") : response.bytes
      }).pipe(Effect.scoped, inTurn)

    return { make } as const
  }
}) {
  static readonly layer = this.Default
}

/** Converts cells to Excel's types; fails when they exceed the limits of one file. */
const limitCells = <E, R>(rows: Stream.Stream<Rows, E, R>): Stream.Stream<Rows, E | ValidationFailed, R> =>
  Stream.mapAccumEffect(rows, 0, (before, slice) => {
    const limitedRows = slice.map((row) =>
      row.map((cell) => typeof cell === "string" ? cell.slice(0, maxCellCharacters).toWellFormed() : cell)
    )
    let characters = before
    for (const row of limitedRows) for (const cell of row) characters += typeof cell === "string" ? cell.length : 0
    return characters > maxXlsxCharacters ? Effect.fail(tooMuchXlsxText) : Effect.succeed([characters, limitedRows])
  })
