import { LosslessNumber } from "lossless-json"

export type Members = ReadonlyArray<readonly [string, unknown]>

/** The members of an object or array; null: the value has none. */
export const membersOf = (value: unknown): Members | null => {
  if (Array.isArray(value)) return value.map((item: unknown, index) => [String(index), item] as const)
  if (typeof value === "object" && value !== null && !(value instanceof LosslessNumber)) return Object.entries(value)
  return null
}

const contains = (value: unknown, sought: string): boolean => {
  const members = membersOf(value)
  if (members !== null) {
    return members.some(([name, member]) => name.toLowerCase().includes(sought) || contains(member, sought))
  }
  return String(value instanceof LosslessNumber ? value.toString() : value).toLowerCase().includes(sought)
}

export interface Found {
  readonly name: string
  readonly value: unknown
  /** Its name matches, so that its whole value is shown; else the search continues in the value. */
  readonly isByName: boolean
}

/** The members whose names or values contain a text in lower case; all of them where it is empty. */
export const findMembers = (members: Members, sought: string): ReadonlyArray<Found> =>
  members.flatMap(([name, value]) => {
    const isByName = sought !== "" && name.toLowerCase().includes(sought)
    return sought === "" || isByName || contains(value, sought) ? [{ name, value, isByName }] : []
  })
