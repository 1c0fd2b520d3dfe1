import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { ApiKey, CreateApiKey, CreatedApiKey, ScopeList, UpdateApiKey } from "../../../domain/identity/ApiKey.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { ApiKeyId, caseInsensitiveId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

const keyId = pathParameter("key_id", caseInsensitiveId(ApiKeyId), "The key's id.", exampleId)

/**
 * The caller's own keys (interface, API keys). Only a signed-in person creates or changes one. A key with `auth:write`
 * revokes keys of its owner, itself too: that is how `svc logout` leaves none behind.
 */
export class ApiKeysApi extends actorGroup("api_keys", "API keys")
  .add(
    HttpApiEndpoint.get("scopes", "/api-keys/scopes")
      .addSuccess(ScopeList)
      .annotate(Access, { caller: "authenticated", scope: "auth:read" })
      .annotateContext(operation("List the scopes", "Every scope that an operation asks for."))
  )
  .add(
    HttpApiEndpoint.get("list", "/api-keys")
      .addSuccess(Schema.Array(ApiKey))
      .annotate(Access, { caller: "authenticated", scope: "auth:read" })
      .annotateContext(operation(
        "List the own API keys",
        "Newest first, also revoked and expired ones until they are deleted."
      ))
  )
  .add(
    HttpApiEndpoint.post("create", "/api-keys")
      .setPayload(CreateApiKey)
      .addSuccess(CreatedApiKey, { status: 201 })
      .annotate(Access, {
        caller: "session",
        mutates: true,
        stepUp: true,
        creates: "secret",
        failureCodes: ["scope_admin_only", "not_found"]
      })
      .annotateContext(operation(
        "Create an API key",
        "`token` is in this response only. A key can never do more than its owner."
      ))
  )
  .add(
    HttpApiEndpoint.patch("update")`/api-keys/${keyId}`
      .setPayload(UpdateApiKey)
      .addSuccess(ApiKey)
      .annotate(Access, { caller: "session", mutates: true, stepUp: true })
      .annotateContext(operation(
        "Change an API key's addresses",
        "An absent `allowed_cidrs` stays; null lets the key work from everywhere."
      ))
  )
  .add(
    HttpApiEndpoint.del("revoke")`/api-keys/${keyId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "authenticated", scope: "auth:write", mutates: true, destructive: true })
      .annotateContext(
        operation("Revoke an API key", "It stops working at once. A key with `auth:write` can revoke itself.")
      )
  )
{}
