import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Clock, Data, Effect, Either, Layer, Option } from "effect"
import { hash, randomUUID } from "node:crypto"
import { system } from "../../domain/kernel/Actor.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Leader, Lease, type LeaseLost } from "../kernel/concurrency/Leader.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { Keys } from "../kernel/keys/Keys.ts"
import type { SigningKeys } from "../kernel/keys/SigningKeys.ts"
import { Settings, type SettingsShape } from "../kernel/Settings.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { Audit } from "./Audit.ts"
import { genesis, type Link, zeroHash } from "./Chain.ts"
import { chainStart } from "./ChainState.ts"
import { type HeadLink, isAuthenticHead } from "./ChainWriter.ts"
import { appendLine, checkpointLeaseName, checkpointPath, parseCheckpoint } from "./CheckpointFile.ts"
import { CheckpointSinks } from "./CheckpointSinks.ts"
import { describeMissing, type KnownRow, LogContradicted } from "./CommittedHead.ts"
import { type Checkpoint, signStatement, statementHash } from "./Statement.ts"

/** A lock or a lease that another connection keeps must not prevent checkpoints without a sign of it. */
export class AuditLogLocked extends Data.TaggedError("AuditLogLocked") {
  override get message() {
    return `no checkpoint could be signed for ${signTimeout}, because something holds a lock on the audit log's tables, ` +
      "or the lease of the checkpoint file"
  }
}

const signTimeout = "10 seconds"

/**
 * Shorter than `signTimeout`: when a process dies while it appends, the others of its machine continue without a
 * failure.
 */
const leaseDuration = "5 seconds"

interface CurrentHead extends HeadLink {
  readonly watermark: string | null
}

interface HeadObservation {
  /** The newest row that this process knew to be committed before it read the head. */
  readonly before: KnownRow | null
  readonly now: CurrentHead
  readonly ending: boolean
}

/** The link that the log begins after, if its watermark has a trusted signature. */
const chainStartOf = (watermark: string | null, keys: SigningKeys): Link =>
  Either.getOrElse(chainStart({ watermark }, keys), () => genesis)

/** How the log lacks a row that was in it, or null. */
const describeMissingRow = (known: KnownRow) =>
  Effect.gen(function*() {
    const sql = yield* Reader
    const { auditSigning } = yield* Keys
    const [row] = yield* sql<{ row_hash: string | null; watermark: string | null }>`
      SELECT (SELECT row_hash FROM audit_log WHERE seq = ${known.seq}) AS row_hash,
        (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark`
    return describeMissing(known, {
      row_hash: row?.row_hash ?? null,
      begin: chainStartOf(row?.watermark ?? null, auditSigning)
    })
  })

/** Fails with LogContradicted unless the log has the row that the checkpoint names, or it was pruned. */
export const requireRowInLog = (checkpoint: Checkpoint) =>
  Effect.flatMap(describeMissingRow(checkpoint), (how) =>
    how === null
      ? Effect.void
      : new LogContradicted({
        message: `checkpoint ${checkpoint.number} was signed for row ${checkpoint.seq}, and the audit log ${how}`
      }))

