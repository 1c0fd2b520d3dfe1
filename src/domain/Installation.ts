import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "./Describe.ts"
import { Timestamp } from "./Timestamp.ts"

/** A setting as `svc config show` prints it (bodies: SettingItem). */
export const SettingItem = Schema.Struct({
  name: describeField(Schema.String, "Name of its environment variable.", "SVC_PORT"),
  value: describeField(
    Schema.String,
    "The value in force, as it would be written in the environment. Of a secret `********`; empty: not set.",
    "7700"
  ),
  source: describeField(
    Schema.Literal("environment", "file", "tunables", "default", "option"),
    "Where the value comes from: the environment, the file that `NAME_FILE` names, `svc.conf` in `SVC_HOME`, the default, or an option of the command line.",
    "default"
  ),
  is_secret: describeField(Schema.Boolean, "Whether its value is never shown.", false),
  description: describeField(Schema.String, "What it is for.", "Port to listen on.")
}).annotations(describeBody("SettingItem", "A setting and its value."))
export type SettingItem = typeof SettingItem.Type

export const AdminSettings = Schema.Struct({
  svc_home: describeField(Schema.String, "The folder `SVC_HOME`, absolute.", "/var/lib/svc"),
  settings: describeField(Schema.Array(SettingItem), "Every setting, in the order of the reference of settings.")
}).annotations(describeBody("AdminSettings", "The settings of the process that answers."))

/** bodies: AuditForwarderStatus. The queue is in memory and of one process, so the members speak for that process. */
export const AuditForwarderStatus = Schema.Struct({
  enabled: describeField(Schema.Boolean, "Whether `SVC_AUDIT_WEBHOOK_URL` is set.", true),
  sink_id: describeField(
    Schema.String,
    "Identifies the receiver without its address: the same for all replicas with the same URL. `none` when disabled.",
    "webhook-5f1c9a0b7e2d4c68"
  ),
  worker: describeField(Schema.String, "Host and process id of the process that answers.", "web-1:4711"),
  cursor_initialised: describeField(Schema.Boolean, "Whether this process has delivered a row yet.", true),
  cursor_occurred_at: describeField(
    Schema.NullOr(Timestamp),
    "When the last row that this process delivered occurred.",
    exampleTime
  ),
  cursor_id: describeField(
    Schema.NullOr(Schema.String),
    "Id of the last row that this process delivered.",
    "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10"
  ),
  lag_rows: describeField(Schema.NullOr(Schema.Int), "Rows that wait in this process; null when disabled.", 0),
  last_attempt_at: describeField(Schema.NullOr(Timestamp), "When this process last posted a row.", exampleTime),
  last_success_at: describeField(Schema.NullOr(Timestamp), "When the receiver last answered 2xx.", exampleTime),
  consecutive_failures: describeField(Schema.Int, "Posts that failed since the last success.", 0),
  backoff_seconds_remaining: describeField(
    Schema.Number,
    "Always 0: a row that fails is dropped, and the next one is posted at once.",
    0
  ),
  batch_size: describeField(Schema.Int, "Always 1: one row a post.", 1),
  poll_interval_seconds: describeField(Schema.Number, "Always 0: rows are posted as they are written.", 0),
  max_backoff_seconds: describeField(Schema.Number, "Always 0, as `backoff_seconds_remaining`.", 0),
  buffer_size: describeField(Schema.Int, "Rows that may wait (`SVC_AUDIT_WEBHOOK_BUFFER_SIZE`).", 1000),
  updated_at: describeField(Schema.NullOr(Timestamp), "When these members last changed; null: never.", exampleTime),
  process_sent_count: describeField(
    Schema.NullOr(Schema.Int),
    "Rows that this process delivered since it started; null when disabled.",
    1204
  ),
  process_failed_count: describeField(
    Schema.NullOr(Schema.Int),
    "Rows that this process dropped since it started, also those that found the queue full; null when disabled.",
    0
  )
}).annotations(describeBody("AuditForwarderStatus", "How the audit webhook of the process that answers is doing."))
export type AuditForwarderStatus = typeof AuditForwarderStatus.Type

/** A package of svc, as the release feed has it. */
export const PackageVersions = Schema.Struct({
  installed: describeField(
    Schema.String,
    "The version that runs.",
    "0.1.0"
  ),
  latest: describeField(
    Schema.NullOr(Schema.String),
    "The release feed's version; null before the first check, or without a feed.",
    "0.2.0"
  ),
  is_outdated: describeField(
    Schema.NullOr(Schema.Boolean),
    "Whether `latest` is newer than the installed version; null when it is unknown.",
    true
  )
}).annotations(describeBody("PackageVersions", "The installed version and the release feed's."))
export type PackageVersions = typeof PackageVersions.Type

/** bodies: VersionsSnapshotPublic. */
export const VersionsSnapshot = Schema.Struct({
  schema_version: describeField(Schema.Int, "The version of this body.", 1),
  generated_at: describeField(Timestamp, "When this answer was made.", exampleTime),
  generated_by: describeField(Schema.String, "The program that made it.", "svc 0.1.0"),
  canonical_url: describeField(
    Schema.String,
    "Where the releases are: the release feed, `SVC_RELEASES_URL`. Empty: there is none.",
    "https://releases.example.com/svc.json"
  ),
  packages: describeField(
    Schema.Record({ key: Schema.String, value: PackageVersions }),
    "The packages of svc by name.",
    { svc: { installed: "0.1.0", latest: "0.2.0", is_outdated: true } }
  ),
  source: describeField(
    Schema.Literal("program", "feed"),
    "`feed`: a check has stored the release feed's version; `program`: only the installed one is known.",
    "feed"
  ),
  fetched_at: describeField(Schema.NullOr(Timestamp), "When the release feed was last read; null: never.", exampleTime),
  fetched_from: describeField(
    Schema.NullOr(Schema.String),
    "The release feed that was read; null: none yet.",
    "https://releases.example.com/svc.json"
  ),
  check_for_updates_url: describeField(
    Schema.String,
    "The path that reads the release feed.",
    "/api/v1/admin/system/versions/check"
  )
}).annotations(
  describeBody("VersionsSnapshot", "The versions of svc: installed, and in the release feed when it was last read.")
)
export type VersionsSnapshot = typeof VersionsSnapshot.Type
