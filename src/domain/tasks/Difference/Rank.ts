import type { DifferenceField } from "../Difference.ts"

/** How many of the failed and of the succeeded tasks have a property. */
export interface PropertyCount {
  readonly field: DifferenceField
  /** The place of an argument; null for other fields. */
  readonly path: string | null
  /** Null: whichever value an argument has there. */
  readonly value: string | null
  readonly failures: number
  readonly successes: number
}

/** Fewer failures with a property than this are a coincidence. */
const minFailures = 3
/** A property must be so much more frequent among failures, in shares from 0 to 1. */
const minDifference = 0.1
/**
 * The standard score of the difference of two shares. Hundreds of properties are compared at once: by chance one of a
 * thousand is above 3.
 */
const minScore = 3
export const maxDifferences = 20

/**
 * The properties that are over-represented among the failures, the largest difference of shares first. Neither side may
 * be empty.
 */
export const rankDifferences = (
  counts: Iterable<PropertyCount>,
  failures: number,
  successes: number
): ReadonlyArray<PropertyCount> => {
  if (failures === 0 || successes === 0) return []
  const found: Array<{ readonly count: PropertyCount; readonly difference: number }> = []
  for (const count of counts) {
    const difference = count.failures / failures - count.successes / successes
    if (count.failures < minFailures || difference < minDifference) continue
    const pooled = (count.failures + count.successes) / (failures + successes)
    const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / failures + 1 / successes))
    if (deviation === 0 || difference / deviation < minScore) continue
    found.push({ count, difference })
  }
  return found
    .sort((a, b) => b.difference - a.difference || b.count.failures - a.count.failures || compare(a.count, b.count))
    .slice(0, maxDifferences)
    .map(({ count }) => count)
}

const textOf = ({ field, path, value }: PropertyCount): string => [field, path, value].join("\0")
const compare = (a: PropertyCount, b: PropertyCount): number => (textOf(a) < textOf(b) ? -1 : 1)
