import { HttpApiBuilder } from "@effect/platform"
import { Effect } from "effect"
import { CurrentProject } from "../../services/CurrentActor.ts"
import { Memberships } from "../../services/Memberships.ts"
import { Api } from "../Api.ts"

export const layer = HttpApiBuilder.group(Api, "memberships", Effect.fnUntraced(function*(handlers) {
  const memberships = yield* Memberships
  return handlers
    .handle("list", () => Effect.flatMap(CurrentProject, memberships.list))
    .handle("grant", ({ payload }) => Effect.flatMap(CurrentProject, (project) => memberships.grant(project, payload)))
    .handle("update", ({ path, payload }) =>
      Effect.flatMap(CurrentProject, (project) => memberships.setRole(project, path.membership_id, payload.role)))
    .handle("delete", ({ path }) =>
      Effect.flatMap(CurrentProject, (project) => memberships.remove(project, path.membership_id)))
}))
