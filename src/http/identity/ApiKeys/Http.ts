import { Effect } from "effect"
import { ApiKeys } from "../../../services/identity/ApiKeys.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("api_keys", function*(handlers) {
  const keys = yield* ApiKeys
  return handlers
    .handle("scopes", () => Effect.succeed(keys.scopes))
    .handle("list", () => keys.list())
    .handle("create", ({ payload }) => keys.create(payload))
    .handle("update", ({ path, payload }) => keys.update(path.key_id, payload))
    .handle("revoke", ({ path }) => keys.revoke(path.key_id))
})
