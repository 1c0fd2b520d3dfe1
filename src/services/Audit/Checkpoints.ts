import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Clock, Data, Effect, Either, Layer } from "effect"
import { randomUUID } from "node:crypto"
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
import type { SigningKeys } from "./SigningKeys.ts"
import { CheckpointSinks } from "./Sinks.ts"
import { beginning } from "./State.ts"
import { type Checkpoint, hashOf, signed } from "./Statement.ts"

/** What was signed once is not in the log any more, or the newest row is not ours: nothing more is signed. */
export class LogContradicted extends Data.TaggedError("LogContradicted")<{ readonly message: string }> {}

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

const lockKey = 7_700_003

/** The link that the log begins after, if its watermark is ours. */
const begins = (watermark: string | null, keys: SigningKeys): Link =>
  Either.getOrElse(beginning({ watermark }, keys), () => genesis)

/** Fails with LogContradicted unless the log has the row that the checkpoint names, or it was pruned. */
export const checkContained = ({ number, row_hash, seq }: Checkpoint) =>
  Effect.gen(function*() {
    const sql = yield* Reader
    const { auditSigning } = yield* Keys
    const [found] = yield* sql<{ row_hash: string | null; watermark: string | null }>`
      SELECT (SELECT row_hash FROM audit_log WHERE seq = ${seq}) AS row_hash,
        (SELECT statement FROM audit_watermark WHERE id = 1) AS watermark`
    const begin = begins(found?.watermark ?? null, auditSigning)
    if (seq < begin.seq) return
    const held = seq === begin.seq ? begin.row_hash : found?.row_hash ?? null
    if (held === row_hash) return
    const how = held === null ? `has no row ${seq}: it was cut` : `has another row ${seq}`
    return yield* new LogContradicted({
      message: `checkpoint ${number} was signed for row ${seq}, and the audit log ${how}. If the database was restored from a copy, ` +
        "see svc audit fork-cleanup; else somebody changed it"
    })
  })

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

    const next = (now: Current, ending: boolean) => (line: string | null) =>
      Effect.gen(function*() {
        const last = line === null ? null : readCheckpoint(line)
        if (last !== null) {
          seen = last
          yield* checkContained(last)
          if (last.seq >= now.seq) return null
          if (!ending && !isDue(now, last, yield* Clock.currentTimeMillis)) return null
        }
        if (now.seq === 0) return null
        if (!isOurs(auditChain, now)) {
          return yield* new LogContradicted({ message: `row ${now.seq} of the audit log, the newest one, was not written by us` })
        }
        return signed(auditSigning.signer, {
          kind: "checkpoint",
          number: (last?.number ?? 0) + 1,
          prev: last === null ? zeros : hashOf(last),
          row_hash: now.row_hash,
          rows: now.seq - begins(now.watermark, auditSigning).seq,
          seq: now.seq,
          stream: last?.stream ?? randomUUID(),
          time: yield* Timestamp.now
        })
      }).pipe(Effect.provideService(Reader, read), Effect.provideService(Keys, keys))

    /** Signs a checkpoint when one is due, or at the end when there is any new row; answers it. */
    const sign = Effect.fn("Checkpoints.sign")(function*(ending: boolean) {
      const now = yield* current
      if (now === undefined) return null
      if (seen !== undefined && seen.seq === now.seq && seen.row_hash === now.row_hash) return null
      if (seen !== undefined && now.seq > seen.seq && !ending && !isDue(now, seen, yield* Clock.currentTimeMillis)) return null
      const line = yield* alone(appendLine(path, next(now, ending)))
      if (line === null) return null
      seen = readCheckpoint(line) ?? undefined
      return line
    }, one.withPermits(1), Effect.disconnect, Effect.timeoutFail({ duration: patience, onTimeout: () => new LogHeld() }),
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
    const checkpoints = yield* Checkpoints
    const sinks = yield* CheckpointSinks
    yield* checkpoints.announce
    yield* loops.every("audit checkpoints", "1 second", checkpoints.sign(false))
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
