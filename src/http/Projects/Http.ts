import { HttpApiBuilder } from "@effect/platform"
import { Effect, Layer } from "effect"
import { CurrentProject } from "../../services/CurrentActor.ts"
import { Projects } from "../../services/Projects.ts"
import { Api } from "../Api.ts"

const ProjectsHttp = HttpApiBuilder.group(Api, "projects", Effect.fnUntraced(function*(handlers) {
  const projects = yield* Projects
  return handlers
    .handle("list", () => projects.list())
    .handle("create", ({ payload }) => projects.create(payload))
}))

const ProjectHttp = HttpApiBuilder.group(Api, "project", Effect.fnUntraced(function*(handlers) {
  const projects = yield* Projects
  return handlers
    .handle("get", () => CurrentProject)
    .handle("update", ({ payload }) => projects.update(payload))
    .handle("delete", () => projects.remove())
}))

export const layer = Layer.mergeAll(ProjectsHttp, ProjectHttp)
