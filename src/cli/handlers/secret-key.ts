import { Console, Effect, Layer } from "effect"
import { system } from "../../domain/Actor.ts"
import { requireKeyFile } from "../../layers/KeyFiles.ts"
import * as SecretKeys from "../../layers/SecretKeys.ts"
import { CurrentActor } from "../../services/CurrentActor.ts"
import { Keys } from "../../services/Keys.ts"
import { readSecretKeyIds } from "../../services/Keys/Fingerprints.ts"
import { resealStoredSecrets } from "../../services/Keys/Reseal.ts"
import { activateSecretKey, stageSecretKey } from "../../services/Keys/Rotation.ts"
import { countSealedByKey } from "../../services/Keys/SealedColumns.ts"
import { layerAudit } from "../Administration.ts"
import { layerReadOnly } from "../AuditLog.ts"
import { Refused } from "../Explain.ts"

/** What changes the key of stored secrets, recorded as done by `svc secret-key`. */
const layerSecretKeys = Layer.merge(layerAudit, Layer.succeed(CurrentActor, system("svc secret-key")))

const formatSecretCount = (texts: number): string => (texts === 1 ? "1 secret" : `${texts} secrets`)

/** Where the keys are, for people. */
const keyLocationOf = (file: string | null): string => file ?? "SVC_SECRET_KEY"

/** Seals everything anew, and tells what became of it. Fails while a key besides the present one is needed. */
const resealSecrets = Effect.gen(function*() {
  const { secret } = yield* Keys
  const { damaged, key_id, resealed, under } = yield* resealStoredSecrets
  const now = formatSecretCount(under.get(key_id) ?? 0)
  yield* Console.log(`sealed anew: ${formatSecretCount(resealed)}; under the key ${key_id} now: ${now}`)
  for (const { column, id } of damaged) {
    yield* Console.log(`${column} of ${id} is damaged: no key opens it. Make it anew, or delete the row`)
  }
  const needed = [...under].filter(([id]) => id !== key_id)
  if (needed.length > 0) {
    const still = needed.map(([id, texts]) => `${id} (${formatSecretCount(texts)})`).join(", ")
    return yield* new Refused({
      message: `keys that are still needed, so that they may not be taken out: ${still}. Run it again`
    })
  }
  const held = secret.all()
  const others = held.flatMap((one, at) =>
    one.key_id === key_id ? [] : [`${one.key_id} (key ${at + 1} of ${held.length})`])
  if (others.length > 0) {
    const place = secret.file === null
      ? "SVC_SECRET_KEY at every replica, and restart them one after the other"
      : `${secret.file}, at every replica; brains that run forget it when they are started again`
    yield* Console.log(
      `not needed any more: ${others.join(", ")}. Take it out of ${place}. ` +
        "Keep it as long as you keep copies of the database from before"
    )
  }
})

export const show = ({ json }: { readonly json: boolean }) =>
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

export const rotate = (options: { readonly activate: boolean }) =>
  Effect.gen(function*() {
    const { secret } = yield* Keys
    const key_id = yield* stageSecretKey
    if (!options.activate) {
      return yield* Console.log(
        `the key ${key_id} is in ${keyLocationOf(secret.file)}, and seals nothing yet. ` +
          "Give every replica the same keys, then run svc secret-key activate"
      )
    }
    yield* activateSecretKey
    yield* Console.log(`the key ${key_id} seals from now on`)
    yield* resealSecrets
  }).pipe(Effect.provide(layerSecretKeys))

export const activate = () =>
  Effect.gen(function*() {
    const rotation = yield* activateSecretKey
    yield* Console.log(
      rotation === null
        ? "there is nothing to activate: SVC_SECRET_KEY has no key here that was never used"
        : `the key ${rotation.to} seals from now on, instead of ${rotation.from}. Now run svc secret-key reseal`
    )
  }).pipe(Effect.provide(layerSecretKeys))

export const reseal = () => Effect.provide(resealSecrets, layerSecretKeys)
