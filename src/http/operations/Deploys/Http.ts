import { Deploys } from "../../../services/operations/Deploys.ts"
import { Marks } from "../../../services/operations/Marks.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("deploys", function*(handlers) {
  const deploys = yield* Deploys
  const marks = yield* Marks
  return handlers
    .handle("list", ({ urlParams }) => deploys.list(urlParams))
    .handle("create", ({ payload }) => deploys.create(payload))
    .handle("remove", ({ path }) => deploys.remove(path.deploy_id))
    .handle("marks", ({ urlParams }) => marks.list(urlParams))
})
