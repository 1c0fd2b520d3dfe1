import { Console, Effect } from "effect"
import { Projects } from "../../../services/identity/Projects.ts"
import { CurrentProject } from "../../../services/kernel/CurrentActor.ts"
import { confirm } from "../../io/Confirm.ts"
import { handleAs } from "../../program/Administration.ts"
import type { HandlersOf } from "../../program/Group.ts"
import type { policyDefinitions } from "../projects.ts"

export const handlers: HandlersOf<typeof policyDefinitions> = {
  "reset-project-policies": handleAs("svc reset-project-policies")(function*({ slug, yes }) {
    const projects = yield* Projects
    const project = yield* projects.getBySlug(slug)
    const { allowed_cidrs, approvals } = project
    if (allowed_cidrs === null && approvals === null) {
      return yield* Console.log(
        `the project ${slug} has neither a list of addresses nor approvals; nothing was done`
      )
    }
    const addresses = allowed_cidrs === null ? "" : ` (${allowed_cidrs.join(", ")})`
    yield* confirm(yes, `Removes the list of allowed addresses${addresses} and the approvals of ${slug}.`)
    yield* Effect.provideService(projects.update({ allowed_cidrs: null, approvals: null }), CurrentProject, project)
    yield* Console.log(`the project ${slug} can be used from every address, and nothing waits for a second person`)
  })
}
