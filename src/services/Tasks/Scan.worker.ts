/**
 * A thread with its own read connection, for statements that may read every task of a project: better-sqlite3 blocks
 * its thread, and nothing else waits for this one.
 */
import BetterSqlite3 from "better-sqlite3"
import { parentPort, workerData } from "node:worker_threads"
import type { ScanRequest, ScanResponse } from "./Scans.ts"

// the cast: `Scans.ts` starts this thread with the path of the database
const db = new BetterSqlite3(workerData as string, { readonly: true, timeout: 5000 })
db.pragma("cache_size = -16384")
db.pragma("mmap_size = 2147418112") // SQLite's maximum: pages beyond it are copied, which is a tenth of a walk's time
db.pragma("temp_store = MEMORY")

const runScan = ({ params, text }: ScanRequest): ScanResponse => {
  try {
    // raw mode yields each row as an array of its values
    return { rows: db.prepare(text).raw(true).all(...params) as ReadonlyArray<ReadonlyArray<unknown>> }
  } catch (cause) {
    const code = cause instanceof BetterSqlite3.SqliteError ? cause.code : "UNKNOWN"
    return { code, message: String(cause) }
  }
}

parentPort?.on("message", (request: ScanRequest) => parentPort?.postMessage(runScan(request)))
