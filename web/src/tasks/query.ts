import type { TaskState } from "./states.ts"

/** Terms of a query of the list of tasks (docs/api.md, Queries), for links to it. */
export interface TaskQuery {
  readonly state?: TaskState
  /** Several with commas. */
  readonly priority?: string
  /** Part of the name. */
  readonly name?: string
  /** The whole name. */
  readonly exactName?: string
  readonly queue?: string
  readonly engine?: string
  readonly worker?: string
  /** Of a failure group. */
  readonly fingerprint?: string
  /** An age such as `1h`, or a moment such as `2026-11-22T10:00Z`. */
  readonly since?: string
  readonly until?: string
  /** As `since`: the task ended then or later. */
  readonly finished?: string
  /** The task ended before; also `until`, so that a search begins there. Only with `finished`. */
  readonly finishedBefore?: string
  /** Comparisons with a duration, such as `>120ms`. */
  readonly runtime?: ReadonlyArray<string>
  readonly search?: string
}

const terms = [
  "state",
  "priority",
  "name",
  "queue",
  "engine",
  "worker",
  "fingerprint",
  "since",
  "until",
  "finished"
] as const
/** Their commas separate values, and their colons belong to a time. */
const plainTerms: ReadonlySet<string> = new Set(["state", "priority", "since", "until", "finished"])

const quote = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`

/** A value after a term's colon, in quotes where a character of it would mean something else. */
export const quoteValue = (
  value: string
): string => (value === "" || /[\s"(),*\\]|^[=<>]/.test(value) ? quote(value) : value)

/** After `=` there are neither comparisons nor wildcards. */
const quoteExact = (name: string): string => (/[\s"(),\\]/.test(name) ? quote(name) : name)

/** A text to search for, in quotes where it would be something else. */
export const quoteWord = (word: string): string =>
  /[\s"()\\]|^-|^[A-Za-z_]+:|^(?:args|kwargs|result)\.[^,:]+:|^(?:AND|OR|NOT)$|^$/.test(word) ? quote(word) : word

/** Characters of a value in a term: a query takes 1000. */
const maxValue = 400

/** No term reads a name of digits, which would be the number of an item. */
const isName = (name: string) => /^[^\s"():,.\\]+$/.test(name) && !/^\d+$/.test(name)

/** The term of a text, number, boolean or null at a place in a value; null where no term can name the place. */
export const formatPlace = (
  column: "args" | "kwargs" | "result",
  path: ReadonlyArray<string | number>,
  value: string
): string | null =>
  path.length === 0 || path.length > 8 || path.some((name) => typeof name === "string" && !isName(name)) ||
    value === "" || value.length > maxValue
    ? null
    : `${column}.${path.join(".")}:${quoteValue(value)}`

/** A moment of a query, to the minute where it is a full one. */
export const formatMoment = (time: number): string =>
  new Date(time).toISOString().replace(/\.000Z$/, "Z").replace(/:00Z$/, "Z")

/** The line of these terms, in a fixed order. */
export const formatQuery = (query: TaskQuery): string =>
  [
    ...(query.exactName === undefined ? [] : [`name:=${quoteExact(query.exactName)}`]),
    ...terms.flatMap((term) => {
      const value = query[term]
      return value === undefined ? [] : [`${term}:${plainTerms.has(term) ? value : quoteValue(value)}`]
    }),
    ...(query.finishedBefore === undefined
      ? []
      : [`-finished:${query.finishedBefore}`, `until:${query.finishedBefore}`]),
    ...(query.runtime ?? []).map((comparison) => `runtime:${comparison}`),
    ...(query.search === undefined ? [] : [quoteWord(query.search)])
  ].join(" ")

/** The whole query in parentheses where a further term would otherwise join a part of it alone. */
export const groupQuery = (line: string): string => (/(?:^|[\s)"])OR(?=[\s(])/.test(line) ? `(${line})` : line)
