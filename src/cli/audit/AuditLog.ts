import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import * as AuditKeys from "../../layers/AuditKeys.ts"
import { requireKeyFile } from "../../layers/KeyFiles.ts"
import { CurrentActor } from "../../services/kernel/CurrentActor.ts"
import { publicKeyOf } from "../../services/kernel/keys/SigningKeys.ts"
import { Reader } from "../../services/kernel/sql/Database.ts"
import { layerAudit } from "../program/Administration.ts"
import { CliError } from "../program/Explain.ts"
import { layerInspection } from "../program/ReadOnlyDatabase.ts"

/** The log's existing keys. Creates none. */
export const readKeys = AuditKeys.readAuditKeys(requireKeyFile)

/** The database, read-only. */
export const layerReadOnly = Layer.provideMerge(Layer.effect(SqlClient.SqlClient, Reader), layerInspection)

/** The audit log for changes to its keys and state, with `svc audit` as the actor. */
export const layerAuditLog = Layer.merge(layerAudit, Layer.succeed(CurrentActor, system("svc audit")))

/** Public keys from the command line: the key, or id and key as `svc audit public-key` prints them. */
export const decodePublicKeys = (given: ReadonlyArray<string>) =>
  Effect.forEach(given, (text) => {
    const key = publicKeyOf(text.trim().split(/\s+/).at(-1) ?? "")
    return key === undefined
      ? Effect.fail(
        new CliError({ usage: true, message: "a public key is 43 characters, as svc audit public-key prints it" })
      )
      : Effect.succeed(key)
  })
