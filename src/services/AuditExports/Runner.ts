import { SqlClient } from "@effect/sql"
import { Cause, Effect, Exit, Layer, Option, Stream } from "effect"
import type { ActivityItem } from "../../domain/Activity.ts"
import { ValidationFailed } from "../../domain/Errors.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { AuditExport } from "../Audit/Export.ts"
import { type AuditLogRow, AuditRows } from "../Audit/Rows.ts"
import { AuditSearch, itemOf } from "../Audit/Search.ts"
import { JobRow } from "../AuditExports.ts"
import { Reader } from "../Database.ts"
import { Xlsx } from "../Export/Xlsx.ts"
import { isLeaseLost, Leader, Lease } from "../Leader.ts"
import { Loops } from "../Loops.ts"
import { firstRowOf } from "../Rows.ts"
import { Settings } from "../Settings.ts"
import { deleteChunks, deleteExports } from "./Chunks.ts"

/** One process of all replicas writes exports. */
const leaseName = "audit exports"

/** A chunk is a row of the database: large enough for speed, small enough that a write takes milliseconds. */
const chunkBytes = 256 * 1024

/** An export whose process died this many times is not begun again: it may be what ends the process. */
const maxAttempts = 3

/**
 * An orderly stop of the process counts as no attempt for so long after the export was created. Later it counts: the
 * export may be why the process is stopped, by a probe that it makes fail.
 */
const uncountedStopsSeconds = Timestamp.secondsPerDay

const interruptedText = `The processes that wrote this export ended ${maxAttempts} times before it was complete.`

/** Cuts bytes into chunks of one size; the last one is shorter. */
const rechunk = <E, R>(body: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> => {
  let pending: Array<Uint8Array> = []
  let size = 0
  const cut = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
    pending.push(bytes)
    size += bytes.length
    if (size < chunkBytes) return []
    const all = Buffer.concat(pending)
    const whole = Math.floor(all.length / chunkBytes) * chunkBytes
    pending = [all.subarray(whole)]
    size = all.length - whole
    return Array.from(
      { length: whole / chunkBytes },
      (_, index) => all.subarray(index * chunkBytes, (index + 1) * chunkBytes)
    )
  }
  const rest = Stream.suspend(() => Stream.fromIterable(size === 0 ? [] : [Buffer.concat(pending)]))
  return Stream.concat(Stream.mapConcat(body, cut), rest)
}

