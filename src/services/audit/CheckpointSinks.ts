import { FileSystem } from "@effect/platform"
import type { PlatformError } from "@effect/platform/Error"
import type { SqlError } from "@effect/sql"
import { Data, Effect, Either, Logger, LogLevel, Option, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { Leader, Lease, type LeaseLost } from "../kernel/concurrency/Leader.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { AuditOutbound } from "../kernel/Outbound.ts"
import * as Outbox from "../kernel/Outbox.ts"
import { replaceFile } from "../kernel/ReplaceFile.ts"
import { Settings } from "../kernel/Settings.ts"
import {
  appendLine,
  checkpointLeaseName,
  checkpointPath,
  parseCheckpoint,
  readLastCheckpoint,
  readLineAt
} from "./CheckpointFile.ts"

class SinkFailed extends Data.TaggedError("SinkFailed")<{ readonly message: string }> {}

/** A sink has received a stream's checkpoints up to this number; the next line begins at the byte `next`. */
const Position = Schema.parseJson(Schema.Struct({ stream: Schema.UUID, number: Schema.Int, next: Schema.Int }))
type Position = typeof Position.Type

/** A line to send, or null for one that is damaged; and the position after it. */
interface Pending {
  readonly line: string | null
  readonly next: Position
}

type DeliveryError = LeaseLost | PlatformError | SqlError.SqlError

/** What the file ends with. */
type LastCheckpoint = NonNullable<Effect.Effect.Success<ReturnType<typeof readLastCheckpoint>>>

/**
 * Additional destinations of checkpoints: standard output, other files, webhooks. The checkpoint file is their queue. Each
 * sink has a position in it, stored beside it, so an outage or a restart loses nothing. A checkpoint that was sent just
 * before a crash may arrive twice in a row.
 */
export class CheckpointSinks extends Effect.Service<CheckpointSinks>()("svc/audit/Sinks", {
  effect: Effect.gen(function*() {
    const leader = yield* Leader
    const settings = yield* Settings
    const fs = yield* FileSystem.FileSystem
    const metrics = yield* Metrics
    const outbound = yield* AuditOutbound
    const path = checkpointPath(settings)

    const sendToStdout = (line: string) =>
      Effect.logInfo("audit checkpoint").pipe(
        Effect.annotateLogs({ logger: "audit_checkpoint", checkpoint: line }),
        Logger.withMinimumLogLevel(LogLevel.Info) // it counts as delivered, so SVC_LOG_LEVEL must not suppress it
      )

    const sendToFile = (path: string) => (line: string) =>
      appendLine(path, (last) => Effect.succeed(last === line ? null : line)) // a crash may have come after the write and before the position

    const sendToWebhook = (url: string) => (line: string) =>
      Effect.flatMap(
        outbound.call({
          url,
          method: "POST",
          headers: { "content-type": "application/json" },
          body: line,
          plainHttp: settings.webhookAllowHttp
        }),
        ({ status }) =>
          status >= 200 && status < 300 ? Effect.void : new SinkFailed({ message: `it answered ${status}` })
      )

    /** `target` identifies the sink among others of its kind. It may be secret. */
    const makeSink = Effect.fnUntraced(function*<E, R>(
      name: string,
      target: string,
      send: (line: string) => Effect.Effect<unknown, E, R>
    ) {
      const mutex = yield* Effect.makeSemaphore(1)
      const id = createHash("sha256").update(target).digest("hex").slice(0, 16)
      const positionPath = `${path}.sent-${id}`
      let pendingCount = 0
      const setPending = (count: number) => metrics.auditCheckpointsWaiting.set({ sink: name }, pendingCount = count)

      /** Only under the lease: a process that stood still would put the position back, and lines would be sent again. */
      const savePosition = (position: Position) =>
        Effect.flatMap(
          Lease,
          ({ check }) =>
            replaceFile({ path: positionPath, text: Schema.encodeSync(Position)(position), beforeRename: () => check })
        )

      /** The sink's position in the file that ends with this checkpoint. A new sink begins with this checkpoint. */
      const readPosition = Effect.fnUntraced(function*({ begin, checkpoint: { number, stream } }: LastCheckpoint) {
        const text = (yield* fs.exists(positionPath)) ? yield* fs.readFileString(positionPath) : ""
        const position = Either.getOrNull(Schema.decodeEither(Position)(text))
        if (position !== null && position.stream !== stream) {
          return { begins: "stream", stream, number: 0, next: 0 } as const
        }
        if (position !== null && position.number <= number) return { begins: null, ...position } as const
        return { begins: "sink", stream, number: number - 1, next: begin } as const
      })

      /** `missed`: checkpoints of the previous file that the sink has not received. */
      const claimAfter = (missed: number) =>
        Effect.gen(function*() {
          const last = yield* readLastCheckpoint(path)
          if (last === null) return Option.none()
          const { begins, ...position } = yield* readPosition(last)
          if (begins !== null) yield* savePosition(position)
          if (begins === "stream") metrics.auditCheckpointsDropped.inc({ sink: name }, missed)
          setPending(last.checkpoint.number - position.number)
          const nextLine = position.number >= last.checkpoint.number ? null : yield* readLineAt(path, position.next)
          if (nextLine === null) return Option.none()
          const checkpoint = parseCheckpoint(nextLine.line)
          const next = { ...position, number: checkpoint?.number ?? position.number, next: nextLine.end }
          return Option.some({ line: checkpoint === null ? null : nextLine.line, next })
        })

      const outboxAfter = (
        missed: number
      ): Outbox.Outbox<Pending, E, E | DeliveryError, R | Lease | FileSystem.FileSystem> => ({
        claim: claimAfter(missed),
        send: ({ line }) => (line === null ? Effect.void : send(line)),
        remove: ({ next }) => savePosition(next),
        // the loop retries with back-off, without end: a checkpoint is never given up
        onFailure: (_, failure) => Effect.fail(failure)
      })

      /** Sends the checkpoints that the sink has not received yet, in order. Fails when the sink refuses one. */
      const deliver = Effect.gen(function*() {
        const last = yield* readLastCheckpoint(path)
        if (last === null) return
        const { begins, number } = yield* readPosition(last)
        const missed = begins === "stream" ? pendingCount : 0
        setPending(last.checkpoint.number - number)
        // of the processes of one machine, which share the file, one sends at a time
        const lease = `${yield* checkpointLeaseName(path)} sink ${id}`
        if (pendingCount > 0) yield* leader.only(lease, Outbox.deliver(outboxAfter(missed)))
      }).pipe(mutex.withPermits(1), Effect.provideService(FileSystem.FileSystem, fs))
      return { name, deliver }
    })

    const { auditCheckpointWebhookUrls } = settings
    const urls = auditCheckpointWebhookUrls === null ? [] : Redacted.value(auditCheckpointWebhookUrls).split(",")
    return {
      all: [
        ...yield* Effect.forEach(
          settings.auditCheckpointSinks,
          (sink, index) =>
            sink === "stdout"
              ? makeSink("stdout", sink, sendToStdout)
              : makeSink(`file ${index + 1}`, sink, sendToFile(sink))
        ),
        ...yield* Effect.forEach(
          urls,
          (url, index) => makeSink(`webhook ${index + 1}`, url.trim(), sendToWebhook(url.trim()))
        )
      ]
    }
  })
}) {
  static readonly layer = this.Default
}
