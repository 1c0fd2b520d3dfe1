import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { ApiKeyId, caseInsensitiveId, ProjectId } from "../kernel/Id.ts"
import { Cidr } from "../kernel/net/Cidr.ts"
import { patchField } from "../kernel/Patch.ts"
import { nullish, text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** A key for scripts, without its secret (interface, API key; bodies: ApiKeyPublic). */
export const ApiKey = Schema.Struct({
  id: describeField(ApiKeyId, "Its id.", exampleId),
  name: describeField(Schema.String, "What its owner calls it.", "nightly report"),
  prefix: describeField(Schema.String, "The first characters, to tell keys apart.", "svk_3fA9"),
  scopes: describeField(Schema.Array(Schema.String), "Its scopes, `resource:action`; `admin:*` has all.", [
    "tasks:read"
  ]),
  project_id: describeField(
    Schema.NullOr(ProjectId),
    "The only project that it works in; null: all of its owner's.",
    null
  ),
  project_slug: describeField(Schema.NullOr(Schema.String), "That project's slug.", null),
  last_used_at: describeField(Schema.NullOr(Timestamp), "When it was last used.", exampleTime),
  last_used_ip: describeField(Schema.NullOr(Schema.String), "From which address.", "203.0.113.7"),
  expires_at: describeField(Schema.NullOr(Timestamp), "When it expires; null: never.", null),
  revoked_at: describeField(Schema.NullOr(Timestamp), "When it was revoked; null: it was not.", null),
  revoked_reason: describeField(Schema.NullOr(Schema.String), "Why it was revoked.", null),
  created_at: describeField(Timestamp, "When it was created.", exampleTime),
  allowed_cidrs: describeField(
    Schema.NullOr(Schema.Array(Schema.String)),
    "The only addresses it works from; null: all.",
    ["10.0.0.0/8"]
  )
}).annotations(describeBody("ApiKey", "A key for scripts, without its secret."))
export type ApiKey = typeof ApiKey.Type

/** The response to a creation, the only time that `token` (`svk_…`) is shown. */
export const CreatedApiKey = Schema.Struct({
  ...ApiKey.fields,
  token: describeField(Schema.String, "The key itself, in this response only.", "svk_3fA9…")
})
  .annotations(describeBody("CreatedApiKey", "A new key with its secret."))
export type CreatedApiKey = typeof CreatedApiKey.Type

const ranges = Schema.Array(Cidr).pipe(Schema.maxItems(32))

/** Lifetime in days; null means no expiry. `allowed_cidrs`: addresses that may use the key; null allows all. */
export const CreateApiKey = Schema.Struct({
  name: describeField(text(200, 1), "What to call it.", "nightly report"),
  scopes: describeField(
    Schema.optionalWith(Schema.Array(text(64, 1)).pipe(Schema.maxItems(64)), { default: () => [] }),
    "Its scopes, `resource:action`; `admin:*` has all.",
    ["tasks:read"]
  ),
  project_id: describeField(
    nullish(caseInsensitiveId(ProjectId)),
    "The only project that it is to work in; null: all.",
    null
  ),
  expires_in_days: describeField(
    nullish(Schema.Int.pipe(Schema.between(1, 3650))),
    "Its lifetime in days; null: for ever.",
    90
  ),
  allowed_cidrs: describeField(nullish(ranges), "The only addresses it works from; null: all.", ["10.0.0.0/8"])
}).annotations(describeBody("CreateApiKey", "A new key."))
export type CreateApiKey = typeof CreateApiKey.Type

/** Absent: the ranges stay. Null: the key works from everywhere again. */
export const UpdateApiKey = Schema.Struct({
  allowed_cidrs: describeField(patchField(ranges), "The only addresses it works from; null: all.", ["10.0.0.0/8"])
})
  .annotations(describeBody("UpdateApiKey", "Changes of a key."))
export type UpdateApiKey = typeof UpdateApiKey.Type

/** What a key is often for. */
export const ScopePreset = Schema.Literal("ci_deploys", "read_only", "operator", "agent_provisioning", "metrics")
export type ScopePreset = typeof ScopePreset.Type

/** Every scope that an endpoint asks for; `admin_only` are those that only a global admin can put into a key. */
export const ScopeList = Schema.Struct({
  scopes: describeField(Schema.Array(Schema.String), "Every scope.", ["admin:*", "tasks:read"]),
  admin_only: describeField(Schema.Array(Schema.String), "Those that only a global admin can give to a key.", [
    "users:read"
  ]),
  presets: describeField(
    Schema.Array(Schema.Struct({
      name: describeField(ScopePreset, "The preset's name.", "ci_deploys"),
      scopes: describeField(Schema.Array(Schema.String), "Its scopes.", ["deploys:write"])
    })),
    "Scopes that belong together, to fill a form with; a key stores scopes, and no preset.",
    [{ name: "ci_deploys", scopes: ["deploys:write"] }]
  )
}).annotations(describeBody("ScopeList", "The scopes of keys."))
export type ScopeList = typeof ScopeList.Type
