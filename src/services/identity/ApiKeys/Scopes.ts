import { Context } from "effect"
import type { ScopePreset } from "../../../domain/identity/ApiKey.ts"
import type { Role, Scope } from "../../../domain/kernel/Access.ts"

/** Every scope that an endpoint requires. Derived from the endpoints' declarations, which services may not import. */
export class Scopes extends Context.Tag("svc/Scopes")<Scopes, {
  readonly scopes: ReadonlyArray<Scope>
  /** Only a global admin can put these into a key. */
  readonly admin_only: ReadonlyArray<Scope>
  /** The scopes that an API key needs to do everything that a role can do. */
  readonly by_role: Readonly<Record<Role, ReadonlyArray<Scope>>>
  readonly presets: Readonly<Record<ScopePreset, ReadonlyArray<Scope>>>
}>() {}
