import { Console, Effect, Layer } from "effect"
import { system } from "../domain/Actor.ts"
import { CurrentActor } from "../services/CurrentActor.ts"
import { Keys } from "../services/Keys.ts"
import { resealStoredSecrets } from "../services/Keys/Reseal.ts"
import { layerAudit } from "./Administration.ts"
import { Refused } from "./Explain.ts"

/** What changes the key of stored secrets, recorded as done by `svc secret-key`. */
export const layerSecretKeys = Layer.merge(layerAudit, Layer.succeed(CurrentActor, system("svc secret-key")))

export const formatSecretCount = (texts: number): string => (texts === 1 ? "1 secret" : `${texts} secrets`)

/** Where the keys are, for people. */
export const keyLocationOf = (file: string | null): string => file ?? "SVC_SECRET_KEY"

/** Seals everything anew, and tells what became of it. Fails while a key besides the present one is needed. */
export const resealSecrets = Effect.gen(function*() {
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
