import { SqlError, type Statement } from "@effect/sql"
import { Effect, type Scope } from "effect"
import { Database } from "../Database.ts"
import { workerFile } from "../WorkerFile.ts"
import { makeWorkerThread } from "../WorkerThread.ts"

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

/** Carries SQLite's code, by which `isUnavailable` tells a full disk from a wrong statement. */
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
        Effect.flatMap((response) => "rows" in response ? Effect.succeed(response.rows) : failScan(response.message, response.code))
      )
    }
  )
