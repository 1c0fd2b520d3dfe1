import { Layer } from "effect"
import { adminScopes, roleScopes, scopes } from "../http/AccessRules.ts"
import { Agents } from "../services/agents/Agents.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { EscalationPolicy } from "../services/ApiKeys/EscalationPolicy.ts"
import { Scopes } from "../services/ApiKeys/Scopes.ts"
import { Authentication } from "../services/Authentication.ts"
import { Invitations } from "../services/Invitations.ts"
import { InvitationAcceptance } from "../services/Invitations/Acceptance.ts"
import { Idempotency } from "../services/kernel/Idempotency.ts"
import { Mail } from "../services/kernel/Mail.ts"
import { Memberships } from "../services/Memberships.ts"
import { Mfa } from "../services/Mfa.ts"
import { Oidc } from "../services/Oidc.ts"
import { BackchannelLogout } from "../services/Oidc/BackchannelLogout.ts"
import { PasswordResets } from "../services/PasswordResets.ts"
import { Projects } from "../services/Projects.ts"
import * as DeletedProjects from "../services/Projects/Sweeper.ts"
import { Retention } from "../services/Retention.ts"
import { Sessions } from "../services/Sessions.ts"
import { Setup } from "../services/Setup.ts"
import { TrustedDevices } from "../services/TrustedDevices.ts"
import { Users } from "../services/Users.ts"

/** The scopes that API keys can hold and grant, from the declarations of the endpoints. */
export const layerScopes = Layer.succeed(Scopes, { scopes, admin_only: adminScopes, by_role: roleScopes })

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
  DeletedProjects.layer,
  Retention.layerLoop,
  Mail.layerLoop,
  PasswordResets.layerLoop
)
