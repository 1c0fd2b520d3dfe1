import { Array as Arr, Layer, Logger, LogLevel } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import * as AuditLog from "../../layers/AuditLog.ts"
import * as DatabaseLayer from "../../layers/Database.ts"
import { layerScopes } from "../../layers/Identity.ts"
import { MfaReset } from "../../services/identity/Mfa/Reset.ts"
import { PasswordResets } from "../../services/identity/PasswordResets.ts"
import { Projects } from "../../services/identity/Projects.ts"
import { Setup } from "../../services/identity/Setup.ts"
import { Users } from "../../services/identity/Users.ts"
import { CurrentActor } from "../../services/kernel/CurrentActor.ts"
import { Vault } from "../../services/kernel/keys/Keys.ts"
import { Metrics } from "../../services/kernel/Metrics.ts"
import * as Removal from "../../services/operations/Removal.ts"
import { errorLine } from "../io/Console.ts"
import { handleWith } from "./Group.ts"
import { settings } from "./Settings.ts"

/** Warnings of the services, such as an audit row that its webhook refused, as a line each on standard error. */
export const layerWarnings = Logger.add(Logger.make(({ logLevel, message }) => {
  if (LogLevel.greaterThanEqual(logLevel, LogLevel.Warning)) {
    process.stderr.write(`${errorLine("svc", Arr.ensure(message).map(String).join(" "))}\n`)
  }
}))

/** The audit log for writing, over the migrated database. */
export const layerAudit = AuditLog.layer.pipe(
  Layer.provideMerge(Metrics.layer),
  Layer.provideMerge(DatabaseLayer.layer),
  Layer.provideMerge(settings()),
  Layer.provideMerge(layerWarnings)
)

/** Users, their second factor, projects and the first boot, without the brain's loops. */
export const layerAdministration = Layer.mergeAll(
  MfaReset.layer,
  PasswordResets.layer,
  Projects.layer,
  Setup.layer,
  Users.layer
).pipe(
  Layer.provide(Removal.layer),
  Layer.provide([layerScopes, Vault.layer]),
  Layer.provideMerge(layerAudit)
)

/** Makes handlers that administer users and projects, with this actor in the audit log. */
export const handleAs = (actor: string) =>
  handleWith(Layer.merge(layerAdministration, Layer.succeed(CurrentActor, system(actor))))
