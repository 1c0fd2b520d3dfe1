import { Schema } from "effect"
import { Cidr } from "./Cidr.ts"
import { change } from "./Patch.ts"
import { GivenId, Id, maybe, text } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/** A key for scripts, without its secret (interface, API key; bodies: ApiKeyPublic). */
export const ApiKey = Schema.Struct({
  id: Id,
  name: Schema.String,
  prefix: Schema.String,
  scopes: Schema.Array(Schema.String),
  project_id: Schema.NullOr(Id),
  project_slug: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Timestamp),
  last_used_ip: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
  revoked_reason: Schema.NullOr(Schema.String),
  created_at: Timestamp,
  allowed_cidrs: Schema.NullOr(Schema.Array(Schema.String))
}).annotations({ identifier: "ApiKey" })
export type ApiKey = typeof ApiKey.Type

/** The answer to a creation, the only time that `token` (`svk_…`) is shown. */
export const CreatedApiKey = Schema.Struct({ ...ApiKey.fields, token: Schema.String })
  .annotations({ identifier: "CreatedApiKey" })
export type CreatedApiKey = typeof CreatedApiKey.Type

const ranges = Schema.Array(Cidr).pipe(Schema.maxItems(32))

/** Lifetime in days; none for ever. `allowed_cidrs`: the only addresses the key works from; none for all. */
export const CreateApiKey = Schema.Struct({
  name: text(200, 1),
  scopes: Schema.optionalWith(Schema.Array(text(64, 1)).pipe(Schema.maxItems(64)), { default: () => [] }),
  project_id: maybe(GivenId),
  expires_in_days: maybe(Schema.Int.pipe(Schema.between(1, 3650))),
  allowed_cidrs: maybe(ranges)
}).annotations({ identifier: "CreateApiKey" })
export type CreateApiKey = typeof CreateApiKey.Type

/** Absent: the ranges stay. Null: the key works from everywhere again. */
export const UpdateApiKey = Schema.Struct({ allowed_cidrs: change(ranges) })
  .annotations({ identifier: "UpdateApiKey" })
export type UpdateApiKey = typeof UpdateApiKey.Type

/** Every scope that an endpoint asks for; `admin_only` are those that only a global admin can put into a key. */
export const ScopeList = Schema.Struct({
  scopes: Schema.Array(Schema.String),
  admin_only: Schema.Array(Schema.String)
}).annotations({ identifier: "ScopeList" })
export type ScopeList = typeof ScopeList.Type
