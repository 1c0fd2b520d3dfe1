import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Failures } from "../../../services/tasks/Failures.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("failures", function*(handlers) {
  const failures = yield* Failures
  return handlers
    .handle("list", ({ urlParams }) => failures.list(urlParams))
    .handle("get", ({ path, urlParams }) => failures.get(path.fingerprint, urlParams.hours))
    .handle("update", ({ path, payload }) => failures.update(path.fingerprint, payload))
    .handleRaw("assignees", () =>
      Effect.map(failures.listAssignees(), ({ hasMore, people }) => {
        const response = HttpServerResponse.unsafeJson(people)
        return hasMore
          ? HttpServerResponse.setHeader(response, "x-svc-limit-applied", String(people.length))
          : response
      }))
})
