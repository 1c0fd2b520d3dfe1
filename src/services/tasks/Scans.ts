import { SqlError, type Statement } from "@effect/sql"
import { Effect, type Scope } from "effect"
import { makeFairSemaphore } from "../kernel/concurrency/FairQueue.ts"
import { workerFile } from "../kernel/concurrency/WorkerFile.ts"
import { makeWorkerThread } from "../kernel/concurrency/WorkerThread.ts"
import { Database } from "../kernel/sql/Database.ts"

/** The messages to and from `Scan.worker.ts`. */
export interface ScanRequest {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}
export type ScanResponse = { readonly rows: Rows } | { readonly code: string; readonly message: string }

type Rows = ReadonlyArray<ReadonlyArray<unknown>>
export type RunStatement = (statement: Statement.Statement<object>) => Effect.Effect<Rows, SqlError.SqlError>

/**
 * Concurrent long statements, of all users and of one, so that a user's scan waits for no other user's. On PostgreSQL each
 * holds a connection of the pool, on SQLite each runs on a thread of its own.
 */
const postgresScans = { all: 3, ofUser: 2 }
const threadScans = { all: 2, ofUser: 1 }

/**
 * Runs reads that may read every task of a project. On SQLite in their own threads, started by the first reads, so that
 * the event loop is not blocked. On PostgreSQL through the pool, a few at a time, so that other requests find a
 * connection. An in-memory SQLite has only one connection, which runs the reads too. Users take turns.
 */
export class Scans extends Effect.Service<Scans>()("svc/tasks/Scans", {
  scoped: Effect.gen(function*() {
    const { sqlite } = yield* Database
    const isThread = sqlite !== null && sqlite.file !== ":memory:"
    const { all, ofUser } = isThread ? threadScans : postgresScans
    const inTurn = makeFairSemaphore(all, ofUser)
    const runOne: RunStatement = isThread ? yield* makeThreadsRunner(sqlite.file) : (statement) => statement.values
    const run: RunStatement = (statement) => inTurn(runOne(statement))
    return { run } as const
  })
}) {
  static readonly layer = this.Default
}

/** Has SQLite's code, by which `isUnavailable` distinguishes a full disk from an invalid statement. */
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

/**
 * Runs each statement on a thread that is idle; the semaphore leaves one. A statement cannot be stopped, so its permit is
 * held until it ends, also when its request has ended: clients that leave at once must not fill both threads.
 */
const makeThreadsRunner = (file: string): Effect.Effect<RunStatement, never, Scope.Scope> =>
  Effect.map(Effect.replicateEffect(makeThreadRunner(file), threadScans.all), (runners): RunStatement => {
    const idle = [...runners]
    return (statement) =>
      Effect.suspend(() => {
        const run = idle.pop()
        if (run === undefined) return Effect.dieMessage("there is no thread for scans")
        return Effect.ensuring(run(statement), Effect.sync(() => idle.push(run)))
      }).pipe(Effect.uninterruptible)
  })

const makeThreadRunner = (file: string): Effect.Effect<RunStatement, never, Scope.Scope> =>
  Effect.map(
    makeWorkerThread<ScanRequest, ScanResponse>(workerFile("Scan", import.meta.url), file),
    (request): RunStatement => (statement) => {
      const [text, params] = statement.compile()
      return request({ text, params }).pipe(
        Effect.catchAll(({ message }) => failScan(message, "SQLITE_IOERR")),
        Effect.flatMap((response) =>
          "rows" in response ? Effect.succeed(response.rows) : failScan(response.message, response.code)
        )
      )
    }
  )
