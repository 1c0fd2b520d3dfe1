import { Layer } from "effect"
import { Projects } from "../../../services/identity/Projects.ts"
import { CurrentProject } from "../../../services/kernel/CurrentActor.ts"
import { implementGroup } from "../../ImplementGroup.ts"

const ProjectsHttp = implementGroup("projects", function*(handlers) {
  const projects = yield* Projects
  return handlers
    .handle("list", () => projects.list())
    .handle("create", ({ payload }) => projects.create(payload))
})

const ProjectHttp = implementGroup("project", function*(handlers) {
  const projects = yield* Projects
  return handlers
    .handle("get", () => CurrentProject)
    .handle("update", ({ payload }) => projects.update(payload))
    .handle("delete", () => projects.remove())
})

export const layer = Layer.mergeAll(ProjectsHttp, ProjectHttp)
