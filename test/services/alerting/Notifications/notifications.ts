import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Notification } from "../../../../src/domain/alerting/Notification.ts"
import type { ProjectId, UserId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../../../src/services/kernel/Ids.ts"
import { Vault } from "../../../../src/services/kernel/keys/Keys.ts"

/** A message of an alert, or of none. */
export const notificationOf = (changes: Partial<Notification> = {}): Effect.Effect<Notification> =>
  Effect.map(Timestamp.now, (now) => ({
    kind: "alert",
    trigger: "task.failed",
    severity: "error",
    project: null,
    title: "shop.charge fails with CardDeclined",
    text: "It failed 3 times since 09:26.",
    facts: [{ name: "Task", value: "shop.charge" }],
    dedup_key: "a-condition",
    alert_id: null,
    occurrences: 3,
    first_at: now,
    last_at: now,
    engine: "celery",
    task_id: "task-1",
    task_name: "shop.charge",
    queue: "payments",
    worker: null,
    exception: "CardDeclined",
    fingerprint: null,
    links: { view: null, acknowledge: null, snooze: null },
    ...changes
  }))

interface ChannelOptions {
  readonly projectId?: ProjectId
  readonly userId?: UserId
  readonly name?: string
  readonly type?: string
  readonly isActive?: boolean
  readonly url?: string
}

/** The row of a channel; a webhook unless a type is given. */
export const insertChannel = (
  { isActive = true, name = "ops", projectId, type = "webhook", url = "https://example.com/", userId }: ChannelOptions
) =>
  Effect.gen(function*() {
    const vault = yield* Vault
    const sql = yield* SqlClient.SqlClient
    const [id, now] = [yield* Ids.next, yield* Timestamp.now]
    const row = {
      id,
      project_id: projectId ?? null,
      user_id: userId ?? null,
      name,
      type,
      sealed_config: yield* vault.seal("channels.sealed_config", id, JSON.stringify({ url })),
      is_active: isActive ? 1 : 0,
      is_verified: 1,
      created_at: now,
      updated_at: now
    }
    yield* sql`INSERT INTO channels ${sql.insert(row)}`
    return { id, name, type }
  })
