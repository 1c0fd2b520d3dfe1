import { Schema } from "effect"
import { describeBody, describeField, exampleTime } from "../kernel/Describe.ts"
import { SettingItem } from "../kernel/SettingItem.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

export const AdminSettings = Schema.Struct({
  svc_home: describeField(Schema.String, "The folder `SVC_HOME`, absolute.", "/var/lib/svc"),
  settings: describeField(Schema.Array(SettingItem), "Every setting, in the order of the reference of settings.")
}).annotations(describeBody("AdminSettings", "The settings of the process that responds."))

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

/** bodies: VersionsSnapshotPublic. */
export const VersionsSnapshot = Schema.Struct({
  schema_version: describeField(Schema.Int, "The version of this body.", 1),
  generated_at: describeField(Timestamp, "When this response was generated.", exampleTime),
  generated_by: describeField(Schema.String, "The program that generated it.", "svc 0.1.0"),
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
