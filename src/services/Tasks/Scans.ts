import { SqlError, type Statement } from "@effect/sql"
import { Effect, type Scope } from "effect"
import { Database } from "../Database.ts"
import { workerFile } from "../WorkerFile.ts"
import { makeWorkerThread } from "../WorkerThread.ts"

/** The messages to and from `Scan.worker.ts`. */
export interface ScanRequest {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}
export type ScanResponse = { readonly rows: Rows } | { readonly code: string; readonly message: string }

type Rows = ReadonlyArray<ReadonlyArray<unknown>>
type RunStatement = (statement: Statement.Statement<object>) => Effect.Effect<Rows, SqlError.SqlError>

/** Concurrent long statements; on PostgreSQL each holds a connection of the pool. */
const maxConcurrentScans = 3

/**
 * Runs reads that may read every task of a project. On SQLite in their own thread, started by the first read, so that
 * the event loop is not blocked. On PostgreSQL through the pool, a few at a time, so that other requests find a
 * connection. An in-memory SQLite has only one connection, which runs the reads too.
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

/** Has SQLite's code, by which `isUnavailable` distinguishes a full disk from a wrong statement. */
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
