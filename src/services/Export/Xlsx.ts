import { Deferred, Effect, Stream } from "effect"
import { Worker } from "node:worker_threads"
import type { ValidationFailed } from "../../domain/Errors.ts"
import type { Cell } from "../../domain/Task/Json.ts"
import { workerFile } from "../WorkerFile.ts"
import { mostXlsxText, tooLargeForXlsx } from "./Form.ts"

type Rows = ReadonlyArray<ReadonlyArray<Cell>>

/** What `Xlsx.worker.ts` is asked after the sheet's name, its workerData, one question at a time. */
export type XlsxQuestion = Rows | "end"
/** "more" to rows, the file to "end". */
export type XlsxAnswer = "more" | { readonly bytes: Uint8Array }

/** Megabytes a file may take while it is made: the most characters and rows that it may hold fit. */
const memory = { maxOldGenerationSizeMb: 1024 }

/** Characters that Excel takes in one cell. */
const mostCharacters = 32_767

class XlsxFailed extends Error {
  override readonly name = "XlsxFailed"
}

/** Makes spreadsheets on a thread: packing 25 000 rows takes seconds of a processor. One at a time. */
export class Xlsx extends Effect.Service<Xlsx>()("svc/Xlsx", {
  effect: Effect.gen(function*() {
    const one = yield* Effect.makeSemaphore(1)

    /** Starts the thread, and answers how to ask it; a thread that dies fails the question it had, and every later one. */
    const start = Effect.fnUntraced(function*(sheet: string) {
      const died = yield* Deferred.make<never>()
      const worker = yield* Effect.acquireRelease(
        Effect.sync(() =>
          new Worker(workerFile("Xlsx", import.meta.url), { resourceLimits: memory, workerData: sheet })
        ),
        (worker) => Effect.promise(() => worker.terminate())
      )
      const die = (cause: unknown) =>
        Deferred.unsafeDone(died, Effect.die(new XlsxFailed("the spreadsheet was not made", { cause })))
      worker.on("error", die)
      worker.on("exit", () => die("the thread ended"))
      return (question: XlsxQuestion) =>
        Effect.async<XlsxAnswer>((resume) => {
          worker.once("message", (answer: XlsxAnswer) => resume(Effect.succeed(answer)))
          worker.postMessage(question)
        }).pipe(Effect.raceFirst(Deferred.await(died)))
    })

    /**
     * The bytes of a file with one sheet of this name: a heading row and these rows. The thread has one slice at a time:
     * the next is read when it has taken the last.
     */
    const make = <E, R>(sheet: string, heading: ReadonlyArray<string>, rows: Stream.Stream<Rows, E, R>) =>
      Effect.gen(function*() {
        const ask = yield* start(sheet)
        yield* ask([heading])
        yield* Stream.runForEach(bounded(rows), ask)
        const answer = yield* ask("end")
        return answer === "more" ? yield* Effect.dieMessage("the thread did not answer with the file") : answer.bytes
      }).pipe(Effect.scoped, one.withPermits(1))

    return { make } as const
  })
}) {
  static readonly layer = this.Default
}

/** Cells as Excel takes them; fails where they are too much for one file. */
const bounded = <E, R>(rows: Stream.Stream<Rows, E, R>): Stream.Stream<Rows, E | ValidationFailed, R> =>
  Stream.mapAccumEffect(rows, 0, (before, slice) => {
    const cut = slice.map((row) => row.map((cell) => typeof cell === "string" ? cell.slice(0, mostCharacters) : cell))
    let characters = before
    for (const row of cut) for (const cell of row) characters += typeof cell === "string" ? cell.length : 0
    return characters > mostXlsxText ? Effect.fail(tooLargeForXlsx) : Effect.succeed([characters, cut])
  })
