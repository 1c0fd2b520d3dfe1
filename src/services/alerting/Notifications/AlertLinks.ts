import { Effect, type Layer } from "effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import { type Timestamp, toEpochSeconds } from "../../../domain/kernel/Timestamp.ts"
import type { SymmetricKey } from "../../kernel/keys/KeyRing.ts"
import { getSealingKey, Keys } from "../../kernel/keys/Keys.ts"
import { publicUrlOf } from "../../kernel/PublicUrl.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql, Reader } from "../../kernel/sql/Database.ts"

const purposes = ["acknowledge", "snooze"] as const
export type LinkPurpose = (typeof purposes)[number]

/** What a signed link allows its holder: one action on one alert. */
export interface AlertLink {
  readonly alert_id: string
  /** The channel that the link was sent through. */
  readonly channel_id: string
  readonly purpose: LinkPurpose
}

/** A delivery is tried for 76 hours at most. */
const validSeconds = 7 * 86_400

const idBytes = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex")
const idText = (bytes: Buffer) => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** Apart from the key's other use, which encrypts. */
const macOf = ({ key }: SymmetricKey, body: Buffer) =>
  createHmac("sha256", createHmac("sha256", key).update("svc alert links v1").digest()).update(body).digest()

/** Links in messages that acknowledge or snooze an alert without a login. */
export class AlertLinks extends Effect.Service<AlertLinks>()("svc/AlertLinks", {
  effect: Effect.gen(function*() {
    const { secret } = yield* Keys
    const read = yield* Reader
    const publicUrl = publicUrlOf(yield* Settings)

    /** Signs links that are valid for 7 days. */
    const makeSigner = (now: Timestamp) =>
      Effect.map(orDieOnSql(getSealingKey(read, secret)), (key) => {
        const expiry = Buffer.alloc(6)
        expiry.writeUIntBE(toEpochSeconds(now) + validSeconds, 0, 6)
        return (alertId: string, channelId: string, purpose: LinkPurpose): string => {
          const body = Buffer.concat([
            Buffer.of(purposes.indexOf(purpose)),
            expiry,
            idBytes(alertId),
            idBytes(channelId)
          ])
          const token = `${key.key_id}.${body.toString("base64url")}.${macOf(key, body).toString("base64url")}`
          return `${publicUrl}/alert?token=${token}`
        }
      })

    /** Null for a token that is forged, expired or of a key that this brain does not have. */
    const verify = (token: string, now: Timestamp): AlertLink | null => {
      const [, keyId = "", body = "", mac = ""] = /^([0-9a-f]{32})\.([\w-]{52})\.([\w-]{43})$/.exec(token) ?? []
      const key = keyId === "" ? undefined : secret.find(keyId)
      if (key === undefined) return null
      const bytes = Buffer.from(body, "base64url")
      // as text: two bits of its last character are not part of the bytes
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, bytes).toString("base64url")))) return null
      const purpose = purposes[bytes[0] ?? -1]
      if (purpose === undefined || bytes.readUIntBE(1, 6) < toEpochSeconds(now)) return null
      return { purpose, alert_id: idText(bytes.subarray(7, 23)), channel_id: idText(bytes.subarray(23, 39)) }
    }

    return { makeSigner, verify } as const
  })
}) {
  static readonly layer: Layer.Layer<AlertLinks, never, Keys | Reader | Settings> = this.Default
}
