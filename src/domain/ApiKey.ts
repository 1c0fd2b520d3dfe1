import { Schema } from "effect"
import { describe, exampleId, exampleTime, named } from "./Describe.ts"
import { Cidr } from "./Cidr.ts"
import { change } from "./Patch.ts"
import { GivenId, Id, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A key for scripts, without its secret (interface, API key; bodies: ApiKeyPublic). */
export const ApiKey = Schema.Struct({
  id: describe(Id, "Its id.", exampleId),
  name: describe(Schema.String, "What its owner calls it.", "nightly report"),
  prefix: describe(Schema.String, "The first characters, to tell keys apart.", "svk_3fA9"),
  scopes: describe(Schema.Array(Schema.String), "Its scopes, `resource:action`; `admin:*` has all.", ["tasks:read"]),
  project_id: describe(Schema.NullOr(Id), "The only project that it works in; null: all of its owner's.", null),
  project_slug: describe(Schema.NullOr(Schema.String), "That project's slug.", null),
  last_used_at: describe(Schema.NullOr(Timestamp), "When it was last used.", exampleTime),
  last_used_ip: describe(Schema.NullOr(Schema.String), "From which address.", "203.0.113.7"),
  expires_at: describe(Schema.NullOr(Timestamp), "When it expires; null: never.", null),
  revoked_at: describe(Schema.NullOr(Timestamp), "When it was revoked; null: it was not.", null),
  revoked_reason: describe(Schema.NullOr(Schema.String), "Why it was revoked.", null),
  created_at: describe(Timestamp, "When it was created.", exampleTime),
  allowed_cidrs: describe(Schema.NullOr(Schema.Array(Schema.String)), "The only addresses it works from; null: all.", ["10.0.0.0/8"])
}).annotations(named("ApiKey", "A key for scripts, without its secret."))
export type ApiKey = typeof ApiKey.Type

/** The answer to a creation, the only time that `token` (`svk_…`) is shown. */
export const CreatedApiKey = Schema.Struct({
  ...ApiKey.fields,
  token: describe(Schema.String, "The key itself, in this answer only.", "svk_3fA9…")
})
  .annotations(named("CreatedApiKey", "A new key with its secret."))
export type CreatedApiKey = typeof CreatedApiKey.Type

const ranges = Schema.Array(Cidr).pipe(Schema.maxItems(32))

/** Lifetime in days; none for ever. `allowed_cidrs`: the only addresses the key works from; none for all. */
export const CreateApiKey = Schema.Struct({
  name: describe(text(200, 1), "What to call it.", "nightly report"),
  scopes: describe(Schema.optionalWith(Schema.Array(text(64, 1)).pipe(Schema.maxItems(64)), { default: () => [] }), "Its scopes, `resource:action`; `admin:*` has all.", ["tasks:read"]),
  project_id: describe(maybe(GivenId), "The only project that it is to work in; null: all.", null),
  expires_in_days: describe(maybe(Schema.Int.pipe(Schema.between(1, 3650))), "Its lifetime in days; null: for ever.", 90),
  allowed_cidrs: describe(maybe(ranges), "The only addresses it works from; null: all.", ["10.0.0.0/8"])
}).annotations(named("CreateApiKey", "A new key."))
export type CreateApiKey = typeof CreateApiKey.Type

/** Absent: the ranges stay. Null: the key works from everywhere again. */
export const UpdateApiKey = Schema.Struct({
  allowed_cidrs: describe(change(ranges), "The only addresses it works from; null: all.", ["10.0.0.0/8"])
})
  .annotations(named("UpdateApiKey", "Changes of a key."))
export type UpdateApiKey = typeof UpdateApiKey.Type

/** Every scope that an endpoint asks for; `admin_only` are those that only a global admin can put into a key. */
export const ScopeList = Schema.Struct({
  scopes: describe(Schema.Array(Schema.String), "Every scope.", ["admin:*", "tasks:read"]),
  admin_only: describe(Schema.Array(Schema.String), "Those that only a global admin can give to a key.", ["users:read"])
}).annotations(named("ScopeList", "The scopes of keys."))
export type ScopeList = typeof ScopeList.Type
