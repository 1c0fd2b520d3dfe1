import { Either } from "effect"
import { isTaskPriority, TaskPriority, TaskState } from "../../kernel/TaskState.ts"
import * as Timestamp from "../../kernel/Timestamp.ts"
import type { Comparison, PatternColumn, PayloadColumn, TaskTerm, TextPattern } from "./Expression.ts"
import type { TokenValue } from "./QueryTokens.ts"

export const queryTerms = [
  "state",
  "priority",
  "name",
  "queue",
  "worker",
  "engine",
  "error",
  "fingerprint",
  "tag",
  "runtime",
  "retries",
  "since",
  "until",
  "finished"
] as const
export type QueryTerm = (typeof queryTerms)[number]

type Parsed = Either.Either<TaskTerm, string>

const isTaskState = (text: string): text is TaskState => (TaskState.literals as ReadonlyArray<string>).includes(text)
export const isQueryTerm = (name: string): name is QueryTerm => (queryTerms as ReadonlyArray<string>).includes(name)

const payloadColumns: ReadonlyArray<string> = ["args", "kwargs", "result"] satisfies ReadonlyArray<PayloadColumn>

/** The terms, as a sentence lists them. */
export const termList = [...queryTerms, ...payloadColumns.map((column) => `${column}.…`)].join(", ")

/** Names in a place. Each reads the value once more, on each row. */
const maxPlaceNames = 8

const columnOf: Readonly<Partial<Record<QueryTerm, PatternColumn>>> = {
  name: "name",
  queue: "queue",
  worker: "worker_name",
  engine: "engine",
  fingerprint: "fingerprint"
}

/** A name without a wildcard is a part of the name, as in the parameter `name`; the other columns are compared whole. */
const patternOf = (column: PatternColumn | PayloadColumn, { isQuoted, prefix, text }: TokenValue): TextPattern => {
  if (column === "name" && (prefix === "=" || (!isQuoted && text.startsWith("=")))) {
    return { match: "whole", text: isQuoted ? text : text.slice(1) }
  }
  if (!isQuoted && text.includes("*")) return { match: "glob", text }
  return { match: column === "name" ? "part" : "whole", text }
}

const millisOf = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
type Unit = keyof typeof millisOf

const parseRuntime = (text: string): Parsed => {
  const [, comparison, count, unit] = /^(>=|<=|>|<)(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text) ?? []
  if (count === undefined) return Either.left("takes a comparison with a duration, such as >5s, <=200ms or >1.5h")
  return Either.right({
    kind: "number",
    column: "runtime_ms",
    // the casts: the expression matches these alone
    comparison: comparison as Comparison,
    value: Math.round(Number(count) * millisOf[unit as Unit])
  })
}

const parseRetries = (text: string): Parsed => {
  const [, comparison = "=", count] = /^(>=|<=|>|<|=)?(\d{1,6})$/.exec(text) ?? []
  if (count === undefined) return Either.left("takes a number or a comparison with one, such as 3 or >0")
  // the cast: the expression matches these alone
  return Either.right({
    kind: "number",
    column: "retry_count",
    comparison: comparison as Comparison,
    value: Number(count)
  })
}

/** An age before `now`, a day, or a moment with an offset; its seconds may be left out. */
const parseMoment = (text: string, now: Timestamp.Timestamp): Timestamp.Timestamp | undefined => {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) {
    const seconds = Number(count) * millisOf[unit as Unit] / 1000 // the cast: the expression matches these alone
    // an age from before the first year is the first moment
    return seconds > Timestamp.toEpochSeconds(now) + 60_000_000_000
      ? Timestamp.parse("0000-01-01T00:00:00Z")
      : Timestamp.addSeconds(now, -seconds)
  }
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Timestamp.parse(`${text}T00:00:00Z`)
  return Timestamp.parse(text.replace(/^(.{10}[Tt]\d{2}:\d{2})(?=[Zz+-])/, "$1:00"))
}

/** The place that `args.customer.id` names; of `args`, the first argument unless a number says which. */
const readPlace = (
  name: string
): { readonly column: PayloadColumn; readonly path: ReadonlyArray<string | number> } | null => {
  const [column = "", ...names] = name.split(".")
  if (!isPayloadColumn(column) || names.length === 0) return null
  const path = names.map((part) => (/^(?:0|[1-9]\d{0,5})$/.test(part) ? Number(part) : part))
  return { column, path: column === "args" && typeof path[0] === "string" ? [0, ...path] : path }
}

const isPayloadColumn = (name: string): name is PayloadColumn => payloadColumns.includes(name)

/** The condition of a term such as `kwargs.order:7835610`; null where the name is no place in a value. */
export const parsePayloadTerm = (name: string, values: ReadonlyArray<TokenValue>): Parsed | null => {
  const place = readPlace(name)
  if (place === null) return null
  const { column, path } = place
  if (path.length > maxPlaceNames) return Either.left(`has more than ${maxPlaceNames} names`)
  if (path.includes("") || /[\\]/.test(name)) return Either.left("has a name that no term can have")
  if (values.some(({ text }) => text === "")) return Either.left("needs a value")
  return Either.right({ kind: "payload", column, path, patterns: values.map((value) => patternOf(column, value)) })
}

/** The condition of a term, or the error of its values, as the rest of a sentence that begins with the term's name. */
export const parseTerm = (name: QueryTerm, values: ReadonlyArray<TokenValue>, now: Timestamp.Timestamp): Parsed => {
  if (values.some(({ text }) => text === "")) return Either.left("needs a value")
  const texts = values.map(({ prefix, text }) => `${prefix}${text}`)
  if (name === "state") {
    return texts.every(isTaskState)
      ? Either.right({ kind: "state", values: [...new Set(texts)] })
      : Either.left(`takes ${TaskState.literals.join(", ")}`)
  }
  if (name === "priority") {
    return texts.every(isTaskPriority)
      ? Either.right({ kind: "priority", values: [...new Set(texts)] })
      : Either.left(`takes ${TaskPriority.literals.join(", ")}`)
  }
  const column = columnOf[name]
  if (column !== undefined) {
    const patterns = values.map((value) => patternOf(column, value))
    return patterns.some(({ text }) => text === "")
      ? Either.left("needs a value")
      : Either.right({ kind: "pattern", column, patterns })
  }
  if (name === "tag") return Either.right({ kind: "tag", values: texts })
  const [text = ""] = texts
  if (values.length > 1) return Either.left("takes one value")
  if (name === "error") return Either.right({ kind: "error", text })
  if (name === "runtime") return parseRuntime(text)
  if (name === "retries") return parseRetries(text)
  const moment = parseMoment(text, now)
  return moment === undefined
    ? Either.left(
      "takes an age such as 90s, 30m, 1h or 7d, a day such as 2026-11-22, or a time such as 2026-11-22T10:00Z"
    )
    : Either.right({ kind: name === "since" || name === "finished" ? name : "until", moment })
}
