import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Clock, Data, Effect, Either, Layer } from "effect"
import { hash, randomUUID } from "node:crypto"
import { system } from "../../domain/Actor.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import { CurrentActor } from "../CurrentActor.ts"
import { orDieOnSql, Reader } from "../Database.ts"
import { Keys } from "../Keys.ts"
import { Loops } from "../Loops.ts"
import { Settings } from "../Settings.ts"
import { type HeadLink, isOurs } from "./Append.ts"
import { genesis, type Link, zeros } from "./Chain.ts"
import { appendLine, checkpointPath, readCheckpoint } from "./CheckpointFile.ts"
import { howItLacks, type KnownRow, LogContradicted } from "./Committed.ts"
import type { SigningKeys } from "./SigningKeys.ts"
import { CheckpointSinks } from "./Sinks.ts"
import { beginning } from "./State.ts"
import { type Checkpoint, hashOf, signed } from "./Statement.ts"

/** Whoever holds a lock must not be able to keep checkpoints away without a sign of it. */
export class LogHeld extends Data.TaggedError("LogHeld") {
  override get message() {
    return `no checkpoint could be signed for ${patience}, because something holds a lock on the audit log's tables`
  }
}

const patience = "10 seconds"

interface Current extends HeadLink {
  readonly watermark: string | null
}

interface Look {
  /** The newest row that was known to be committed before the head was read. */
  readonly before: KnownRow | null
  readonly now: Current
  readonly ending: boolean
}

const lockKey = 7_700_003

/** The link that the log begins after, if its watermark is ours. */
const begins = (watermark: string | null, keys: SigningKeys): Link =>
  Either.getOrElse(beginning({ watermark }, keys), () => genesis)

/** How the log lacks a row that was in it, or null. */
const lackOf = (known: KnownRow) =>
  Effect.gen(function*() {
    const sql = yield* Reader
    const { auditSigning } = yield* Keys
    const [found] = yield* sql<{ row_hash: string | null; watermark: string | null }>`
      SELECT (SELECT row_hash FROM audit_log WHERE seq = ${known.seq}) AS row_hash,
        (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark`
    return howItLacks(known, { row_hash: found?.row_hash ?? null, begin: begins(found?.watermark ?? null, auditSigning) })
  })

/** Fails with LogContradicted unless the log has the row that the checkpoint names, or it was pruned. */
export const checkContained = (checkpoint: Checkpoint) =>
  Effect.flatMap(lackOf(checkpoint), (how) =>
    how === null
      ? Effect.void
      : new LogContradicted({ message: `checkpoint ${checkpoint.number} was signed for row ${checkpoint.seq}, and the audit log ${how}` }))

/**
 * Signs where the log is, from time to time and after so many rows, and appends that to a file outside the database,
 * from which the sinks have it. Each SVC_HOME has a chain of checkpoints of its own, so replicas witness each other.
 */
