import { Array as Arr, Layer, Logger, LogLevel } from "effect"
import * as AuditLog from "../layers/AuditLog.ts"
import * as DatabaseLayer from "../layers/Database.ts"
import { layerEscalationPolicy } from "../layers/Identity.ts"
import { Mail } from "../services/Mail.ts"
import { Notices } from "../services/Mail/Notices.ts"
import { MailTransport } from "../services/Mail/Transport.ts"
import { Metrics } from "../services/Metrics.ts"
import { PasswordResets } from "../services/PasswordResets.ts"
import { PasswordResetsRepo } from "../services/PasswordResets/Repo.ts"
import { Vault } from "../services/Keys.ts"
import { MfaRepo } from "../services/Mfa/Repo.ts"
import { MfaReset } from "../services/Mfa/Reset.ts"
import { Projects } from "../services/Projects.ts"
import { ProjectsRepo } from "../services/Projects/Repo.ts"
import { SessionsRepo } from "../services/Sessions/Repo.ts"
import { Setup } from "../services/Setup.ts"
import { SetupRepo } from "../services/Setup/Repo.ts"
import { TrustedDevicesRepo } from "../services/TrustedDevices/Repo.ts"
import { Users } from "../services/Users.ts"
import { Passwords } from "../services/Users/Passwords.ts"
import { UsersRepo } from "../services/Users/Repo.ts"
import { errorLine } from "./Console.ts"
import { settings } from "./Settings.ts"

/** What the services warn of, such as an audit row that its webhook did not take: a line each for the person. */
const layerWarnings = Logger.add(Logger.make(({ logLevel, message }) => {
  if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) process.stderr.write(`${errorLine(Arr.ensure(message).map(String).join(" "))}\n`)
}))

/** What writes to the audit log, over the migrated database. */
export const layerAudit = AuditLog.layer.pipe(
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(DatabaseLayer.layer),
  Layer.provideMerge(settings()),
  Layer.provideMerge(layerWarnings)
)

/** Users, their second factor and the first boot; none of the brain's loops, which the server runs. */
export const layerAdministration = Layer.mergeAll(MfaReset.layer, PasswordResets.layer, Setup.layer, Users.layer).pipe(
  Layer.provide(Projects.layer),
  Layer.provide(Notices.layer.pipe(Layer.provideMerge(Mail.layer), Layer.provide(MailTransport.layer))),
  Layer.provide(Layer.mergeAll(
    MfaRepo.layer,
    PasswordResetsRepo.layer,
    Passwords.layer,
    ProjectsRepo.layer,
    SessionsRepo.layer,
    SetupRepo.layer,
    TrustedDevicesRepo.layer,
    UsersRepo.layer
  )),
  Layer.provide(Layer.merge(layerEscalationPolicy, Vault.layer)),
  Layer.provideMerge(layerAudit)
)
