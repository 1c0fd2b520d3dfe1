import { Console, Effect } from "effect"
import { untouched } from "../../layers/KeyFiles.ts"
import * as SecretKeys from "../../layers/SecretKeys.ts"
import { known } from "../../services/Keys/Known.ts"
import { sealedUnder } from "../../services/Keys/Sealed.ts"
import { looking } from "../AuditLog.ts"
import { placeOf, secretsOf } from "../SecretKeys.ts"

export const run = ({ json }: { readonly json: boolean }) =>
  Effect.gen(function*() {
    const keysHere = yield* SecretKeys.read(untouched)
    const held = keysHere.all().map(({ key_id }) => key_id)
    const { active, ids } = yield* known
    const under = yield* sealedUnder
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
      const where = position === null ? "not held here" : `key ${position} of ${placeOf(keysHere.file)}`
      return `${key_id} ${words[state]}: ${secretsOf(secrets)}; ${where}`
    })
    yield* Console.log(lines.join("\n"))
  }).pipe(Effect.provide(looking))
