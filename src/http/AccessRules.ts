import { HttpApi } from "@effect/platform"
import { Context, Option } from "effect"
import type { ScopePreset } from "../domain/identity/ApiKey.ts"
import { Access, type AccessRule, includesRole, isRole, type Role, type Scope } from "../domain/kernel/Access.ts"
import { Api } from "./Api.ts"

/** The rule of an endpoint; throws at start when it has none. */
export const ruleOf = (
  endpoint: { readonly method: string; readonly path: string },
  annotations: Context.Context<never>
): AccessRule =>
  Option.getOrThrowWith(
    Context.getOption(annotations, Access),
    () => new Error(`${endpoint.method} ${endpoint.path} does not declare its access`)
  )

/** `METHOD path` of each endpoint, with its rule. */
export const accessRules: ReadonlyMap<string, AccessRule> = (() => {
  const ruleByEndpoint = new Map<string, AccessRule>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      ruleByEndpoint.set(`${endpoint.method} ${endpoint.path}`, ruleOf(endpoint, mergedAnnotations))
    }
  })
  return ruleByEndpoint
})()

const scopedRules = [...accessRules.values()].flatMap((
  { caller, scope }
) => (scope === undefined ? [] : [{ caller, scope }]))

/** The catalogue of API-key scopes: those that endpoints require, and `admin:*`, which includes all of them. */
export const scopes: ReadonlyArray<Scope> = [...new Set<Scope>(["admin:*", ...scopedRules.map(({ scope }) => scope)])]
  .sort()

/** Scopes that only global admins can use. */
export const adminScopes: ReadonlyArray<Scope> = scopes.filter((scope) =>
  scopedRules.every((use) => use.scope !== scope || use.caller === "global_admin")
)

const scopesOfRole = (role: Role): ReadonlyArray<Scope> => {
  const usable = scopedRules.filter(({ caller }) => isRole(caller) && includesRole(role, caller))
  return [...new Set(usable.map(({ scope }) => scope))].sort()
}

/** The scopes that each role of a project can use. */
export const roleScopes: Readonly<Record<Role, ReadonlyArray<Scope>>> = {
  viewer: scopesOfRole("viewer"),
  auditor: scopesOfRole("auditor"),
  operator: scopesOfRole("operator"),
  admin: scopesOfRole("admin")
}

/** What keys are often for. Reads that only global admins can give are in none. */
export const presetScopes: Readonly<Record<ScopePreset, ReadonlyArray<Scope>>> = {
  ci_deploys: ["deploys:read", "deploys:write"],
  read_only: scopes.filter((scope) => scope.endsWith(":read") && !adminScopes.includes(scope)),
  operator: roleScopes.operator,
  agent_provisioning: ["agents:read", "agents:write", "workers:read"],
  metrics: ["home:read", "queues:read", "tasks:read", "workers:read"]
}
