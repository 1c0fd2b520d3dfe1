import { SqlClient } from "@effect/sql"
import { Effect, Either, Option, Random } from "effect"
import { retryDelayAfter } from "../../../../domain/alerting/DeliveryRetry.ts"
import { system } from "../../../../domain/kernel/Actor.ts"
import * as Timestamp from "../../../../domain/kernel/Timestamp.ts"
import { Audit, auditEntry } from "../../../audit/Audit.ts"
import { Vault } from "../../../kernel/keys/Keys.ts"
import { ChannelHealth, type ChannelSign } from "../../Channels/Health.ts"
import { ChannelsRepo } from "../../Channels/Repo.ts"
import { type ClaimedDelivery, DeliveriesRepo, type RecordedAttempt } from "../../Deliveries/Repo.ts"
import type { SentAttempt } from "./Send.ts"

const dispatcher = system("notifications")

/** An attempt that is to be recorded. */
export interface Attempt extends SentAttempt {
  /** Of the process's newest claim of the delivery. */
  readonly claimed_until: ClaimedDelivery["claimed_until"]
  /** The attempt before it at this channel failed. */
  readonly wasFailing: boolean
}

const toRecord = Effect.fnUntraced(function*({ claimed_until, delivery, duration_ms, outcome, started_at }: Attempt) {
  const number = delivery.attempts + 1
  const failed = Option.getOrNull(Either.getLeft(outcome))
  const delay = failed === null || failed.fault === "message" || failed.fault === "channel"
    ? null
    : retryDelayAfter(number, failed.retry_after, yield* Random.next)
  const result = failed ?? Either.getOrThrow(outcome)
  return {
    delivery_id: delivery.id,
    number,
    started_at,
    duration_ms,
    response_code: result.response_code,
    response_body: result.response_body,
    error: failed?.reason ?? null,
    status: failed === null ? "sent" : delay === null ? "failed" : "pending",
    due_at: delay === null ? null : Timestamp.addSeconds(yield* Timestamp.now, delay),
    claimed_until
  } satisfies RecordedAttempt
})

const signOf = ({ delivery, outcome, prepared, wasFailing }: Attempt): ReadonlyArray<ChannelSign> => {
  const project = prepared?.notification.project ?? null
  if (Either.isRight(outcome)) {
    return wasFailing ? [{ delivery, project, result: "accepted", reason: "" }] : []
  }
  const { fault, reason } = outcome.left
  return fault === "message" ? [] : [{ delivery, project, result: fault === "channel" ? "dead" : "failed", reason }]
}

export const makeRecorder = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* DeliveriesRepo
  const channels = yield* ChannelsRepo
  const health = yield* ChannelHealth
  const vault = yield* Vault
  const audit = yield* Audit

  /**
   * Records attempts in one transaction: the deliveries' states, what they show about their channels, and the audit
   * rows.
   */
  return Effect.fn("Dispatcher.record")(
    function*(batch: ReadonlyArray<Attempt>) {
      const now = yield* Timestamp.now
      const records = yield* Effect.forEach(batch, toRecord)
      const written = yield* repo.record(records)
      const successors = batch.flatMap(({ delivery: { alert_id, attempts, channel_id, created_at } }, index) => {
        const due_at = records[index]?.due_at ?? null
        // its successors wait only if it was retried, or is
        return alert_id !== null && (due_at !== null || attempts > 0)
          ? [{ alert_id, channel_id, created_at, due_at: due_at ?? now }]
          : []
      })
      if (successors.length > 0) yield* repo.moveSuccessors(successors)
      for (const { delivery, outcome, prepared } of batch) {
        const changed = Either.isRight(outcome) ? outcome.right.changed_config : undefined
        if (changed === undefined || prepared === null) continue
        const sealed = yield* vault.seal("channels.sealed_config", delivery.channel_id, JSON.stringify(changed))
        yield* channels.replaceConfig(delivery.channel_id, prepared.sealedConfig, sealed)
      }
      const own = batch.filter(({ delivery }) => written.has(delivery.id))
      const channelEntries = yield* health.observe(own.flatMap(signOf), now)
      const endEntries = batch.flatMap(({ delivery }, at) => {
        const row = records[at]
        if (row === undefined || row.status === "pending" || !written.has(delivery.id)) return []
        return [
          auditEntry(row.status === "sent" ? "notification.sent" : "notification.failed", "delivery", delivery.id, {
            project_id: delivery.project_id,
            result: row.status === "sent" ? "success" : "failure",
            metadata: {
              channel_name: delivery.channel_name,
              channel_type: delivery.channel_type,
              trigger: delivery.trigger_key,
              status: row.status,
              response_code: row.response_code,
              attempts: row.number
            }
          })
        ]
      })
      yield* audit.recordAll([...channelEntries, ...endEntries].map((entry) => ({ actor: dispatcher, entry })))
      return records
    },
    sql.withTransaction
  )
})
