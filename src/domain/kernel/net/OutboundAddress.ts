import ipaddr from "ipaddr.js"
import { isInCidrs, writeOutZero } from "./Cidr.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Azure's metadata address is in a public range. Other clouds use link-local, CGNAT or unique-local addresses. */
const azureMetadataAddress = "168.63.129.16"

/** Global addresses of IPv6; all others are local, mapped, or unassigned. */
const globalV6 = ipaddr.parseCIDR("2000::/3")

const v4At = (bytes: ReadonlyArray<number>, ...places: ReadonlyArray<number>): string =>
  places.map((place) => bytes[place] ?? 0).join(".")

const inRange = (address: Address, [base, bits]: readonly [Address, number]): boolean =>
  address.kind() === base.kind() && address.match(base, bits)

/** Transition prefixes that embed an IPv4 address to which the network forwards, with its position. */
const carriers: ReadonlyArray<
  {
    readonly range: readonly [Address, number]
    readonly within: (bytes: ReadonlyArray<number>) => ReadonlyArray<string>
  }
> = [
  { range: ipaddr.parseCIDR("64:ff9b::/96"), within: (bytes) => [v4At(bytes, 12, 13, 14, 15)] }, // NAT64, RFC 6052
  { // NAT64 of a network's own, RFC 8215: at bit 48 around the octet 8, or at the end; the place that is not used is zero
    range: ipaddr.parseCIDR("64:ff9b:1::/48"),
    within: (bytes) => [v4At(bytes, 6, 7, 9, 10), v4At(bytes, 12, 13, 14, 15)].filter((inner) => inner !== "0.0.0.0")
  },
  { range: ipaddr.parseCIDR("2002::/16"), within: (bytes) => [v4At(bytes, 2, 3, 4, 5)] }, // 6to4
  { // Teredo: the server, and the client with its bits turned
    range: ipaddr.parseCIDR("2001::/32"),
    within: (bytes) => [v4At(bytes, 4, 5, 6, 7), v4At(bytes.map((byte) => 255 - byte), 12, 13, 14, 15)]
  },
  { range: ipaddr.parseCIDR("::/96"), within: (bytes) => [v4At(bytes, 12, 13, 14, 15)] } // IPv4-compatible, given up long ago
]

const nonPublicRangeOf = (address: Address): string | null => {
  if (address.toString() === azureMetadataAddress) return "cloudMetadata"
  const name = address.range()
  if (name !== "unicast") return name
  return address.kind() === "ipv6" && !inRange(address, globalV6) ? "reserved" : null
}

/** The address in its plain form, however it is written (`0x7f.1` is 127.0.0.1); null for a name. */
export const parseAddress = (
  text: string
): string | null => (ipaddr.isValid(text) ? ipaddr.parse(writeOutZero(text)).toString() : null)

/**
 * Returns the refused range (`loopback`, `private`, `linkLocal`, `rfc6052` for NAT64, ...), or null if the address is
 * allowed. Ranges in `allowed` are accepted; an IPv4 address that such an address embeds must pass the same check.
 * Other IPv4-mapped IPv6 addresses are refused, because no public name has one.
 */
export const findRefusedRange = (text: string, allowed: ReadonlyArray<string>): string | null => {
  if (!ipaddr.isValid(text)) return "no address"
  const address = ipaddr.parse(writeOutZero(text))
  if (isInCidrs(text, allowed)) {
    const carrier = carriers.find(({ range }) => inRange(address, range))
    const inner = carrier?.within(address.toByteArray()) ?? []
    return inner.map((one) => findRefusedRange(one, allowed)).find((name) => name !== null) ?? null
  }
  return nonPublicRangeOf(address)
}
