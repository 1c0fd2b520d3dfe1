import { Memberships } from "../../../services/identity/Memberships.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("memberships", function*(handlers) {
  const memberships = yield* Memberships
  return handlers
    .handle("list", () => memberships.list())
    .handle("grant", ({ payload }) => memberships.grant(payload))
    .handle("update", ({ path, payload }) => memberships.setRole(path.membership_id, payload.role))
    .handle("delete", ({ path }) => memberships.remove(path.membership_id))
})
