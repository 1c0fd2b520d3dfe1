import ipaddr from "ipaddr.js"
import { writeOutZero } from "./Cidr.ts"

const hostNamePattern = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/** A host name or address in the form that is compared: lower case, no dot at its end, addresses in plain form; null for anything else. */
export const normalizeHostName = (text: string): string | null => {
  const lower = text.toLowerCase().replace(/\.$/, "")
  if (ipaddr.IPv4.isValidFourPartDecimal(lower)) return lower
  if (lower.includes(":")) {
    return ipaddr.IPv6.isValid(lower) && !lower.includes("%")
      ? ipaddr.process(writeOutZero(lower)).toString()
      : null
  }
  return hostNamePattern.test(lower) && !/^\d+$/.test(lower.slice(lower.lastIndexOf(".") + 1)) ? lower : null
}

/** What an allow-list holds: a host name, or an address without brackets; no port. */
export const isHostName = (text: string): boolean => normalizeHostName(text) !== null

/** The name or address of a Host header (RFC 9110, 7.2): without its port, which a proxy may have changed; null when it is malformed. */
export const parseHostHeader = (header: string): string | null => {
  const [, bracketed, bare, port = ""] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]@/?#\s]+))(?::(\d{0,5}))?$/.exec(header) ?? []
  if (Number(port) > 65_535) return null
  if (bracketed !== undefined) return bracketed.includes(":") ? normalizeHostName(bracketed) : null
  return bare === undefined ? null : normalizeHostName(bare)
}

/** Names that always mean this machine. DNS rebinding cannot point them at another address. */
export const isLoopbackName = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" ||
  (ipaddr.IPv4.isValid(host) && host.startsWith("127."))
