const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Units as people write them, the largest first; the first name of each is the one that is shown. */
const units = [
  { millis: day, names: ["d", "day", "days"] },
  { millis: hour, names: ["h", "hour", "hours"] },
  { millis: minute, names: ["min", "m", "mins", "minute", "minutes"] },
  { millis: 1_000, names: ["s", "sec", "secs", "second", "seconds"] },
  { millis: 1, names: ["ms"] }
] as const

const millisOf = new Map<string, number>(units.flatMap(({ millis, names }) => names.map((name) => [name, millis])))

/** The milliseconds of "90", "15 min", "1h 30m" or "1.5 h"; a number alone is in `unit`. Null: it is no duration. */
export const parseDuration = (text: string, unit: number): number | null => {
  const trimmed = text.trim().toLowerCase()
  if (/^\d+(?:[.,]\d+)?$/.test(trimmed)) return Number(trimmed.replace(",", ".")) * unit
  if (!/^(?:\d+(?:[.,]\d+)?\s*[a-z]+\s*)+$/.test(trimmed)) return null
  let total = 0
  for (const [, amount = "", name = ""] of trimmed.matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z]+)/g)) {
    const millis = millisOf.get(name)
    if (millis === undefined) return null
    total += Number(amount.replace(",", ".")) * millis
  }
  return Math.round(total)
}

/** "1 h 30 min", which `parseDuration` reads back; 0 is "0 s". The symbols are those of SI, in every language. */
export const formatDuration = (millis: number): string => {
  const parts: Array<string> = []
  let rest = millis
  for (const { millis: size, names: [name] } of units) {
    const amount = Math.floor(rest / size)
    if (amount > 0) parts.push(`${amount} ${name}`)
    rest -= amount * size
  }
  return parts.length === 0 ? "0 s" : parts.join(" ")
}
