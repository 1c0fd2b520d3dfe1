import { Effect, Option } from "effect"
import { rolesOfGroups } from "../../../domain/kernel/GroupRole.ts"
import type { UserId } from "../../../domain/kernel/Id.ts"
import { CurrentProject } from "../../kernel/CurrentActor.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Memberships } from "../Memberships.ts"
import { MembershipsRepo } from "../Memberships/Repo.ts"
import { ProjectsRepo } from "../Projects/Repo.ts"

/**
 * The memberships that groups of the provider give (SVC_OIDC_GROUP_ROLES). A membership that a person granted is not
 * touched.
 */
export const makeGroupMemberships = Effect.gen(function*() {
  const { oidcGroupRoles } = yield* Settings
  const projects = yield* ProjectsRepo
  const memberships = yield* Memberships
  const repo = yield* MembershipsRepo

  /** The existing projects that the groups give a role in. */
  const listRoles = Effect.fnUntraced(function*(groups: ReadonlyArray<string>) {
    const found = yield* Effect.forEach(
      rolesOfGroups(oidcGroupRoles, groups),
      ([slug, role]) => Effect.map(projects.findBySlug(slug), Option.map((project) => ({ project, role })))
    )
    return found.flatMap(Option.toArray)
  })

  /** Grants, changes and revokes memberships as the groups say. Runs in the caller's transaction. */
  const synchronize = Effect.fn("GroupMemberships.synchronize")(
    function*(userId: UserId, groups: ReadonlyArray<string>) {
      if (oidcGroupRoles.length === 0) return
      const roles = yield* listRoles(groups)
      const existing = yield* repo.listOfUser(userId)
      for (const { project, role } of roles) {
        const membership = existing.find(({ project_id }) => project_id === project.id)
        const inProject = Effect.provideService(CurrentProject, project)
        if (membership === undefined) {
          const granted = yield* inProject(memberships.grant({ user_id: userId, role }))
          yield* repo.markGivenByGroups(granted.id)
        } else if (membership.given_by_groups && membership.role !== role) {
          yield* inProject(memberships.setRole(membership.id, role))
        }
      }
      for (const membership of existing) {
        if (!membership.given_by_groups) continue
        if (roles.some(({ project }) => project.id === membership.project_id)) continue
        const project = yield* projects.findById(membership.project_id)
        if (Option.isNone(project)) continue
        yield* Effect.provideService(memberships.remove(membership.id), CurrentProject, project.value)
      }
    }
  )

  return { listRoles, synchronize } as const
})
