import { Cause, type Context, Data, Effect, Exit, Layer, Option, Stream } from "effect"
import { ValidationFailed } from "../../../domain/kernel/Errors.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { isLeaseLost, Leader, Lease } from "../../kernel/concurrency/Leader.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import type { CountedFile } from "../../kernel/Export/Formats.ts"
import { Settings } from "../../kernel/Settings.ts"
import type { ExportKind } from "./Kinds.ts"
import { type JobChanges, makeExportJobsRepo } from "./Repo.ts"
import type { JobRow } from "./Row.ts"

/** A chunk is a row of the database: large enough for speed, small enough that a write takes milliseconds. */
const chunkBytes = 256 * 1024

/** A larger file ends its export: it might fill the disk of the database. */
const maxFileBytes = 1024 ** 3

const tooLarge = ValidationFailed.at("", "The file would have more than 1 GiB. Export fewer rows, or fewer fields.")

/** An export whose process died this many times is not begun again: it may be what ends the process. */
const maxAttempts = 3

/**
 * An orderly stop of the process counts as no attempt for so long after the export was created. Later it counts: the
 * export may be why the process is stopped, by a probe that it makes fail.
 */
const uncountedStopsSeconds = Timestamp.secondsPerDay

const interruptedText = `The processes that wrote this export ended ${maxAttempts} times before it was complete.`

/** A person deleted the export while its file was written. */
class ExportDeleted extends Data.TaggedError("ExportDeleted")<{}> {}

const isDeleted = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.failureOption(cause), (failure) => failure instanceof ExportDeleted)

/** The export was deleted, or another process writes it. */
const isNoLongerOurs = (cause: Cause.Cause<unknown>): boolean => isLeaseLost(cause) || isDeleted(cause)

/** Splits bytes into chunks of one size; the last one is shorter. */
const rechunk = <E, R>(body: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E, R> => {
  let pending: Array<Uint8Array> = []
  let size = 0
  const takeChunks = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
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
  return Stream.concat(Stream.mapConcat(body, takeChunks), rest)
}

/** The job's `error`: the reason where the person can act on it. The log has the rest. */
const describe = (cause: Cause.Cause<unknown>): string => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  return failure instanceof ValidationFailed
    ? failure.detail
    : "The export could not be written; the brain's log has the cause. Create it again."
}

const noCounts = { total_rows: null, row_count: null, size_bytes: null }

