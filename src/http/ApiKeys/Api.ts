import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../domain/Access.ts"
import { ApiKey, CreateApiKey, CreatedApiKey, ScopeList, UpdateApiKey } from "../../domain/ApiKey.ts"
import { GivenId } from "../../domain/Text.ts"
import { Authenticated } from "../Access.ts"

const keyId = HttpApiSchema.param("key_id", GivenId)

/** One's own keys (interface, API keys). A key can look, but only a signed-in person can make, change or end one. */
export class ApiKeysApi extends HttpApiGroup.make("api_keys")
  .add(
    HttpApiEndpoint.get("scopes", "/api-keys/scopes")
      .addSuccess(ScopeList)
      .annotate(Access, { caller: "authenticated", scope: "auth:read" })
  )
  .add(
    HttpApiEndpoint.get("list", "/api-keys")
      .addSuccess(Schema.Array(ApiKey))
      .annotate(Access, { caller: "authenticated", scope: "auth:read" })
  )
  .add(
    HttpApiEndpoint.post("create", "/api-keys")
      .setPayload(CreateApiKey)
      .addSuccess(CreatedApiKey, { status: 201 })
      .annotate(Access, { caller: "session", mutates: true, stepUp: true, creates: "secret" })
  )
  .add(
    HttpApiEndpoint.patch("update")`/api-keys/${keyId}`
      .setPayload(UpdateApiKey)
      .addSuccess(ApiKey)
      .annotate(Access, { caller: "session", mutates: true, stepUp: true })
  )
  .add(
    HttpApiEndpoint.del("revoke")`/api-keys/${keyId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "session", mutates: true, destructive: true })
  )
  .middleware(Authenticated)
{}
