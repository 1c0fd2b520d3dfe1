import ipaddr from "ipaddr.js"
import { type CidrRange, isInRanges, parseAddress, parseCidrs, writeOutZero } from "./Cidr.ts"

/** Addresses and CIDR ranges whose X-Forwarded-For is trusted (SVC_TRUSTED_PROXIES), parsed once. */
export type TrustedProxies = ReadonlyArray<CidrRange>

export const parseProxies = (ranges: ReadonlyArray<string>): TrustedProxies => parseCidrs(ranges)

/** What counts as one client: an IPv4 address in any form, or a /64 of IPv6, the smallest network that a provider assigns. */
export const clientKey = (address: string | null): string => {
  if (address === null || !ipaddr.isValid(address)) return "unknown"
  if (!address.includes(":")) return address
  const { parts } = ipaddr.IPv6.parse(writeOutZero(address))
  const [, , , , , mark = 0, high = 0, low = 0] = parts
  const isMapped = mark === 0xffff && parts.slice(0, 5).every((part) => part === 0)
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : `${parts.slice(0, 4).join(".")}/64`
}

/** A hop of X-Forwarded-For, in its plain form; some proxies write its port too. */
const parseHop = (hop: string): string | null => {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+)(?::\d+)?)$/.exec(hop) ?? []
  const text = bracketed ?? v4 ?? hop
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
    ? ipaddr.process(writeOutZero(text)).toString()
    : null
}

/** Almost every peer: a plain IPv4 address, or one in IPv6 form as a socket that listens on `::` shows it. */
const plainIpv4 = /^(?:::ffff:)?((?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4})$/

/** The address in its plain form, or null. ipaddr.js took 2.6 % of a busy brain's time, so it reads IPv6 only. */
const plainAddress = (address: string): string | null =>
  plainIpv4.exec(address)?.[1] ?? (parseAddress(address)?.toString() ?? null)

/**
 * The address of the client: the peer's, or, when the peer is a trusted proxy, the last address in X-Forwarded-For that
 * is not a trusted proxy. Entries before it are untrusted, because any client can set them. If all entries are trusted,
 * the first is used. An entry that is not an address ends the chain. IPv4 in IPv6 form is shown as IPv4.
 */
export const clientAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies
): string | null => {
  let client = peer === undefined ? null : plainAddress(peer)
  if (client === null) return null
  if (forwardedFor === undefined) return client
  for (const hop of forwardedFor.split(",").reverse()) {
    const address = parseHop(hop.trim())
    if (address === null || !isInRanges(parseAddress(client), proxies)) return client
    client = address
  }
  return client
}
