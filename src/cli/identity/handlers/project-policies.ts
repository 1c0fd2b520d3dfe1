import { Console, Effect } from "effect"
import { system } from "../../../domain/kernel/Actor.ts"
import { Projects } from "../../../services/identity/Projects.ts"
import { CurrentActor, CurrentProject } from "../../../services/kernel/CurrentActor.ts"
import { confirm } from "../../io/Confirm.ts"
import { layerAdministration } from "../../program/Administration.ts"

export const resetProjectPolicies = ({ slug, yes }: { readonly slug: string; readonly yes: boolean }) =>
  Effect.gen(function*() {
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
    yield* Effect.provideService(
      projects.update({ allowed_cidrs: null, approvals: null }),
      CurrentProject,
      project
    )
    yield* Console.log(`the project ${slug} can be used from every address, and nothing waits for a second person`)
  }).pipe(
    Effect.provide(layerAdministration),
    Effect.provideService(CurrentActor, system("svc reset-project-policies"))
  )
