import { Approvals } from "../../../services/approvals/Approvals.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("approvals", function*(handlers) {
  const approvals = yield* Approvals
  return handlers
    .handle("list", ({ urlParams }) => approvals.list(urlParams))
    .handle("get", ({ path }) => approvals.get(path.approval_id))
    .handle("approve", ({ path }) => approvals.approve(path.approval_id))
    .handle("reject", ({ path, payload }) => approvals.reject(path.approval_id, payload.reason ?? null))
})
