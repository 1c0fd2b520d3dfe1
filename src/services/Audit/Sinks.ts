import { FileSystem } from "@effect/platform"
import { Effect, Queue, Redacted, Schedule } from "effect"
import { Metrics } from "../Metrics.ts"
import { Outbound } from "../Outbound.ts"
import { Settings } from "../Settings.ts"
import { appendLine } from "./CheckpointFile.ts"

/** Checkpoints that wait for a sink that does not answer; the oldest of more are left out. The file has them all. */
const most = 1000

const retries = Schedule.union(Schedule.exponential("1 second"), Schedule.spaced("1 minute"))

/**
 * Where checkpoints go besides their file: standard output, other files, webhooks. Each has its own queue and fiber,
 * and tries again until it succeeds, in order; nothing waits for it. Answers what hands a line to all of them.
 */
export const sinks = Effect.gen(function*() {
  const { auditCheckpointSinks, auditCheckpointWebhookUrls, webhookAllowHttp } = yield* Settings
  const fs = yield* FileSystem.FileSystem
  const metrics = yield* Metrics
  const outbound = yield* Outbound

  const toStdout = (line: string) => Effect.annotateLogs(Effect.logInfo("audit checkpoint"), { logger: "audit_checkpoint", checkpoint: line })

  const toFile = (path: string) => (line: string) =>
    Effect.provideService(
      appendLine(path, (last) => Effect.succeed(last === line ? null : line)), // after a start the last one comes again
      FileSystem.FileSystem,
      fs
    )

  const toWebhook = (url: string) => (line: string) =>
    Effect.flatMap(
      outbound.call({
        url,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: line,
        plainHttp: webhookAllowHttp
      }),
      ({ status }) => (status >= 200 && status < 300 ? Effect.void : Effect.fail({ message: `it answered ${status}` }))
    )

  const missed = (site: string) => ({ message }: { readonly message: string }) =>
    Effect.suspend(() => {
      metrics.swallowedExceptions.inc({ module: "audit_checkpoints", site })
      return Effect.logWarning(`an audit checkpoint did not reach a ${site}, and is sent again: ${message}`)
    })

  const sinkOf = <E extends { readonly message: string }>(site: string, send: (line: string) => Effect.Effect<unknown, E>) =>
    Effect.gen(function*() {
      const queue = yield* Queue.sliding<string>(most)
      const sendOne = Effect.flatMap(queue.take, (line) =>
        send(line).pipe(Effect.tapError(missed(site)), Effect.retry(retries)))
      yield* Effect.forkScoped(Effect.annotateLogs(Effect.forever(sendOne), "logger", "audit checkpoints"))
      return queue
    })

  const urls = auditCheckpointWebhookUrls === null ? [] : Redacted.value(auditCheckpointWebhookUrls).split(",")
  const queues = [
    ...yield* Effect.forEach(auditCheckpointSinks, (sink) =>
      sink === "stdout" ? sinkOf("stdout", toStdout) : sinkOf("file", toFile(sink))),
    ...yield* Effect.forEach(urls, (url) => sinkOf("webhook", toWebhook(url.trim())))
  ]
  return (line: string) => Effect.forEach(queues, (queue) => queue.offer(line), { discard: true })
})
