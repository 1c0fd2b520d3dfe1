import { Effect } from "effect"
import { Users } from "../../../services/identity/Users.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("users", function*(handlers) {
  const users = yield* Users
  return handlers
    .handle("list", ({ urlParams }) => users.list(urlParams.limit ?? 100, urlParams.offset ?? 0))
    .handle("create", ({ payload }) => users.create(payload))
    .handle("get", ({ path }) => users.get(path.user_id))
    .handle("update", ({ path, payload }) => users.update(path.user_id, payload))
    .handle("delete", ({ path }) => users.remove(path.user_id))
    .handle(
      "setPassword",
      ({ path, payload }) => Effect.asVoid(users.setPassword(path.user_id, payload.new_password))
    )
})