/** Writes the files of a kind's exports, one after the other, and deletes old ones. */
export const makeExportRunner = <E, R>(
  kind: ExportKind,
  /** Counts the rows of a job's file; its body is read once. */
  makeFile: (job: JobRow) => Effect.Effect<CountedFile, E, R>
) =>
  Effect.gen(function*() {
    const repo = yield* makeExportJobsRepo(kind)
    const leader = yield* Leader
    const { exportJobsRetentionDays } = yield* Settings

    const updateJob = (job: JobRow, changes: JobChanges) =>
      Effect.filterOrFail(repo.update(job, changes), (isChanged) => isChanged, () => new ExportDeleted())

    const update = (job: JobRow, changes: JobChanges) =>
      Effect.flatMap(Lease, (lease) => lease.withTransaction(updateJob(job, changes)))

    const deleteFile = (job: JobRow) => Effect.flatMap(Lease, (lease) => repo.deleteFile(job, lease.withTransaction))

    /** Counts the attempt before anything else, so that it counts wherever this process dies. */
    const begin = (job: JobRow) =>
      Effect.gen(function*() {
        const started_at = yield* Timestamp.now
        const counts = { total_rows: null, row_count: 0, size_bytes: 0 }
        yield* update(job, { status: "running", attempts: job.attempts + 1, started_at, ...counts })
        yield* deleteFile(job)
      })

    const fail = (job: JobRow, error: string) =>
      Effect.gen(function*() {
        yield* deleteFile(job)
        yield* update(job, { status: "failed", error, ...noCounts, completed_at: yield* Timestamp.now })
      })

    const write = (job: JobRow) =>
      Effect.gen(function*() {
        const lease = yield* Lease
        const file = yield* makeFile(job)
        yield* update(job, { total_rows: file.rowCount })
        let position = 0
        let size = 0
        yield* Stream.runForEach(
          rechunk(file.body),
          Effect.fnUntraced(function*(bytes) {
            size += bytes.length
            if (size > maxFileBytes) return yield* tooLarge
            yield* lease.withTransaction(Effect.zipRight(
              repo.insertChunk(job, position++, bytes),
              updateJob(job, { size_bytes: size, row_count: file.readRows() })
            ))
          })
        )
        yield* update(job, {
          status: "completed",
          row_count: file.readRows(),
          truncated: file.truncated ? 1 : 0,
          completed_at: yield* Timestamp.now
        })
      })

    /**
     * Gives the export back as it was before this attempt, so that only crashes and errors count. After a lost lease it
     * changes nothing: the export is another's.
     */
    const giveBack = (job: JobRow) =>
      Effect.gen(function*() {
        const lease = yield* Lease
        const created = Timestamp.addSeconds(yield* Timestamp.now, -uncountedStopsSeconds)
        const changes = { status: "pending", attempts: job.attempts, started_at: null, ...noCounts } as const
        yield* lease.withTransaction(repo.updateOpen(job, changes, created))
      }).pipe(Effect.catchAllCause((cause) =>
        isLeaseLost(cause)
          ? Effect.void
          : Effect.logWarning(`an export (${kind.type}) was stopped, and the attempt counts`, cause)
      ))

    const runJob = (job: JobRow) =>
      Effect.gen(function*() {
        if (job.attempts >= maxAttempts) return yield* fail(job, interruptedText)
        const attempt = Effect.zipRight(begin(job), Effect.exit(write(job)))
        const written = yield* Effect.onInterrupt(attempt, () => giveBack(job))
        if (Exit.isSuccess(written)) {
          if (kind.keptFiles !== null) yield* repo.deleteOldest(job.project_id, kind.keptFiles)
          return
        }
        if (Cause.isInterruptedOnly(written.cause) || isNoLongerOurs(written.cause)) return yield* written
        // first: the database may refuse the rest
        yield* Effect.logWarning(`an export (${kind.type}) failed`, written.cause)
        yield* fail(job, describe(written.cause))
      })

    const runUnlessDeleted = (job: JobRow) =>
      Effect.catchAllCause(
        runJob(job),
        (cause) => isDeleted(cause) ? Effect.void : Effect.failCause(cause)
      )

    /** Writes the exports that wait. One that is `running` lost its process, since the leader is this one. */
    const runAll: Effect.Effect<void, unknown, Lease | R> = Effect.zipRight(
      repo.deleteHidden,
      Effect.flatMap(
        repo.findOpen,
        Option.match({
          onNone: () => Effect.void,
          onSome: (job) => Effect.zipRight(runUnlessDeleted(job), Effect.suspend(() => runAll))
        })
      )
    )

    /** Writes every export that waits and deletes those that a person deleted, if no other process does. */
    const run = Effect.flatMap(repo.hasWork, (hasAny) => hasAny ? leader.only(kind.leaseName, runAll) : Effect.void)

    /** Deletes ended exports with their chunks. */
    const prune = Effect.gen(function*() {
      const seconds = exportJobsRetentionDays * Timestamp.secondsPerDay
      yield* repo.deleteEndedBefore(Timestamp.addSeconds(yield* Timestamp.now, -seconds))
    })

    return { run, prune } as const
  })

interface ExportRunner {
  readonly run: Effect.Effect<unknown, unknown>
  readonly prune: Effect.Effect<void, unknown>
}

/** Writes a kind's exports as they come, and deletes old ones, until the scope ends. */
export const runExports = <Id, Runner extends ExportRunner>(kind: ExportKind, tag: Context.Tag<Id, Runner>) =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const runner = yield* tag
    yield* loops.every(kind.leaseName, "1 second", runner.run)
    yield* loops.upkeep(`${kind.leaseName} retention`, "1 hour", runner.prune)
  }))
