const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const seconds = { millis: 1_000, names: ["s", "sec", "secs", "second", "seconds"] } as const
const milliseconds = { millis: 1, names: ["ms"] } as const

/** Units as people write them, the largest first; the first name of each is the one that is shown. */
const units = [
  { millis: day, names: ["d", "day", "days"] },
  { millis: hour, names: ["h", "hour", "hours"] },
  { millis: minute, names: ["min", "m", "mins", "minute", "minutes"] },
  seconds,
  milliseconds
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

const japanese = { d: "日", h: "時間", min: "分", s: "秒", ms: "ミリ秒" } as const

/** Three digits, of which at most two are behind the point. */
const round = (value: number): number => {
  const scale = value >= 100 ? 1 : value >= 10 ? 10 : 100
  return Math.round(value * scale) / scale
}

/** A duration to read: "4.1 s", and from a minute on its two largest units, such as "1 h 30 min". Japanese has words for them. */
export const describeDuration = (
  millis: number,
  language: string,
  writeNumber: (value: number) => string
): string => {
  const isJapanese = language.startsWith("ja")
  const [first = milliseconds, second = milliseconds] = units.slice(
    units.findIndex(({ millis: size }) => millis >= size)
  )
  const write = (value: number, { names: [symbol] }: (typeof units)[number]) =>
    isJapanese ? `${writeNumber(value)}${japanese[symbol]}` : `${writeNumber(value)}\u00a0${symbol}`
  if (millis === 0) return write(0, seconds)
  if (first.millis < minute) return write(round(millis / first.millis), first)
  const rest = Math.floor((millis % first.millis) / second.millis)
  return [write(Math.floor(millis / first.millis), first), ...(rest === 0 ? [] : [write(rest, second)])]
    .join(isJapanese ? "" : "\u00a0")
}