/** The processes of one machine share the file. One that finds another appending waits for it. */
const withFileLease = <A, E, R>(
  leader: Leader,
  name: string,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | LeaseLost, Exclude<R, Lease>> =>
  Effect.flatMap(
    leader.only(name, work, { duration: leaseDuration }),
    Option.match({
      onNone: () => Effect.delay(Effect.suspend(() => withFileLease(leader, name, work)), "50 millis"),
      onSome: Effect.succeed
    })
  )

const readHead = Effect.flatMap(Reader, (read) =>
  Effect.map(
    read<CurrentHead>`SELECT seq, row_hash, prev_row_hmac, row_hmac, key_id,
      (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark
      FROM audit_head WHERE id = 1`,
    ([row]) => row
  ))

const isDue = (
  rate: Pick<SettingsShape, "auditCheckpointInterval" | "auditCheckpointRows">,
  now: CurrentHead,
  last: Checkpoint,
  millis: number
): boolean => {
  if (now.seq - last.seq >= rate.auditCheckpointRows) return true
  const age = millis - Timestamp.toEpochMillis(last.time)
  return age >= rate.auditCheckpointInterval * 1000 || age < 0 // the clock was set back; do not wait until it has caught up
}

const signCheckpoint = (
  keys: SigningKeys,
  last: Checkpoint | null,
  { row_hash, seq }: KnownRow,
  watermark: string | null
) =>
  Effect.map(Timestamp.now, (time) =>
    signStatement(keys.signer, {
      kind: "checkpoint",
      number: (last?.number ?? 0) + 1,
      prev: last === null ? zeroHash : statementHash(last),
      row_hash,
      rows: seq - chainStartOf(watermark, keys).seq,
      seq,
      stream: last?.stream ?? randomUUID(),
      time
    }))

/** How the log differs from the one that this process wrote to, or null. */
const describeLoss = (knownHead: KnownRow | null, now: CurrentHead) =>
  Effect.gen(function*() {
    if (knownHead === null) return null
    const mismatch = now.seq < knownHead.seq ? `ends at row ${now.seq}` : yield* describeMissingRow(knownHead)
    return mismatch === null
      ? null
      : `this brain committed row ${knownHead.seq} of the audit log, and the log ${mismatch}`
  })

/** Records each signing key that the database does not have yet in the log, with its public key. */
const makeSigningKeyRecord = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* Audit
  const { auditSigning } = yield* Keys
  return Effect.gen(function*() {
    const recordedKeys = yield* sql<{ key_id: string }>`SELECT key_id FROM audit_keys WHERE purpose = 'signing'`
    for (const { key_id, public_key } of auditSigning.trusted.values()) {
      if (recordedKeys.some((one) => one.key_id === key_id)) continue
      const created_at = yield* Timestamp.now
      const insertedRows = yield* sql`INSERT INTO audit_keys ${
        sql.insert({ key_id, purpose: "signing", state: "active", public_key, created_at })
      } ON CONFLICT DO NOTHING RETURNING key_id`
      if (insertedRows.length === 0) continue
      yield* audit.record({
        action: "audit.signing_key_added",
        target_type: "audit_log",
        metadata: { key_id, public_key }
      })
    }
  }).pipe(sql.withTransaction, orDieOnSql, Effect.provideService(CurrentActor, system("checkpoints")))
})

/**
 * Signs the log's newest row at an interval or after a number of rows, and appends the checkpoint to a file outside the
 * database, which the sinks read. Each SVC_HOME has its own chain of checkpoints, so replicas witness each other.
 */
