import { Either, Schema } from "effect"
import { Role } from "./Access.ts"
import { Slug } from "./Project.ts"

/** What members of a provider's group are in a project. */
export interface GroupRole {
  readonly group: string
  readonly slug: string
  readonly role: Role
}

const isSlug = Schema.is(Slug)
const isRoleName = Schema.is(Role)

/** Parses `group=slug:role`, comma-separated. A group's name may hold every character but a comma. */
export const parseGroupRoles = (text: string): Either.Either<ReadonlyArray<GroupRole>, string> =>
  Either.all(
    text.split(",").map((part) => part.trim()).filter((part) => part !== "").map((part) => {
      const [, group, slug, role] = /^(.+)=([^=:]+):(\w+)$/.exec(part) ?? []
      return group !== undefined && slug !== undefined && isSlug(slug) && isRoleName(role)
        ? Either.right<GroupRole>({ group, slug, role })
        : Either.left(`must be parts such as platform=shop:operator, but has "${part}"`)
    })
  )

/** The stronger role comes later; of auditor and operator, which include neither each other, operator. */
const order = Role.literals

/** The role in each project, by slug, that the groups give. */
export const rolesOfGroups = (
  groupRoles: ReadonlyArray<GroupRole>,
  groups: ReadonlyArray<string>
): ReadonlyMap<string, Role> => {
  const roles = new Map<string, Role>()
  for (const { group, role, slug } of groupRoles) {
    if (!groups.includes(group)) continue
    const known = roles.get(slug)
    if (known === undefined || order.indexOf(role) > order.indexOf(known)) roles.set(slug, role)
  }
  return roles
}
