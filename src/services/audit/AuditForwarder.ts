import { Clock, Effect, Queue, Redacted } from "effect"
import { createHmac, hash } from "node:crypto"
import { hostname } from "node:os"
import type { AuditForwarderStatus } from "../../domain/audit/AuditForwarder.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { AuditOutbound } from "../kernel/Outbound.ts"
import { Settings } from "../kernel/Settings.ts"
import { runAfterCommit } from "../kernel/sql/AfterCommit.ts"
import type { StoredRow } from "./ChainWriter.ts"

type DropSite = "queue_full" | "ssrf_or_dns" | "send_one" | "shutdown"

/** How long the rows that wait may still take when the program ends. */
const drainTimeout = "2 seconds"

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]))
}

/** The row as JSON with its keys in order, also within the metadata (interface, Audit webhook forwarding). */
const bodyOf = ({ key_id: _, metadata, row_hash: __, seq: ___, ...row }: StoredRow): string =>
  JSON.stringify(sortKeys({ ...row, metadata: JSON.parse(metadata) }))

/** The request of a row; its signature covers the time, in seconds, and the body. */
const requestOf = (row: StoredRow, secret: Redacted.Redacted, timestamp: number) => {
  const body = bodyOf(row)
  const signature = createHmac("sha256", Redacted.value(secret)).update(`${timestamp}.${body}`).digest("hex")
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-svc-audit-signature": `sha256=${signature}`,
      "x-svc-audit-timestamp": String(timestamp),
      "x-svc-audit-schema": "1"
    },
    body
  } as const
}

/** The status of this process; without `fields` that of a program without the setting. */
const statusOf = (buffer_size: number, fields: Partial<AuditForwarderStatus> = {}): AuditForwarderStatus => ({
  enabled: false,
  sink_id: "none",
  worker: `${hostname()}:${process.pid}`,
  cursor_initialised: false,
  cursor_occurred_at: null,
  cursor_id: null,
  lag_rows: null,
  last_attempt_at: null,
  last_success_at: null,
  consecutive_failures: 0,
  backoff_seconds_remaining: 0,
  batch_size: 1,
  poll_interval_seconds: 0,
  max_backoff_seconds: 0,
  buffer_size,
  updated_at: null,
  process_sent_count: null,
  process_failed_count: null,
  ...fields
})

/**
 * Posts each row of the audit log that this process writes to SVC_AUDIT_WEBHOOK_URL, in the log's order, one at a time
 * (docs/audit-webhook.md). No caller waits for it. Without the setting there is neither queue nor fiber.
 *
 * It is no `Outbox`: the contract wants a bounded queue in memory, and a row that finds it full, gets no 2xx or cannot
 * be sent is dropped at once and counted. So there is no entry to claim again, to retry or to give up.
 */
