/**
 * A thread with its own read connection, for statements that may read every task of a project: a SQLite driver
 * blocks its thread, and nothing else waits for this one.
 */
import { parentPort, workerData } from "node:worker_threads"
import { openSqlite } from "../../sqlite/Driver.ts"
import { errorCode } from "../kernel/sql/Database.ts"
import type { ScanRequest, ScanResponse } from "./Scans.ts"

// the cast: `Scans.ts` starts this thread with the path of the database
const db = openSqlite(workerData as string, { access: "read", timeout: 5000 })
db.exec("PRAGMA cache_size = -16384")
db.exec("PRAGMA mmap_size = 2147418112") // SQLite's maximum: pages beyond it are copied, which is a tenth of a walk's time
db.exec("PRAGMA temp_store = MEMORY")

const runScan = ({ params, text }: ScanRequest): ScanResponse => {
  try {
    return { rows: db.prepare<ReadonlyArray<unknown>, ReadonlyArray<unknown>>(text, "array").all(...params) }
  } catch (cause) {
    return { code: errorCode(cause), message: String(cause) }
  }
}

parentPort?.on("message", (request: ScanRequest) => parentPort?.postMessage(runScan(request)))
