import type { Operation } from "../operations.ts"
import type { Received } from "../wire.ts"
import type { JsonSchema, Validator, Violation } from "./JsonSchema.ts"
import type { Attempt, Caller } from "./requests.ts"

/** What the document says becomes of a request: the statuses it may have, and the places of which one is to be named. */
export interface Expected {
  readonly statuses: ReadonlyArray<number>
  readonly places?: ReadonlyArray<string>
}

const kinds: Readonly<Partial<Record<Caller, string>>> = {
  key: "api_key",
  agent: "agent_token",
  viewer: "session",
  admin: "session"
}

/** By the credentials that open the operation. */
const ofCaller = (caller: Caller, { security }: Operation): Expected | null => {
  if (security.length === 0) return null
  if (caller === "admin without CSRF") return null
  const kind = kinds[caller]
  if (kind === undefined) return { statuses: [401] }
  if (security.includes(kind)) return null
  return { statuses: kind === "api_key" && security.includes("session") ? [403] : [401] }
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const booleans = new Map<string, boolean>([["true", true], ["1", true], ["false", false], ["0", false]])

/** A query's text as the type that its schema has, as the document means it. */
const typed = (text: string, { type }: JsonSchema): unknown =>
  type === "boolean" ?
    booleans.get(text.toLowerCase()) :
    type === "integer" || type === "number"
    ? (/^\s*[-+]?[\d.]+(e\d+)?\s*$/i.test(text) ? Number(text) : text)
    : text

const parsed = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: text === "" ? null : JSON.parse(text) }
  } catch {
    return null
  }
}

/** Secrets are hashed, not stored: they may hold a NUL. */
const isSecret = (field: string) => field.includes("password") || field === "code"

/** The members of a body that hold what no database does, or no text can. */
const unstorable = (value: unknown): ReadonlyArray<string> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).filter(([name, member]) =>
      typeof member === "string" && (!member.isWellFormed() || (member.includes("\0") && !isSecret(name)))
    ).map(([name]) => name)

/** The members of a body that violate its schema; `""`: it is no object. */
const named = (violations: ReadonlyArray<Violation>) => [...new Set(violations.map(({ path: [first = ""] }) => first))]

/** What must become of this, or null where the document leaves it open. `text`: the body as it was sent. */
export const expected = (
  { resolved, violations }: Validator,
  operation: Operation,
  { body, caller, headers, path, query }: Attempt,
  text: string
): Expected | null => {
  if (caller !== undefined) return ofCaller(caller, operation)
  if (path !== undefined) {
    const isText = Object.values(path).every((value) => decoded(value) !== null)
    return { statuses: isText ? [404] : [400] }
  }
  const schema = operation.querySchemas[query?.name ?? ""]
  if (query !== undefined && schema !== undefined) {
    if (query.value.includes("&")) return { statuses: [422], places: [query.name] }
    const value = decoded(query.value)
    if (value === null) return null
    return violations(schema, typed(value, resolved(schema))).length > 0
      ? { statuses: [422], places: [query.name] }
      : null
  }
  if (headers?.["content-type"] !== undefined) return { statuses: [415] }
  if (body === undefined || operation.body === null) return null
  if (operation.rule.form === true) return { statuses: [422, 413] }
  const json = Buffer.isBuffer(body) && !Buffer.from(body.toString("utf8")).equals(body) ? null : parsed(text)
  if (json === null) return { statuses: [400, 413] }
  if (text === "" && operation.body.required.length === 0) return null
  const places = [...named(violations(operation.body.schema, json.value)), ...unstorable(json.value)]
  return places.length === 0 ? null : { statuses: [422, 413], ...(places.includes("") ? {} : { places }) }
}

/** How a response differs from what was expected, if it does. */
export const difference = (expected: Expected | null, { json, status }: Received): string | undefined => {
  if (expected === null) return undefined
  if (!expected.statuses.includes(status)) return `not ${expected.statuses.join(" or ")}`
  if (status !== 422 || expected.places === undefined) return undefined
  // what issues name is `filter.task_ids.0`
  const issues: ReadonlyArray<{ readonly path: string }> = json.details?.issues ?? []
  const named = issues.map(({ path }) => path.split(".")[0] ?? "")
  return named.some((place) => expected.places?.includes(place))
    ? undefined
    : `names ${named.join()}, not ${expected.places.join()}`
}