export class AuditForwarder extends Effect.Service<AuditForwarder>()("svc/AuditForwarder", {
  scoped: Effect.gen(function*() {
    const { auditWebhookBufferSize, auditWebhookHmacSecret, auditWebhookTimeout, auditWebhookUrl, webhookAllowHttp } =
      yield* Settings
    const loops = yield* Loops
    const metrics = yield* Metrics
    const outbound = yield* AuditOutbound
    if (auditWebhookUrl === null) {
      return {
        afterCommit: () => Effect.void,
        offer: () => Effect.void,
        status: Effect.succeed(statusOf(auditWebhookBufferSize))
      }
    }
    if (auditWebhookHmacSecret === null) {
      return yield* Effect.dieMessage("the settings let a webhook through that has no secret")
    }

    const queue = yield* Queue.dropping<StoredRow>(auditWebhookBufferSize)
    let dropCount = 0
    let pendingCount = 0 // rows in the queue, and the one that is being sent
    const sinkId = `webhook-${hash("sha256", Redacted.value(auditWebhookUrl), "hex").slice(0, 16)}`
    const progress = {
      sent: 0,
      failures: 0,
      delivered: null as StoredRow | null,
      attempt: null as Timestamp.Timestamp | null,
      success: null as Timestamp.Timestamp | null,
      updated: null as Timestamp.Timestamp | null
    }

    const drop = (site: DropSite, why: string) =>
      Effect.flatMap(Timestamp.now, (now) => {
        progress.updated = now
        if (site !== "queue_full") progress.failures++
        metrics.swallowedExceptions.inc({ module: "audit_forwarder", site })
        return dropCount++ % 100 === 0
          ? Effect.logWarning(
            `an audit row did not reach SVC_AUDIT_WEBHOOK_URL (drop number ${dropCount} of this process): ${why}`
          )
          : Effect.void
      }).pipe(Effect.annotateLogs("logger", "audit forwarder"))

    const send = Effect.fnUntraced(
      function*(row: StoredRow) {
        const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        progress.attempt = yield* Timestamp.now
        const { status } = yield* outbound.call({
          ...requestOf(row, auditWebhookHmacSecret, timestamp),
          url: Redacted.value(auditWebhookUrl),
          plainHttp: webhookAllowHttp,
          timeout: `${auditWebhookTimeout} seconds`
        })
        if (status < 200 || status > 299) return yield* drop("send_one", `it answered ${status}`)
        const now = yield* Timestamp.now
        Object.assign(progress, { delivered: row, success: now, updated: now, failures: 0, sent: progress.sent + 1 })
      },
      Effect.catchTags({
        OutboundRefused: ({ why }) => drop("ssrf_or_dns", why),
        OutboundFailed: ({ why }) => drop("send_one", why)
      })
    )

    const sendNext = Effect.flatMap(
      Queue.take(queue),
      (row) => Effect.ensuring(send(row), Effect.sync(() => pendingCount--))
    )
    yield* loops.forever("audit forwarder", sendNext)

    const isDrained = Effect.sync(() => pendingCount === 0)
    const drain = Effect.repeat(Effect.zipRight(Effect.sleep("20 millis"), isDrained), { until: (done) => done }).pipe(
      Effect.interruptible,
      Effect.timeoutOption(drainTimeout)
    )
    const reportUndelivered = Effect.suspend(() => {
      if (pendingCount === 0) return Effect.void
      metrics.swallowedExceptions.inc({ module: "audit_forwarder", site: "shutdown" satisfies DropSite }, pendingCount)
      return Effect.logWarning(
        `the program ends before ${pendingCount} audit row${
          pendingCount === 1 ? "" : "s"
        } reached SVC_AUDIT_WEBHOOK_URL`
      )
    }).pipe(Effect.annotateLogs("logger", "audit forwarder"))
    yield* Effect.addFinalizer(() => Effect.unlessEffect(Effect.zipRight(drain, reportUndelivered), isDrained))

    /** Queues committed rows, in their order. Never waits. */
    const offer = (rows: ReadonlyArray<StoredRow>) =>
      Effect.forEach(rows, (row) => {
        if (!queue.unsafeOffer(row)) return drop("queue_full", "too many rows wait")
        pendingCount++
        return Effect.void
      }, { discard: true })

    return {
      offer,
      /** How this process is doing (bodies: AuditForwarderStatus). */
      status: Effect.sync(() =>
        statusOf(auditWebhookBufferSize, {
          enabled: true,
          sink_id: sinkId,
          cursor_initialised: progress.delivered !== null,
          cursor_occurred_at: progress.delivered?.occurred_at ?? null,
          cursor_id: progress.delivered?.id ?? null,
          lag_rows: pendingCount,
          last_attempt_at: progress.attempt,
          last_success_at: progress.success,
          consecutive_failures: progress.failures,
          updated_at: progress.updated,
          process_sent_count: progress.sent,
          process_failed_count: dropCount
        })
      ),
      /** Queues the rows after the commit of the current transaction. */
      afterCommit: (rows: ReadonlyArray<StoredRow>) => runAfterCommit(offer(rows))
    }
  })
}) {
  static readonly layer = this.Default
}
