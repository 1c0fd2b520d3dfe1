import { Layer } from "effect"
import { adminScopes, presetScopes, roleScopes, scopes } from "../http/AccessRules.ts"
import { Agents } from "../services/agents/Agents.ts"
import { ApiKeys } from "../services/identity/ApiKeys.ts"
import { EscalationPolicy } from "../services/identity/ApiKeys/EscalationPolicy.ts"
import { Scopes } from "../services/identity/ApiKeys/Scopes.ts"
import { Authentication } from "../services/identity/Authentication.ts"
import { Invitations } from "../services/identity/Invitations.ts"
import { InvitationAcceptance } from "../services/identity/Invitations/Acceptance.ts"
import { Memberships } from "../services/identity/Memberships.ts"
import { Mfa } from "../services/identity/Mfa.ts"
import { MfaPolicy } from "../services/identity/MfaPolicy.ts"
import { Oidc } from "../services/identity/Oidc.ts"
import { BackchannelLogout } from "../services/identity/Oidc/BackchannelLogout.ts"
import { PasswordResets } from "../services/identity/PasswordResets.ts"
import { Projects } from "../services/identity/Projects.ts"
import { Sessions } from "../services/identity/Sessions.ts"
import { Setup } from "../services/identity/Setup.ts"
import { TrustedDevices } from "../services/identity/TrustedDevices.ts"
import { Users } from "../services/identity/Users.ts"
import { Idempotency } from "../services/kernel/Idempotency.ts"
import { Mail } from "../services/kernel/Mail.ts"
import { Retention } from "../services/operations/Retention.ts"

/** The scopes that API keys can hold and grant, from the declarations of the endpoints. */
export const layerScopes = Layer.succeed(Scopes, {
  scopes,
  admin_only: adminScopes,
  by_role: roleScopes,
  presets: presetScopes
})

/** Users, their access and what they own: sessions, projects, keys, agents. */
export const layer = Layer.mergeAll(
  Agents.layer,
  ApiKeys.layer,
  Authentication.layer,
  BackchannelLogout.layer,
  EscalationPolicy.layer,
  Idempotency.layer,
  InvitationAcceptance.layer,
  Invitations.layer,
  Mail.layer,
  Memberships.layer,
  Mfa.layer,
  MfaPolicy.layer,
  Oidc.layer,
  PasswordResets.layer,
  Projects.layer,
  Retention.layer,
  Sessions.layer,
  Setup.layer,
  TrustedDevices.layer,
  Users.layer
).pipe(Layer.provide(layerScopes))

/** The loops that delete expired rows and send mail. Needs Loops. */
export const layerLoops = Layer.mergeAll(
  Projects.layerLoop,
  Retention.layerLoop,
  Mail.layerLoop,
  PasswordResets.layerLoop
)
