import { Schema } from "effect"
import ipaddr from "ipaddr.js"
import { text } from "../Text.ts"

/** An address as ipaddr.js has it. */
export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6

/** A range of addresses: its base, and how many bits of it count. */
export type CidrRange = readonly [IpAddress, number]

const { IPv4, IPv6 } = ipaddr

/**
 * ipaddr.js takes an IPv4-compatible address (`::10.0.0.1`, RFC 4291) for the IPv4-mapped `::ffff:10.0.0.1`, and so for
 * 10.0.0.1, which is another address. With its zero written out it reads the address as it is.
 */
export const writeOutZero = (text: string): string => text.replace(/^::(?=\d+\.)/, "0::")

/**
 * Parses a CIDR range; null if invalid. An IPv4-mapped IPv6 range becomes an IPv4 range. `10` and `0x7f.1` are invalid.
 */
export const parseCidr = (text: string): CidrRange | null => {
  const range = writeOutZero(text)
  if (IPv4.isValidFourPartDecimal(range)) return [IPv4.parse(range), 32]
  if (IPv4.isValidCIDRFourPartDecimal(range)) return IPv4.parseCIDR(range)
  const isSingleAddress = IPv6.isValid(range)
  if (!isSingleAddress && !IPv6.isValidCIDR(range)) return null
  const [base, bits] = isSingleAddress ? [IPv6.parse(range), 128] as const : IPv6.parseCIDR(range)
  return base.isIPv4MappedAddress() && bits >= 96 ? [base.toIPv4Address(), bits - 96] : [base, bits]
}

export const isCidr = (range: string): boolean => parseCidr(range) !== null

/** An address or a range of addresses: `203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export const Cidr = text(64, 1).pipe(
  Schema.filter((range) => isCidr(range) || "must be an IP address or a range such as 10.0.0.0/8")
)

/** Parses the valid ones of these ranges. */
export const parseCidrs = (ranges: ReadonlyArray<string>): ReadonlyArray<CidrRange> =>
  ranges.map(parseCidr).filter((range) => range !== null)

/** Parses an address; null if invalid. IPv4 in IPv6 form becomes IPv4. */
export const parseAddress = (address: string): IpAddress | null =>
  ipaddr.isValid(address) ? ipaddr.process(writeOutZero(address)) : null

/** Whether the address is in one of the ranges; an invalid one is in none. */
export const isInRanges = (address: IpAddress | null, ranges: ReadonlyArray<CidrRange>): boolean =>
  address !== null && ranges.some(([base, bits]) => address.kind() === base.kind() && address.match(base, bits))

/** Whether the address is in one of the ranges, given as text. */
export const isInCidrs = (address: string, ranges: ReadonlyArray<string>): boolean =>
  isInRanges(parseAddress(address), parseCidrs(ranges))
