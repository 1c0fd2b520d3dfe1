import { SqlError, type Statement } from "@effect/sql"
import { Effect, type Scope } from "effect"
import { Worker } from "node:worker_threads"
import { Database } from "../Database.ts"
import { workerFile } from "../WorkerFile.ts"

/** What `Scan.worker.ts` is asked, and what it answers. */
export interface ScanRequest {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}
export type ScanResponse = { readonly rows: Rows } | { readonly code: string; readonly message: string }

type Rows = ReadonlyArray<ReadonlyArray<unknown>>
type RunStatement = (statement: Statement.Statement<object>) => Effect.Effect<Rows, SqlError.SqlError>

/** Long statements at one time; on PostgreSQL each holds a connection of the pool. */
const maxConcurrentScans = 3

/**
 * Where reads go that may look at every task of a project: on SQLite to a thread of their own, started by the first
 * of them, so that the event loop goes on; on PostgreSQL to the pool, a few at a time, so that others find a
 * connection. An in-memory SQLite has one connection only, and reads with that.
 */
export class Scans extends Effect.Service<Scans>()("svc/tasks/Scans", {
  scoped: Effect.gen(function*() {
    const { sqlite } = yield* Database
    const permits = yield* Effect.makeSemaphore(maxConcurrentScans)
    const run: RunStatement = sqlite === null || sqlite.file === ":memory:"
      ? (statement) => permits.withPermits(1)(statement.values)
      : yield* makeThreadRunner(sqlite.file)
    return { run } as const
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

const failScan = (message: string, code: string) =>
  Effect.fail(new SqlError.SqlError({ cause: new ThreadError(message, code), message: "Failed to execute statement" }))

const makeThreadRunner = (file: string): Effect.Effect<RunStatement, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Thread(file)),
      (thread) => Effect.promise(() => thread.stop())
    ),
    (thread): RunStatement => (statement) => {
      const [text, params] = statement.compile()
      return Effect.async((resume) => {
        const cancel = thread.enqueue({ text, params, resume })
        return Effect.sync(cancel)
      })
    }
  )

interface PendingScan {
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
  private current: PendingScan | null = null
  private readonly queue = new Set<PendingScan>()

  constructor(file: string) {
    this.file = file
  }

  /** Answers how to take the question back. */
  enqueue(asked: PendingScan): () => void {
    this.queue.add(asked)
    this.runNext()
    return () => void this.queue.delete(asked)
  }

  async stop(): Promise<void> {
    await this.worker?.terminate()
  }

  private runNext(): void {
    const [asked] = this.queue
    if (asked === undefined || this.current !== null) return
    this.queue.delete(asked)
    this.current = asked
    this.worker ??= this.start()
    this.worker.postMessage({ text: asked.text, params: asked.params } satisfies ScanRequest)
  }

  private start(): Worker {
    const worker = new Worker(workerFile("Scan", import.meta.url), { workerData: this.file })
    worker.unref()
    worker.on("message", (answer: ScanResponse) =>
      this.resolve("rows" in answer ? Effect.succeed(answer.rows) : failScan(answer.message, answer.code)))
    worker.on("error", (cause) => this.onExit(worker, String(cause)))
    worker.on("exit", () => this.onExit(worker, "the thread ended"))
    return worker
  }

  private resolve(answer: Effect.Effect<Rows, SqlError.SqlError>): void {
    const asked = this.current
    this.current = null
    asked?.resume(answer)
    this.runNext()
  }

  private onExit(worker: Worker, why: string): void {
    if (this.worker !== worker) return
    this.worker = null
    this.resolve(failScan(why, "SQLITE_IOERR"))
  }
}
