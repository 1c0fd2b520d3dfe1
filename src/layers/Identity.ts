import { Layer } from "effect"
import { adminScopes, roleScopes, scopes } from "../http/AccessRules.ts"
import { Agents } from "../services/Agents.ts"
import { AgentsRepo } from "../services/Agents/Repo.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { EscalationPolicy } from "../services/ApiKeys/EscalationPolicy.ts"
import { ApiKeysRepo } from "../services/ApiKeys/Repo.ts"
import { Scopes } from "../services/ApiKeys/Scopes.ts"
import { Authentication } from "../services/Authentication.ts"
import { Idempotency } from "../services/Idempotency.ts"
import { Invitations } from "../services/Invitations.ts"
import { InvitationAcceptance } from "../services/Invitations/Acceptance.ts"
import { InvitationsRepo } from "../services/Invitations/Repo.ts"
import { Mail } from "../services/Mail.ts"
import { Notices } from "../services/Mail/Notices.ts"
import { MailTransport } from "../services/Mail/Transport.ts"
import { Memberships } from "../services/Memberships.ts"
import { MembershipsRepo } from "../services/Memberships/Repo.ts"
import { PasswordResets } from "../services/PasswordResets.ts"
import { PasswordResetsRepo } from "../services/PasswordResets/Repo.ts"
import { Mfa } from "../services/Mfa.ts"
import { MfaLogin } from "../services/Mfa/Login.ts"
import { MfaRepo } from "../services/Mfa/Repo.ts"
import { Projects } from "../services/Projects.ts"
import { ProjectsRepo } from "../services/Projects/Repo.ts"
import * as DeletedProjects from "../services/Projects/Sweeper.ts"
import { Retention } from "../services/Retention.ts"
import { Sessions } from "../services/Sessions.ts"
import { SessionOpening } from "../services/Sessions/Opening.ts"
import { CurrentPassword } from "../services/Sessions/CurrentPassword.ts"
import { PasswordChange } from "../services/Sessions/PasswordChange.ts"
import { SessionsRepo } from "../services/Sessions/Repo.ts"
import { Setup } from "../services/Setup.ts"
import { SetupRepo } from "../services/Setup/Repo.ts"
import { TrustedDevices } from "../services/TrustedDevices.ts"
import { TrustedDevicesRepo } from "../services/TrustedDevices/Repo.ts"
import { Users } from "../services/Users.ts"
import { Passwords } from "../services/Users/Passwords.ts"
import { UsersRepo } from "../services/Users/Repo.ts"

/** Needs Settings, Vault and the database; the loop that sends is in `loops`. */
const layerMail = Notices.layer.pipe(Layer.provideMerge(Mail.layer), Layer.provide(MailTransport.layer))

/** What API keys can hold and give, from the declarations of the endpoints. */
export const layerEscalationPolicy = EscalationPolicy.layer.pipe(
  Layer.provideMerge(Layer.succeed(Scopes, { scopes, admin_only: adminScopes, by_role: roleScopes }))
)

/** Who there is, what they may do, and what they own: users, sessions, projects, keys, agents. */
export const layer = Layer.mergeAll(
  Agents.layer,
  ApiKeys.layer,
  Authentication.layer,
  Idempotency.layer,
  InvitationAcceptance.layer,
  Invitations.layer,
  Memberships.layer,
  PasswordResets.layer,
  Mfa.layer,
  Retention.layer,
  Setup.layer,
  Users.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Projects.layer, Sessions.layer, TrustedDevices.layer)),
  Layer.provide(PasswordChange.layer),
  Layer.provide(Layer.mergeAll(MfaLogin.layer, CurrentPassword.layer, SessionOpening.layer)),
  Layer.provideMerge(layerMail),
  Layer.provide(layerEscalationPolicy),
  Layer.provide(Layer.mergeAll(
    AgentsRepo.layer,
    ApiKeysRepo.layer,
    InvitationsRepo.layer,
    Passwords.layer,
    PasswordResetsRepo.layer,
    MembershipsRepo.layer,
    MfaRepo.layer,
    ProjectsRepo.layer,
    SessionsRepo.layer,
    SetupRepo.layer,
    TrustedDevicesRepo.layer,
    UsersRepo.layer
  ))
)

/** What cleans up after them, and what sends their mail. Needs `layer` and Loops. */
export const layerLoops = Layer.mergeAll(DeletedProjects.layer, Retention.loop, Mail.loop, PasswordResets.loop)
