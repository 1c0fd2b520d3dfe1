import { Console, Effect } from "effect"
import { system } from "../../domain/Actor.ts"
import { CurrentActor, CurrentProject } from "../../services/CurrentActor.ts"
import { Projects } from "../../services/Projects.ts"
import { layerAdministration } from "../Administration.ts"
import { confirm } from "../Confirm.ts"

export const resetAllowedCidrs = ({ slug, yes }: { readonly slug: string; readonly yes: boolean }) =>
  Effect.gen(function*() {
    const projects = yield* Projects
    const project = yield* projects.getBySlug(slug)
    if (project.allowed_cidrs === null) {
      return yield* Console.log(`the project ${slug} can be used from every address; nothing was done`)
    }
    yield* confirm(yes, `Removes the list of allowed addresses of ${slug}: ${project.allowed_cidrs.join(", ")}.`)
    yield* Effect.provideService(projects.update({ allowed_cidrs: null }), CurrentProject, project)
    yield* Console.log(`the project ${slug} can be used from every address again`)
  }).pipe(Effect.provide(layerAdministration), Effect.provideService(CurrentActor, system("svc reset-allowed-cidrs")))
