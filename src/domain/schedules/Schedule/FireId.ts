import { createHash } from "node:crypto"
import type { ScheduleId } from "../../kernel/Id.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"

/** UUIDv5 (RFC 9562, section 5.5). */
export const uuidv5 = (namespace: string, name: string): string => {
  const bytes = createHash("sha1").update(namespace.replaceAll("-", ""), "hex").update(name, "utf8").digest()
  bytes[6] = 0x50 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString("hex", 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const dnsNamespace = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
const fireNamespace = uuidv5(dnsNamespace, "z4j-scheduler.fire-id.v1")

/**
 * The id of the fire of a tick: whichever scheduler computes it, it is the same, so a tick fires once (the agents'
 * protocol, section 7). The tick is written in whole seconds with the offset +00:00.
 */
export const fireIdOf = (scheduleId: ScheduleId, tick: Timestamp): string =>
  uuidv5(fireNamespace, `${scheduleId}:${tick.slice(0, 19)}+00:00`)
