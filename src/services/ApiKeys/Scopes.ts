import { Context } from "effect"
import type { Role, Scope } from "../../domain/Access.ts"

/** Every scope that an endpoint asks for. Derived from the endpoints' declarations, which services cannot see. */
export class Scopes extends Context.Tag("svc/Scopes")<Scopes, {
  readonly scopes: ReadonlyArray<Scope>
  /** Only a global admin can put these into a key. */
  readonly admin_only: ReadonlyArray<Scope>
  /** What an API key holds that may do all that a role may. */
  readonly by_role: Readonly<Record<Role, ReadonlyArray<Scope>>>
}>() {}
