import { Schema } from "effect"
import ipaddr from "ipaddr.js"
import { text } from "./Text.ts"

export const isRange = (range: string): boolean => ipaddr.isValidCIDR(range) || ipaddr.isValid(range)

/** An address or a range of addresses: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export const Cidr = text(64, 1).pipe(
  Schema.filter((range) => isRange(range) || "must be an IP address or a range such as 10.0.0.0/8")
)

const matches = (address: ipaddr.IPv4 | ipaddr.IPv6, range: string): boolean => {
  if (!isRange(range)) return false
  if (!ipaddr.isValidCIDR(range)) return ipaddr.process(range).toString() === address.toString()
  const [base, bits] = ipaddr.parseCIDR(range)
  return address.kind() === base.kind() && address.match(base, bits)
}

/** Whether the address is in one of the ranges. IPv4 in IPv6 form counts as IPv4. */
export const inRanges = (address: string, ranges: ReadonlyArray<string>): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some((range) => matches(parsed, range))
}