export class Checkpoints extends Effect.Service<Checkpoints>()("svc/Checkpoints", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const fs = yield* FileSystem.FileSystem
    const audit = yield* Audit
    const keys = yield* Keys
    const { auditChain, auditSigning } = keys
    const leader = yield* Leader
    const settings = yield* Settings
    const path = checkpointPath(settings)
    const recordSigningKeys = yield* makeSigningKeyRecord
    const mutex = yield* Effect.makeSemaphore(1)
    let lastCheckpointSeen: Checkpoint | undefined
    /** The hash of the checkpoint in our file that contradicts the log. */
    let contradictedHash: string | null = null

    /**
     * The line to append after the last line of the file. If the log lacks a row that this process committed, it is a
     * checkpoint of that row, so the next process on this machine detects the loss too.
     */
    const nextLine = ({ before, ending, now }: HeadObservation) => (line: string | null) =>
      Effect.gen(function*() {
        const last = line === null ? null : parseCheckpoint(line)
        // svc audit fork-cleanup renames the file after it has recorded the decision
        const isDecided = contradictedHash !== null && (last === null || statementHash(last) !== contradictedHash)
        if (isDecided) audit.committedHead.reset()
        const known = isDecided ? null : before
        contradictedHash = null
        if (last !== null) {
          lastCheckpointSeen = last
          yield* Effect.tapError(requireRowInLog(last), () =>
            Effect.sync(() => void (contradictedHash = statementHash(last))))
        }
        const loss = yield* describeLoss(known, now)
        if (loss !== null && known !== null) {
          const evidence = yield* signCheckpoint(auditSigning, last, known, now.watermark)
          contradictedHash = hash("sha256", evidence, "hex")
          return { line: evidence, why: loss }
        }
        const millis = yield* Clock.currentTimeMillis
        const isWanted = last === null
          ? now.seq > 0
          : last.seq < now.seq && (ending || isDue(settings, now, last, millis))
        return { line: isWanted ? yield* signCheckpoint(auditSigning, last, now, now.watermark) : null, why: loss }
      })

    const append = (observation: HeadObservation) =>
      Effect.gen(function*() {
        let loss: string | null = null
        const line = yield* withFileLease(
          leader,
          yield* checkpointLeaseName(path),
          appendLine(path, (last) =>
            Effect.gen(function*() {
              const { line, why } = yield* nextLine(observation)(last)
              loss = why
              // a process that stood still must not append after another one did: the stream would fork
              if (line !== null) yield* (yield* Lease).check
              return line
            }))
        )
        if (loss !== null) return yield* new LogContradicted({ message: loss })
        return line
      })

    const canSkip = ({ before, ending, now }: HeadObservation) =>
      Effect.gen(function*() {
        if (
          contradictedHash !== null || lastCheckpointSeen === undefined || (yield* describeLoss(before, now)) !== null
        ) return false
        if (lastCheckpointSeen.seq === now.seq) return lastCheckpointSeen.row_hash === now.row_hash
        return now.seq > lastCheckpointSeen.seq && !ending &&
          !isDue(settings, now, lastCheckpointSeen, yield* Clock.currentTimeMillis)
      })

    /**
     * Signs a checkpoint when one is due, or at the end if there is a new row; returns the checkpoint. Fails with
     * LogContradicted when the log lacks a row that was signed or committed, or its newest row is not ours. Then
     * nothing is written to the log until the right database is back, or svc audit fork-cleanup has recorded that the
     * loss is accepted.
     */
    const sign = Effect.fn("Checkpoints.sign")(
      function*(ending: boolean) {
        const before = audit.committedHead.newest // read first: a row that is committed later cannot contradict it
        const now = yield* readHead
        if (now === undefined) {
          return before === null
            ? null
            : yield* new LogContradicted({ message: "audit_head has no row, and there was a newest row" })
        }
        if (!isAuthenticHead(auditChain, now)) {
          return yield* new LogContradicted({
            message: `row ${now.seq} of the audit log, the newest one, was not written by us`
          })
        }
        const line = (yield* canSkip({ before, ending, now })) ? null : yield* append({ before, ending, now })
        if (line !== null) lastCheckpointSeen = parseCheckpoint(line) ?? undefined
        audit.committedHead.remember(now)
        yield* audit.resumeWrites
        return line
      },
      Effect.tapErrorTag("LogContradicted", audit.suspendWrites),
      Effect.provideService(Reader, read),
      Effect.provideService(Keys, keys),
      mutex.withPermits(1),
      Effect.disconnect,
      Effect.timeoutFail({ duration: signTimeout, onTimeout: () => new AuditLogLocked() }),
      Effect.provideService(FileSystem.FileSystem, fs),
      orDieOnSql
    )

    return { path, recordSigningKeys, sign } as const
  })
}) {
  static readonly layer = this.Default

  /** Checks every second whether a checkpoint is due. At its end the brain signs a last one and sends what it can. */
  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const audit = yield* Audit
    const checkpoints = yield* Checkpoints
    const sinks = yield* CheckpointSinks
    // before any write: the database may have been replaced since this machine signed for it
    yield* Effect.ignoreLogged(checkpoints.sign(false))
    if ((yield* audit.suspendReason) === null) yield* checkpoints.recordSigningKeys
    yield* loops.every("audit checkpoints", "1 second", checkpoints.sign(false), { longestPause: "5 seconds" })
    for (const { deliver, name } of sinks.all) yield* loops.every(`audit checkpoints: ${name}`, "1 second", deliver)
    const atEnd = <E>(work: Effect.Effect<unknown, E>) =>
      work.pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"), Effect.ignoreLogged)
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        atEnd(checkpoints.sign(true)),
        Effect.forEach(sinks.all, ({ deliver }) => atEnd(deliver), { concurrency: "unbounded" })
      )
    )
  })).pipe(Layer.provide([this.layer, CheckpointSinks.layer]))
}