/** Writes the files of exports, one after the other, and deletes old ones. */
export class AuditExportRunner extends Effect.Service<AuditExportRunner>()("svc/AuditExportRunner", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const search = yield* AuditSearch
    const auditRows = yield* AuditRows
    const auditExport = yield* AuditExport
    const leader = yield* Leader
    const settings = yield* Settings

    /** The oldest export that has not ended. One that is `running` lost its process, since the leader is this one. */
    const findOpen = firstRowOf(JobRow)(
      read`SELECT * FROM export_jobs WHERE completed_at IS NULL ORDER BY id LIMIT 1`
    )

    const update = (job: JobRow, fields: { readonly status: JobRow["status"] } & Partial<JobRow>) =>
      Effect.flatMap(
        Lease,
        (lease) => lease.withTransaction(sql`UPDATE export_jobs SET ${sql.update(fields)} WHERE id = ${job.id}`)
      )

    const deleteFile = (job: JobRow) =>
      Effect.flatMap(Lease, (lease) => deleteChunks(sql, job.id, lease.withTransaction))

    /** Counts the attempt before anything else, so that it counts wherever this process dies. */
    const begin = (job: JobRow) =>
      Effect.gen(function*() {
        const started_at = yield* Timestamp.now
        yield* update(job, { status: "running", attempts: job.attempts + 1, started_at, size_bytes: 0 })
        yield* deleteFile(job)
      })

    const fail = (job: JobRow, error: string) =>
      Effect.gen(function*() {
        yield* deleteFile(job)
        yield* update(job, { status: "failed", error, size_bytes: null, completed_at: yield* Timestamp.now })
      })

    /** As the creator saw rows when they asked: addresses are for global admins. */
    const viewOf = ({ shows_addresses }: JobRow) => (row: AuditLogRow): ActivityItem => ({
      ...itemOf({ kind: "system", name: leaseName })(row),
      ...(shows_addresses === 0 && { source_ip: null })
    })

    const write = (job: JobRow) =>
      Effect.gen(function*() {
        const lease = yield* Lease
        const { action_prefix = "", fields, outcome = null, since, target_id = null, user_id = null } = job.filters
        const after = since === undefined ? null : yield* auditRows.findLastBefore(since)
        const file = yield* auditExport.makeFile(
          search.all({ project_id: job.project_id, action_prefix, outcome, user_id, target_id, after }),
          viewOf(job),
          job.format,
          fields === undefined ? null : fields.join(","),
          settings.auditExportJobMaxRows
        )
        let position = 0
        let size = 0
        yield* Stream.runForEach(rechunk(file.body), (bytes) =>
          Effect.suspend(() => {
            size += bytes.length
            return lease.withTransaction(Effect.zipRight(
              sql`INSERT INTO export_job_chunks ${
                sql.insert({ job_id: job.id, position: position++, content: Buffer.from(bytes).toString("base64") })
              }`,
              sql`UPDATE export_jobs SET size_bytes = ${size} WHERE id = ${job.id}`
            ))
          }))
        yield* update(job, {
          status: "completed",
          row_count: file.rowCount,
          truncated: file.truncated ? 1 : 0,
          completed_at: yield* Timestamp.now
        })
      })

    /** What a person is told: the reason where they can act on it. The log has the rest. */
    const describe = (cause: Cause.Cause<unknown>): string => {
      const failure = Option.getOrUndefined(Cause.failureOption(cause))
      return failure instanceof ValidationFailed
        ? failure.detail
        : "The export could not be written; the brain's log has the cause. Create it again."
    }

    /**
     * Gives the export back as it was before this attempt, so that only crashes and errors count. After a lost lease it
     * changes nothing: the export is another's.
     */
    const giveBack = (job: JobRow) =>
      Effect.gen(function*() {
        const lease = yield* Lease
        const created = Timestamp.addSeconds(yield* Timestamp.now, -uncountedStopsSeconds)
        const fields = { status: "pending", attempts: job.attempts, started_at: null, size_bytes: null } as const
        yield* lease.withTransaction(
          sql`UPDATE export_jobs SET ${sql.update(fields)}
            WHERE id = ${job.id} AND completed_at IS NULL AND created_at > ${created}`
        )
      }).pipe(Effect.catchAllCause((cause) =>
        isLeaseLost(cause)
          ? Effect.void
          : Effect.logWarning("an export of the audit log was stopped, and the attempt counts", cause)
      ))

    const runJob = (job: JobRow) =>
      Effect.gen(function*() {
        if (job.attempts >= maxAttempts) return yield* fail(job, interruptedText)
        const attempt = Effect.zipRight(begin(job), Effect.exit(write(job)))
        const written = yield* Effect.onInterrupt(attempt, () => giveBack(job))
        if (Exit.isSuccess(written)) return
        // a process that lost its lease ends here: the export is another's
        if (Cause.isInterruptedOnly(written.cause) || isLeaseLost(written.cause)) return yield* written
        // first: the database may refuse the rest
        yield* Effect.logWarning("an export of the audit log failed", written.cause)
        yield* fail(job, describe(written.cause))
      })

    const runAll: Effect.Effect<void, unknown, Lease> = Effect.flatMap(
      findOpen,
      Option.match({
        onNone: () => Effect.void,
        onSome: (job) => Effect.zipRight(runJob(job), Effect.suspend(() => runAll))
      })
    )

    /** Writes every export that waits, if no other process does. */
    const run = Effect.flatMap(findOpen, (job) => Option.isNone(job) ? Effect.void : leader.only(leaseName, runAll))

    /** Deletes ended exports with their chunks. */
    const prune = Effect.gen(function*() {
      const cutoff = Timestamp.addSeconds(
        yield* Timestamp.now,
        -settings.exportJobsRetentionDays * Timestamp.secondsPerDay
      )
      yield* deleteExports(sql, sql`completed_at < ${cutoff}`)
    })

    return { run, prune } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([AuditExport.layer, AuditSearch.layer]),
    Layer.provide([AuditRows.layer, Xlsx.layer])
  )

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const runner = yield* AuditExportRunner
    yield* loops.every("audit exports", "1 second", runner.run)
    yield* loops.upkeep("audit exports retention", "1 hour", runner.prune)
  })).pipe(Layer.provide(this.layer))
}
