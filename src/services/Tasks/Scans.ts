import { SqlError, type Statement } from "@effect/sql"
import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import { Database } from "../Database.ts"
import { workerFile } from "../WorkerFile.ts"

/** What `Scan.worker.ts` is asked, and what it answers. */
export interface ScanQuestion {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}
export type ScanAnswer = { readonly rows: Rows } | { readonly code: string; readonly message: string }

type Rows = ReadonlyArray<ReadonlyArray<unknown>>
type Run = (statement: Statement.Statement<object>) => Effect.Effect<Rows, SqlError.SqlError>

/** Long statements at one time; on PostgreSQL each holds a connection of the pool. */
const atOnce = 3

/**
 * Where reads go that may look at every task of a project: on SQLite to a thread of their own, started by the first
 * of them, so that the event loop goes on; on PostgreSQL to the pool, a few at a time, so that others find a
 * connection. An in-memory SQLite has one connection only, and reads with that.
 */
export class Scans extends Effect.Service<Scans>()("svc/tasks/Scans", {
  scoped: Effect.gen(function*() {
    const { sqlite } = yield* Database
    const few = yield* Effect.makeSemaphore(atOnce)
    const values: Run = sqlite === null || sqlite.file === ":memory:"
      ? (statement) => few.withPermits(1)(statement.values)
      : yield* onThread(sqlite.file)
    return { values } as const
  })
}) {
  static readonly layer = this.Default
}

class ThreadError extends Error {
  override readonly name = "ScanThreadError"
  readonly code: string
  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

const failed = (message: string, code: string) =>
  Effect.fail(new SqlError.SqlError({ cause: new ThreadError(message, code), message: "Failed to execute statement" }))

const onThread = (file: string): Effect.Effect<Run, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Thread(file)),
      (thread) => Effect.promise(() => thread.stop())
    ),
    (thread): Run => (statement) => {
      const [text, params] = statement.compile()
      return Effect.async((resume) => {
        const forget = thread.ask({ text, params, resume })
        return Effect.sync(forget)
      })
    }
  )

interface Asked {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
  readonly resume: (answer: Effect.Effect<Rows, SqlError.SqlError>) => void
}

/**
 * The thread and what it was asked. It is given one statement at a time: what nobody waits for any more is never run.
 * A thread that dies fails the statement it had; the next one starts another.
 */
class Thread {
  readonly file: string
  private worker: Worker | null = null
  private current: Asked | null = null
  private readonly waiting = new Set<Asked>()

  constructor(file: string) {
    this.file = file
  }

  /** Answers how to take the question back. */
  ask(asked: Asked): () => void {
    this.waiting.add(asked)
    this.next()
    return () => void this.waiting.delete(asked)
  }

  async stop(): Promise<void> {
    await this.worker?.terminate()
  }

  private next(): void {
    const [asked] = this.waiting
    if (asked === undefined || this.current !== null) return
    this.waiting.delete(asked)
    this.current = asked
    this.worker ??= this.start()
    this.worker.postMessage({ text: asked.text, params: asked.params } satisfies ScanQuestion)
  }

  private start(): Worker {
    const worker = new Worker(workerFile("Scan", import.meta.url), { workerData: this.file })
    worker.unref()
    worker.on("message", (answer: ScanAnswer) =>
      this.settle("rows" in answer ? Effect.succeed(answer.rows) : failed(answer.message, answer.code)))
    worker.on("error", (cause) => this.lost(worker, String(cause)))
    worker.on("exit", () => this.lost(worker, "the thread ended"))
    return worker
  }

  private settle(answer: Effect.Effect<Rows, SqlError.SqlError>): void {
    const asked = this.current
    this.current = null
    asked?.resume(answer)
    this.next()
  }

  private lost(worker: Worker, why: string): void {
    if (this.worker !== worker) return
    this.worker = null
    this.settle(failed(why, "SQLITE_IOERR"))
  }
}
