import { Console, Effect } from "effect"
import { requireKeyFile } from "../../layers/KeyFiles.ts"
import * as SecretKeys from "../../layers/SecretKeys.ts"
import { readSecretKeyIds } from "../../services/Keys/Fingerprints.ts"
import { countSealedByKey } from "../../services/Keys/SealedColumns.ts"
import { layerReadOnly } from "../AuditLog.ts"
import { keyLocationOf, formatSecretCount } from "../SecretKeys.ts"

export const run = ({ json }: { readonly json: boolean }) =>
  Effect.gen(function*() {
    const keysHere = yield* SecretKeys.readSecretKeys(requireKeyFile)
    const held = keysHere.all().map(({ key_id }) => key_id)
    const { active, ids } = yield* readSecretKeyIds
    const under = yield* countSealedByKey
    const keys = [...new Set([...ids, ...under.keys(), ...held])].map((key_id) => ({
      key_id,
      state: key_id === active ? "active" as const : ids.includes(key_id) ? "former" as const : "unused" as const,
      /** Its place among the keys that are here, from 1; null when it is not. */
      position: held.includes(key_id) ? held.indexOf(key_id) + 1 : null,
      secrets: under.get(key_id) ?? 0
    }))
    if (json) return yield* Console.log(JSON.stringify(keys))
    const words = { active: "seals", former: "sealed before", unused: "never used" }
    const lines = keys.map(({ key_id, position, secrets, state }) => {
      const where = position === null ? "not held here" : `key ${position} of ${keyLocationOf(keysHere.file)}`
      return `${key_id} ${words[state]}: ${formatSecretCount(secrets)}; ${where}`
    })
    yield* Console.log(lines.join("\n"))
  }).pipe(Effect.provide(layerReadOnly))
