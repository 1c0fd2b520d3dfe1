import { isCidr } from "./Cidr.ts"

/** A range of internal addresses that may be called, and at which ports. */
export interface AllowedTarget {
  readonly range: string
  readonly first: number
  readonly last: number
}

/** Where a range is named without ports: https, http, and the ports of mail servers that channels may name. */
const standardPorts = [443, 80, 25, 465, 587, 2525].map((port) => ({ first: port, last: port }))

const pattern = /^(?:\[([^\]]+)\]|([\d./]+))(?::(?:(\d{1,5})(?:-(\d{1,5}))?|(\*)))?$/

/**
 * Parses `10.1.2.0/24:8443`, `10.1.2.3:8000-8100`, `[fd00::/8]:443`, `10.1.2.3:*` for all ports, and a range without
 * ports, which has the standard ones; null for anything else.
 */
export const parseAllowedTarget = (text: string): ReadonlyArray<AllowedTarget> | null => {
  const [match, bracketed, v4, from, to, all] = pattern.exec(text) ?? []
  const range = match === undefined ? text : bracketed ?? v4 ?? ""
  if (!isCidr(range)) return null
  if (from === undefined && all === undefined) return standardPorts.map((ports) => ({ range, ...ports }))
  const [first, last] = all === undefined ? [Number(from), Number(to ?? from)] : [1, 65_535]
  return first >= 1 && last >= first && last <= 65_535 ? [{ range, first, last }] : null
}

/** The ranges that may be called at a port. */
export const rangesAt = (targets: ReadonlyArray<AllowedTarget>, port: number): ReadonlyArray<string> =>
  targets.filter(({ first, last }) => port >= first && port <= last).map(({ range }) => range)