export class Checkpoints extends Effect.Service<Checkpoints>()("svc/Checkpoints", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const fs = yield* FileSystem.FileSystem
    const audit = yield* Audit
    const keys = yield* Keys
    const { auditChain, auditSigning } = keys
    const settings = yield* Settings
    const path = checkpointPath(settings)
    const one = yield* Effect.makeSemaphore(1)
    let seen: Checkpoint | undefined
    /** The hash of the checkpoint in our file that contradicts the log. */
    let contradicted: string | null = null

    /** The processes of one machine share the file; on SQLite there is only one. */
    const alone = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      sql.onDialectOrElse({
        pg: () => sql.withTransaction(Effect.zipRight(sql`SELECT pg_advisory_xact_lock(${lockKey})`, work)),
        orElse: () => work
      })

    const current = Effect.map(
      read<Current>`SELECT seq, row_hash, prev_row_hmac, row_hmac, key_id,
        (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark
        FROM audit_head WHERE id = 1`,
      ([row]) => row
    )

    const isDue = (now: Current, last: Checkpoint, millis: number): boolean => {
      if (now.seq - last.seq >= settings.auditCheckpointRows) return true
      const age = millis - Timestamp.toEpochMillis(last.time)
      return age >= settings.auditCheckpointInterval * 1000 || age < 0 // the clock was set back: not to wait for it
    }

    const checkpoint = (last: Checkpoint | null, { row_hash, seq }: KnownRow, watermark: string | null) =>
      Effect.map(Timestamp.now, (time) =>
        signed(auditSigning.signer, {
          kind: "checkpoint",
          number: (last?.number ?? 0) + 1,
          prev: last === null ? zeros : hashOf(last),
          row_hash,
          rows: seq - begins(watermark, auditSigning).seq,
          seq,
          stream: last?.stream ?? randomUUID(),
          time
        }))

    /** Why the log is not the one that this process wrote to, or null. */
    const lost = (known: KnownRow | null, now: Current) =>
      Effect.gen(function*() {
        if (known === null) return null
        const how = now.seq < known.seq ? `ends at row ${now.seq}` : yield* lackOf(known)
        return how === null ? null : `this brain committed row ${known.seq} of the audit log, and the log ${how}`
      })

    /**
     * Given the last line of the file, the line to append. When the log lacks what this process committed, that is a
     * checkpoint of the row that is gone: so the next process on this machine knows of it too.
     */
    const next = ({ before, ending, now }: Look) => (line: string | null) =>
      Effect.gen(function*() {
        const last = line === null ? null : readCheckpoint(line)
        // svc audit fork-cleanup puts the file aside after it has recorded the decision
        const isDecided = contradicted !== null && (last === null || hashOf(last) !== contradicted)
        if (isDecided) audit.known.forget()
        const known = isDecided ? null : before
        contradicted = null
        if (last !== null) {
          seen = last
          yield* Effect.tapError(checkContained(last), () => Effect.sync(() => void (contradicted = hashOf(last))))
        }
        const why = yield* lost(known, now)
        if (why !== null && known !== null) {
          const evidence = yield* checkpoint(last, known, now.watermark)
          contradicted = hash("sha256", evidence, "hex")
          return { line: evidence, why }
        }
        if (last !== null) {
          if (last.seq >= now.seq) return { line: null, why }
          if (!ending && !isDue(now, last, yield* Clock.currentTimeMillis)) return { line: null, why }
        }
        return { line: now.seq === 0 ? null : yield* checkpoint(last, now, now.watermark), why }
      })

    const append = (look: Look) =>
      Effect.gen(function*() {
        let lacking: string | null = null
        const line = yield* alone(appendLine(path, (last) =>
          Effect.map(next(look)(last), ({ line, why }) => {
            lacking = why
            return line
          })))
        if (lacking !== null) return yield* new LogContradicted({ message: lacking })
        return line
      })

    const isQuiet = ({ before, ending, now }: Look) =>
      Effect.gen(function*() {
        if (contradicted !== null || seen === undefined || (yield* lost(before, now)) !== null) return false
        if (seen.seq === now.seq) return seen.row_hash === now.row_hash
        return now.seq > seen.seq && !ending && !isDue(now, seen, yield* Clock.currentTimeMillis)
      })

    /**
     * Signs a checkpoint when one is due, or at the end when there is any new row; answers it. Fails with LogContradicted
     * when the log lacks what was signed or committed, or its newest row is not ours; then nothing is written to it until
     * it is as it was, or svc audit fork-cleanup has recorded that it is meant.
     */
    const sign = Effect.fn("Checkpoints.sign")(function*(ending: boolean) {
      const before = audit.known.newest // read first: what is committed after it contradicts nothing
      const now = yield* current
      if (now === undefined) {
        return before === null ? null : yield* new LogContradicted({ message: "audit_head has no row, and there was a newest row" })
      }
      if (!isOurs(auditChain, now)) {
        return yield* new LogContradicted({ message: `row ${now.seq} of the audit log, the newest one, was not written by us` })
      }
      const line = (yield* isQuiet({ before, ending, now })) ? null : yield* append({ before, ending, now })
      if (line !== null) seen = readCheckpoint(line) ?? undefined
      audit.known.remember(now)
      yield* audit.resume
      return line
    }, Effect.tapErrorTag("LogContradicted", audit.refuse), Effect.provideService(Reader, read), Effect.provideService(Keys, keys),
      one.withPermits(1), Effect.disconnect, Effect.timeoutFail({ duration: patience, onTimeout: () => new LogHeld() }),
      Effect.provideService(FileSystem.FileSystem, fs), orDieOnSql)

    /** Signing keys that the database does not know yet go into the log, with their public half. */
    const announce = Effect.gen(function*() {
      const known = yield* sql<{ key_id: string }>`SELECT key_id FROM audit_keys WHERE purpose = 'signing'`
      for (const { key_id, public_key } of auditSigning.trusted.values()) {
        if (known.some((one) => one.key_id === key_id)) continue
        const created_at = yield* Timestamp.now
        const added = yield* sql`INSERT INTO audit_keys ${
          sql.insert({ key_id, purpose: "signing", state: "active", public_key, created_at })
        } ON CONFLICT DO NOTHING RETURNING key_id`
        if (added.length === 0) continue
        yield* audit.record({ action: "audit.signing_key_added", target_type: "audit_log", metadata: { key_id, public_key } })
      }
    }).pipe(sql.withTransaction, orDieOnSql, Effect.provideService(CurrentActor, system("checkpoints")))

    return { path, announce, sign } as const
  })
}) {
  static readonly layer = this.Default

  /** Looks every second whether a checkpoint is due; when the brain ends it signs a last one and sends what it can. */
  static readonly loop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const audit = yield* Audit
    const checkpoints = yield* Checkpoints
    const sinks = yield* CheckpointSinks
    // before anything is written: the log may be another one than it was when this machine signed for it
    yield* Effect.ignoreLogged(checkpoints.sign(false))
    if ((yield* audit.refusal) === null) yield* checkpoints.announce
    yield* loops.every("audit checkpoints", "1 second", checkpoints.sign(false), { longestPause: "5 seconds" })
    for (const { deliver, name } of sinks.all) yield* loops.every(`audit checkpoints: ${name}`, "1 second", deliver)
    const atEnd = <E>(work: Effect.Effect<unknown, E>) =>
      work.pipe(Effect.interruptible, Effect.timeoutOption("2 seconds"), Effect.ignoreLogged)
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        atEnd(checkpoints.sign(true)),
        Effect.forEach(sinks.all, ({ deliver }) => atEnd(deliver), { concurrency: "unbounded" })
      ))
  })).pipe(Layer.provide(CheckpointSinks.layer))
}
