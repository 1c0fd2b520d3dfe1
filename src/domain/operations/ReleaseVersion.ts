/** A version of semver 2.0.0, without build metadata, as npm publishes it. */
const pattern = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/

export const isVersion = (text: unknown): text is string =>
  typeof text === "string" && text.length <= 100 && pattern.test(text)

const comparePart = (one: string, other: string): number => {
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber && isOtherNumber) return Number(one) - Number(other)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return one < other ? -1 : one > other ? 1 : 0
}

/** Semver's order (its section 11): negative when `one` comes before `other`. Both must be versions. */
export const compareVersions = (one: string, other: string): number => {
  const [, ...left] = pattern.exec(one) ?? []
  const [, ...right] = pattern.exec(other) ?? []
  for (const index of [0, 1, 2]) {
    const difference = Number(left[index]) - Number(right[index])
    if (difference !== 0) return difference
  }
  const [before, after] = [left[3], right[3]]
  if (before === undefined || after === undefined) return before === after ? 0 : before === undefined ? 1 : -1
  const [parts, otherParts] = [before.split("."), after.split(".")]
  for (const [index, part] of parts.entries()) {
    const otherPart = otherParts[index]
    if (otherPart === undefined) return 1
    const difference = comparePart(part, otherPart)
    if (difference !== 0) return difference
  }
  return parts.length - otherParts.length
}

export const isNewer = (candidate: string, than: string): boolean => compareVersions(candidate, than) > 0
