import ipaddr from "ipaddr.js"
import { isInRanges, type CidrRange, parseCidr } from "./Cidr.ts"

/** Addresses and CIDR ranges whose X-Forwarded-For is believed (SVC_TRUSTED_PROXIES), parsed once. */
export type TrustedProxies = ReadonlyArray<CidrRange>

export const parseProxies = (ranges: ReadonlyArray<string>): TrustedProxies => ranges.map(parseCidr).filter((range) => range !== null)

/** What counts as one client: an IPv4 address, in whatever form, or a /64 of IPv6, which is the least that anybody is given. */
export const clientKey = (address: string | null): string => {
  if (address === null || !ipaddr.isValid(address)) return "unknown"
  if (!address.includes(":")) return address
  const { parts } = ipaddr.IPv6.parse(address)
  const [, , , , , mark = 0, high = 0, low = 0] = parts
  const isMapped = mark === 0xffff && parts.slice(0, 5).every((part) => part === 0)
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : `${parts.slice(0, 4).join(".")}/64`
}

/** A hop of X-Forwarded-For, in its plain form; some proxies write its port too. */
const parseHop = (hop: string): string | null => {
  const [, bracketed, v4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+)(?::\d+)?)$/.exec(hop) ?? []
  const text = bracketed ?? v4 ?? hop
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text).toString() : null
}

/**
 * The address of the client: the peer's, or, when the peer is a trusted proxy, the last address in
 * X-Forwarded-For that is not itself a trusted proxy: what stands before that one, anybody can have written. Of a
 * chain that is trusted altogether it is the first; what is no address ends the chain. IPv4 in IPv6 form is shown as IPv4.
 */
export const clientAddress = (
  peer: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies
): string | null => {
  if (peer === undefined || !ipaddr.isValid(peer)) return null
  let client = ipaddr.process(peer).toString()
  if (forwardedFor === undefined) return client
  for (const hop of forwardedFor.split(",").reverse()) {
    const address = parseHop(hop.trim())
    if (address === null || !isInRanges(client, proxies)) return client
    client = address
  }
  return client
}
