import { type Clock, Effect } from "effect"
import type { Progress, ReportProgress } from "../../services/operations/Backup/Archive.ts"

/** Between two lines on a terminal. */
const pauseMillis = 200

const mebibyte = 1_048_576

export const formatSize = (bytes: number): string =>
  bytes < mebibyte ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / mebibyte).toFixed(1)} MiB`

/** How far copying is, over all tables, as one line. */
const formatProgress = (what: string, { rows, table }: Progress, total: { rows: number; bytes: number }): string =>
  `${what}: ${total.rows} rows, ${formatSize(total.bytes)}; ${table} (${rows})`

interface CopyProgress {
  readonly report: ReportProgress
  /** Removes the line. */
  readonly clear: () => void
}

/** Shows the progress on standard error, where that is a terminal. */
const makeCopyProgress = (what: string): Effect.Effect<CopyProgress> =>
  Effect.map(Effect.clock, (clock: Clock.Clock): CopyProgress => {
    if (!process.stderr.isTTY) return { report: () => {}, clear: () => {} }
    const ended = { rows: 0, bytes: 0 }
    let last: Progress = { table: "", rows: 0, bytes: 0 }
    let printedAt = 0
    return {
      report: (progress) => {
        if (progress.table !== last.table) {
          ended.rows += last.rows
          ended.bytes += last.bytes
        }
        last = progress
        const now = clock.unsafeCurrentTimeMillis()
        if (now - printedAt < pauseMillis) return
        printedAt = now
        const total = { rows: ended.rows + progress.rows, bytes: ended.bytes + progress.bytes }
        process.stderr.write(`\r${formatProgress(what, progress, total)}\u001b[K`)
      },
      clear: () => {
        if (printedAt > 0) process.stderr.write("\r\u001b[K")
      }
    }
  })

/** Runs `copy`, which reports how far it is; the line is removed at the end. */
export const withCopyProgress = <A, E, R>(what: string, copy: (report: ReportProgress) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(makeCopyProgress(what), ({ clear, report }) => Effect.ensuring(copy(report), Effect.sync(clear)))
