import { Console, Effect, Layer } from "effect"
import { system } from "../../../domain/kernel/Actor.ts"
import { requireKeyFile } from "../../../layers/KeyFiles.ts"
import * as SecretKeys from "../../../layers/SecretKeys.ts"
import { CurrentActor } from "../../../services/kernel/CurrentActor.ts"
import { readSecretKeyIds } from "../../../services/kernel/keys/Fingerprints.ts"
import { Keys } from "../../../services/kernel/keys/Keys.ts"
import { countSealedByKey } from "../../../services/kernel/keys/SealedColumns.ts"
import { activateSecretKey, stageSecretKey } from "../../../services/operations/KeyRotation.ts"
import { resealStoredSecrets } from "../../../services/operations/KeyRotation/Reseal.ts"
import { layerReadOnly } from "../../audit/AuditLog.ts"
import { layerAudit } from "../../program/Administration.ts"
import { CliError } from "../../program/Explain.ts"
import { type HandlersOf, handleWith } from "../../program/Group.ts"
import type { definitions } from "../secret-key.ts"

/** The database and the audit log, with `svc secret-key` as the actor. */
const layerSecretKeys = Layer.merge(layerAudit, Layer.succeed(CurrentActor, system("svc secret-key")))

const formatSecretCount = (texts: number): string => (texts === 1 ? "1 secret" : `${texts} secrets`)

const keyLocationOf = (file: string | null): string => file ?? "SVC_SECRET_KEY"

/** Re-encrypts all stored secrets and prints the result. Fails while another key than the active one is needed. */
const resealSecrets = Effect.gen(function*() {
  const { secret } = yield* Keys
  const { damaged, key_id, resealed, under } = yield* resealStoredSecrets
  const now = formatSecretCount(under.get(key_id) ?? 0)
  yield* Console.log(`re-encrypted: ${formatSecretCount(resealed)}; encrypted with the key ${key_id} now: ${now}`)
  for (const { column, id } of damaged) {
    yield* Console.log(`${column} of ${id} is damaged: no key decrypts it. Create the secret again, or delete the row`)
  }
  const neededKeys = [...under].filter(([id]) => id !== key_id)
  if (neededKeys.length > 0) {
    const neededText = neededKeys.map(([id, texts]) => `${id} (${formatSecretCount(texts)})`).join(", ")
    return yield* new CliError({
      message: `some keys are still needed and must stay: ${neededText}. Run svc secret-key reseal again`
    })
  }
  const localKeys = secret.all()
  const others = localKeys.flatMap((one, index) =>
    one.key_id === key_id ? [] : [`${one.key_id} (key ${index + 1} of ${localKeys.length})`]
  )
  if (others.length > 0) {
    const place = secret.file === null
      ? "SVC_SECRET_KEY at every replica, and restart them one after the other"
      : `${secret.file}, at every replica; a running brain drops it at its next start`
    yield* Console.log(
      `no longer needed: ${others.join(", ")}. Remove it from ${place}. ` +
        "Keep a copy as long as you keep backups of the database from before"
    )
  }
})

const changeKeys = handleWith(layerSecretKeys)

export const handlers: HandlersOf<typeof definitions> = {
  show: handleWith(layerReadOnly)(function*({ json }) {
    const keysHere = yield* SecretKeys.readSecretKeys(requireKeyFile)
    const localIds = keysHere.all().map(({ key_id }) => key_id)
    const { active, ids } = yield* readSecretKeyIds
    const under = yield* countSealedByKey
    const keys = [...new Set([...ids, ...under.keys(), ...localIds])].map((key_id) => ({
      key_id,
      state: key_id === active ? "active" as const : ids.includes(key_id) ? "former" as const : "unused" as const,
      /** Its place among the keys of this machine, from 1; null when this machine does not have it. */
      position: localIds.includes(key_id) ? localIds.indexOf(key_id) + 1 : null,
      secrets: under.get(key_id) ?? 0
    }))
    if (json) return yield* Console.log(JSON.stringify(keys))
    const words = { active: "active", former: "former", unused: "never used" }
    const lines = keys.map(({ key_id, position, secrets, state }) => {
      const where = position === null ? "not on this machine" : `key ${position} of ${keyLocationOf(keysHere.file)}`
      return `${key_id} ${words[state]}: ${formatSecretCount(secrets)}; ${where}`
    })
    yield* Console.log(lines.join("\n"))
  }),
  rotate: changeKeys(function*(options) {
    const { secret } = yield* Keys
    const key_id = yield* stageSecretKey
    if (!options.activate) {
      return yield* Console.log(
        `the key ${key_id} is in ${keyLocationOf(secret.file)}, and encrypts nothing yet. ` +
          "Give every replica the same keys, then run svc secret-key activate"
      )
    }
    yield* activateSecretKey
    yield* Console.log(`the key ${key_id} encrypts from now on`)
    yield* resealSecrets
  }),
  activate: changeKeys(function*() {
    const rotation = yield* activateSecretKey
    yield* Console.log(
      rotation === null
        ? "nothing to activate: SVC_SECRET_KEY has no unused key on this machine"
        : `the key ${rotation.to} encrypts from now on, instead of ${rotation.from}. Now run svc secret-key reseal`
    )
  }),
  reseal: () => Effect.provide(resealSecrets, layerSecretKeys)
}
