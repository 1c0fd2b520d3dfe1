import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { types } from "../types.ts"
import type { AreaTables } from "./AreaTables.ts"

/** Who is notified of what through which channel, and what was sent (docs/notifications.md). */
export const alerting: AreaTables = {
  names: [
    "user_notifications",
    "channels",
    "subscriptions",
    "subscription_channels",
    "alerts",
    "deliveries",
    "delivery_attempts",
    "maintenance_windows",
    "failure_rate_minutes",
    "failure_rate_episodes"
  ],
  create: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { bigint, text, uuid } = types(sql)

    yield* sql`CREATE TABLE user_notifications (
      id ${uuid} PRIMARY KEY,
      user_id ${uuid} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      subscription_id ${uuid},
      alert_id ${uuid},
      trigger_key ${text} NOT NULL,
      reason ${text} NOT NULL,
      title TEXT NOT NULL,
      body TEXT,
      data TEXT NOT NULL,
      read_at ${text},
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX user_notifications_user ON user_notifications (user_id, id)`
    yield* sql`CREATE INDEX user_notifications_unread ON user_notifications (user_id, id) WHERE read_at IS NULL`
    yield* sql`CREATE INDEX user_notifications_project ON user_notifications (project_id)`
    yield* sql`CREATE INDEX user_notifications_created ON user_notifications (created_at)`

    // Of a project or of a user, never of both.
    yield* sql`CREATE TABLE channels (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} REFERENCES projects (id) ON DELETE CASCADE,
      user_id ${uuid} REFERENCES users (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      type ${text} NOT NULL,
      sealed_config TEXT NOT NULL,
      is_active INTEGER NOT NULL,
      is_verified INTEGER NOT NULL,
      consecutive_failures INTEGER NOT NULL DEFAULT 0,
      failing_since ${text},
      disabled_at ${text},
      disabled_reason TEXT,
      created_by ${uuid},
      -- the percentage of the failure budget that was warned of last; 0 after a success
      failure_warning INTEGER NOT NULL DEFAULT 0,
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX channels_project ON channels (project_id, id) WHERE project_id IS NOT NULL`
    yield* sql`CREATE INDEX channels_user ON channels (user_id, id) WHERE user_id IS NOT NULL`

    // Without a user: a default, which is the project's own subscription.
    yield* sql`CREATE TABLE subscriptions (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      user_id ${uuid} REFERENCES users (id) ON DELETE CASCADE,
      trigger_key ${text} NOT NULL,
      filters TEXT NOT NULL,
      in_app INTEGER NOT NULL,
      cooldown_seconds INTEGER NOT NULL,
      grouping TEXT,
      hygiene TEXT NOT NULL,
      muted_until ${text},
      is_active INTEGER NOT NULL,
      last_fired_at ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX subscriptions_project ON subscriptions (project_id, trigger_key)`
    yield* sql`CREATE INDEX subscriptions_user ON subscriptions (user_id, id) WHERE user_id IS NOT NULL`
    yield* sql`CREATE INDEX subscriptions_failure_rate ON subscriptions (id) WHERE trigger_key = 'task.failure_rate'`

    yield* sql`CREATE TABLE subscription_channels (
      subscription_id ${uuid} NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
      channel_id ${uuid} NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
      purpose ${text} NOT NULL,
      PRIMARY KEY (subscription_id, channel_id, purpose)
    )`
    yield* sql`CREATE INDEX subscription_channels_channel ON subscription_channels (channel_id)`

    // One condition of one subscription, from its first event until it has recovered.
    yield* sql`CREATE TABLE alerts (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      subscription_id ${uuid} NOT NULL REFERENCES subscriptions (id) ON DELETE CASCADE,
      trigger_key ${text} NOT NULL,
      condition_key ${text} NOT NULL,
      status ${text} NOT NULL,
      title TEXT NOT NULL,
      occurrences ${bigint} NOT NULL,
      unsent ${bigint} NOT NULL,
      details TEXT NOT NULL,
      first_at ${text} NOT NULL,
      last_at ${text} NOT NULL,
      due_at ${text},
      messages INTEGER NOT NULL,
      last_sent_at ${text},
      acknowledged_at ${text},
      acknowledged_by ${uuid},
      snoozed_until ${text},
      escalated_at ${text},
      recovered_at ${text},
      created_at ${text} NOT NULL,
      updated_at ${text} NOT NULL
    )`
    yield* sql`CREATE UNIQUE INDEX alerts_open ON alerts (subscription_id, condition_key) WHERE recovered_at IS NULL`
    yield* sql`CREATE INDEX alerts_due ON alerts (due_at) WHERE due_at IS NOT NULL`
    yield* sql`CREATE INDEX alerts_project ON alerts (project_id, id)`
    yield* sql`CREATE INDEX alerts_recovered ON alerts (recovered_at) WHERE recovered_at IS NOT NULL`
    // when a condition was last notified, for the cooldown of a new alert
    yield* sql`CREATE INDEX alerts_conditions ON alerts (subscription_id, condition_key, last_sent_at)`
    yield* sql`CREATE INDEX alerts_status ON alerts (project_id, status, id)`

    // Outlive their channel, subscription and user, so these are no references, and their names are copied.
    yield* sql`CREATE TABLE deliveries (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid},
      user_id ${uuid},
      subscription_id ${uuid},
      channel_id ${uuid} NOT NULL,
      channel_name TEXT NOT NULL,
      channel_type ${text} NOT NULL,
      alert_id ${uuid},
      trigger_key ${text} NOT NULL,
      task_id TEXT,
      task_name TEXT,
      notification TEXT NOT NULL,
      status ${text} NOT NULL,
      attempts INTEGER NOT NULL DEFAULT 0,
      due_at ${text},
      claimed_until ${text},
      response_code INTEGER,
      error TEXT,
      sent_at ${text},
      triggered_by_user_id ${uuid},
      triggered_by_email TEXT,
      resend_of ${uuid},
      -- of a batch of events with so many deliveries that they must be counted: at most 16 of one batch are sent at once
      batch_id ${uuid},
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL`
    yield* sql`CREATE INDEX deliveries_user ON deliveries (user_id, id) WHERE user_id IS NOT NULL`
    // Messages of one alert to one channel keep their order.
    yield* sql`CREATE INDEX deliveries_alert_due ON deliveries (alert_id, channel_id) WHERE due_at IS NOT NULL`
    // A project's log shows what went through the project's channels; personal channels are their owner's.
    yield* sql`CREATE INDEX deliveries_project ON deliveries (project_id, id) WHERE user_id IS NULL`
    yield* sql`CREATE INDEX deliveries_owner ON deliveries (project_id)`
    yield* sql`CREATE INDEX deliveries_status ON deliveries (project_id, status, id) WHERE user_id IS NULL`
    yield* sql`CREATE INDEX deliveries_trigger ON deliveries (project_id, trigger_key, id) WHERE user_id IS NULL`
    yield* sql`CREATE INDEX deliveries_channel ON deliveries (channel_id, id)`
    yield* sql`CREATE INDEX deliveries_alert ON deliveries (alert_id, id) WHERE alert_id IS NOT NULL`
    yield* sql`CREATE INDEX deliveries_user_status ON deliveries (user_id, status, id) WHERE user_id IS NOT NULL`
    yield* sql`CREATE INDEX deliveries_user_trigger ON deliveries (user_id, trigger_key, id) WHERE user_id IS NOT NULL`
    yield* sql`CREATE INDEX deliveries_user_project ON deliveries (user_id, project_id, id) WHERE user_id IS NOT NULL`
    // those that are being sent
    yield* sql`CREATE INDEX deliveries_batch ON deliveries (batch_id)
      WHERE batch_id IS NOT NULL AND claimed_until IS NOT NULL`
    // with the batch, so that a claim skips the deliveries of a full batch without reading their rows
    yield* sql`CREATE INDEX deliveries_channel_due ON deliveries (channel_id, due_at, batch_id) WHERE due_at IS NOT NULL`

    yield* sql`CREATE TABLE delivery_attempts (
      delivery_id ${uuid} NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
      number INTEGER NOT NULL,
      started_at ${text} NOT NULL,
      duration_ms INTEGER NOT NULL,
      response_code INTEGER,
      error TEXT,
      response_body TEXT,
      PRIMARY KEY (delivery_id, number)
    )`

    // No message is sent for what begins inside of one.
    yield* sql`CREATE TABLE maintenance_windows (
      id ${uuid} PRIMARY KEY,
      project_id ${uuid} NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      starts_at ${text} NOT NULL,
      ends_at ${text} NOT NULL,
      created_by ${uuid},
      created_at ${text} NOT NULL
    )`
    yield* sql`CREATE INDEX maintenance_windows_project ON maintenance_windows (project_id, ends_at)`

    // Ended and failed tasks of subscriptions to task.failure_rate. Without a reference: the ingest must not fail when
    // a subscription is deleted. Rows expire after the longest window.
    yield* sql`CREATE TABLE failure_rate_minutes (
      subscription_id ${uuid} NOT NULL,
      minute INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      PRIMARY KEY (subscription_id, minute, slot)
    )`
    yield* sql`CREATE INDEX failure_rate_minutes_age ON failure_rate_minutes (minute)`

    // The subscriptions whose rate is reached now.
    yield* sql`CREATE TABLE failure_rate_episodes (
      subscription_id ${uuid} PRIMARY KEY REFERENCES subscriptions (id) ON DELETE CASCADE,
      began_at ${text} NOT NULL
    )`
  })
}
