import fc from "fast-check"
import { badCursors, jsonValues, malformed, nested, queryValues, undecodable, unknownNames } from "../hostile.ts"
import type { Operation } from "../operations.ts"
import type { Validator } from "./JsonSchema.ts"
import { outside, validOf } from "./values.ts"

export const callers = ["anonymous", "garbage", "viewer", "admin", "admin without CSRF", "key", "agent"] as const
export type Caller = (typeof callers)[number]

/**
 * A request to an operation with at most one thing wrong: all that is not here is as the world has it. A body holds
 * names of what the world knows (`known` in values.ts).
 */
export interface Attempt {
  readonly what: string
  readonly caller?: Caller
  /** Encoded values of path parameters. */
  readonly path?: Readonly<Record<string, string>>
  /** Encoded, in addition to what the operation must have; `a&name=b` as a value is the same name twice. */
  readonly query?: { readonly name: string; readonly value: string }
  readonly body?: Buffer | string
  readonly headers?: Readonly<Record<string, string>>
}

const encoded = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }).map(encodeURIComponent)
const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 6 })
  .map((bytes) => bytes.map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""))

const mark = "<<here>>"

/** The steps to each value within a value, itself but for the outermost. */
const placesIn = (value: unknown): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, member]) => [[key], ...placesIn(member).map((place) => [key, ...place])])

/** The value with another at a place; `undefined` takes it out of an object. */
const withAt = (value: unknown, [key, ...rest]: ReadonlyArray<string>, put: unknown): unknown => {
  if (key === undefined) return put
  if (Array.isArray(value)) return value.map((item, index) => String(index) === key ? withAt(item, rest, put) : item)
  const members = value as Readonly<Record<string, unknown>> // placesIn leads only through arrays and objects
  return Object.fromEntries([...Object.entries(members), [key, withAt(members[key], rest, put)]])
}

const rawValues = [
  ...Object.values(jsonValues),
  JSON.stringify("x".repeat(7000)),
  JSON.stringify("x".repeat(100_000)),
  "\"💩\"",
  "\"\\u202eabc\\u0000\"",
  "\"NaN\"",
  "1e308",
  "-9007199254740993",
  "0.1e-400",
  "\"\\ud83d\"",
  "{\"a\":{\"a\":{\"a\":[[[]]]}}}"
]

type IsKnown = (name: string) => boolean

/** Forms of which none is good: a field is missing, given twice or too long, or the body is no form. */
const forms = (fields: ReadonlyArray<string>): ReadonlyArray<fc.Arbitrary<Attempt>> => [
  fc.constantFrom(
    "",
    "&&==",
    "other=1",
    "%zz=%ff",
    "__proto__=1&constructor=1",
    "a&".repeat(200),
    ...fields.flatMap((
      name
    ) => [`${name}`, `${name}=1&${name}=2`, `${name}[]=1`, `${name}=%00`, `${name}=${"x".repeat(8500)}`])
  ).map((body) => ({ what: `the form ${body.slice(0, 60)}`, body })),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => ({ what: "bytes", body: Buffer.from(bytes) })),
  fc.constantFrom("application/json", "text/plain", "multipart/form-data; boundary=x", "x").map((type) => ({
    what: `as ${type}`,
    headers: { "content-type": type }
  }))
]

const bodies = (
  { body: declared, rule }: Operation,
  { resolved }: Validator,
  isKnown: IsKnown
): ReadonlyArray<fc.Arbitrary<Attempt>> => {
  if (declared === null) return []
  const { fields, schema } = declared
  if (rule.form === true) return forms(Object.keys(fields))
  const base = validOf(resolved, isKnown, false)(schema)
  const just = outside(resolved)
  const mutated = validOf(resolved, isKnown, true)(schema).chain((value) => {
    const absent = Object.keys(fields).map((name) => [name])
    const place = fc.oneof(fc.constantFrom(...absent), fc.constantFrom(...placesIn(value), ...absent.slice(0, 1)))
    return place.chain((place) => {
      const [field = ""] = place
      const raws = [...rawValues, ...(place.length === 1 && fields[field] !== undefined ? just(fields[field]) : [])]
      return fc.oneof(
        { weight: 1, arbitrary: fc.constant({ put: undefined, raw: "" }) },
        { weight: 12, arbitrary: fc.constantFrom(...raws).map((raw) => ({ put: mark, raw })) }
      ).map(({ put, raw }) => ({
        what: `${place.join(".")} ${put === undefined ? "left out" : `= ${raw.slice(0, 60)}`}`,
        body: JSON.stringify(withAt(value, place, put)).replace(JSON.stringify(mark), () => raw)
      }))
    })
  })
  const text = base.map((value) => JSON.stringify(value))
  const types = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "x",
    ",;"
  ]
  return [
    base.map((value) => ({ what: "valid", body: JSON.stringify(value) })),
    ...(Object.keys(fields).length === 0 ? [] : [mutated, mutated, mutated]),
    text.chain((text) =>
      fc.nat(Math.max(0, text.length - 1)).map((end) => ({ what: "truncated", body: text.slice(0, end) }))
    ),
    text.chain((text) =>
      fc.constantFrom(...Object.keys(fields), "extra", "__proto__").map((name) => ({
        what: `${name} twice or too much`,
        body: text.replace("{", () => `{${JSON.stringify(name)}:null${text === "{}" ? "" : ","}`)
      }))
    ),
    fc.constantFrom(
      ...malformed,
      "",
      "null",
      "[]",
      "[{}]",
      "1",
      "\"text\"",
      "true",
      nested(100),
      nested(200),
      nested(4000)
    )
      .map((body) => ({ what: "another body", body })),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => ({ what: "bytes", body: Buffer.from(bytes) })),
    fc.constantFrom(...types).map((type) => ({ what: `as ${type}`, headers: { "content-type": type } }))
  ]
}

const headerValues = [
  "\u00ff\u00fe",
  "a\tb",
  "x".repeat(4000),
  "%00",
  "null",
  "-1",
  "6c8b5a57-9e3b-4a05-8b39-53a3c9d1a6ef",
  "=;=;,",
  "\"",
  "[::1",
  "e30",
  "Bearer ",
  `Bearer svk_${"x".repeat(300)}`,
  "svc_session=%00; svc_csrf=x",
  "0, -1"
]
const headerNames = [
  "authorization",
  "cookie",
  "idempotency-key",
  "last-event-id",
  "origin",
  "sec-fetch-site",
  "user-agent",
  "referer",
  "x-csrf-token",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-request-id",
  "x-svc-session-nonce",
  "x-z4j-retry-contracts",
  "traceparent",
  "accept",
  "accept-encoding",
  "if-none-match",
  "range"
]

/** What may be sent to an operation. */
export const attempts = (operation: Operation, schemas: Validator, isKnown: IsKnown): fc.Arbitrary<Attempt> => {
  const { pathParameters, querySchemas } = operation
  const { resolved } = schemas
  const query = Object.entries(querySchemas).map(([name, schema]) => {
    const valid = validOf(resolved, isKnown, false)(schema).map((value) => encodeURIComponent(String(value)))
    const hostile = fc.constantFrom(
      ...Object.values(queryValues),
      ...undecodable,
      ...(name.includes("cursor") ? badCursors : [])
    )
    const others = fc.oneof(
      encoded,
      octets,
      fc.constantFrom("1", ...outside(resolved)(schema).map((raw) => encodeURIComponent(String(JSON.parse(raw))))),
      valid,
      valid.map((value) => `${value}&${name}=${value}`)
    )
    // a poll that waits is no bad input
    return (name === "wait" ? hostile : fc.oneof(hostile, { weight: 2, arbitrary: others })).map((value) => ({
      what: `${name}=${value.slice(0, 80)}`,
      query: { name, value }
    }))
  })
  const unknown = encoded.map((value) => ({
    what: `unknown=${value}`,
    query: { name: "unknown", value: `${value}&__proto__=${value}&=` }
  }))
  const paths = pathParameters.map((name) =>
    fc.oneof(fc.constantFrom(...unknownNames, ...undecodable), encoded, octets).map((value) => ({
      what: `${name} = ${value.slice(0, 80)}`,
      path: { [name]: value }
    }))
  )
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...callers).map((caller) => ({ what: caller, caller })) },
    fc.tuple(fc.constantFrom(...headerNames), fc.constantFrom(...headerValues)).map(([name, value]) => ({
      what: `${name}: ${value.slice(0, 60)}`,
      headers: { [name]: value }
    })),
    unknown,
    ...paths.map((arbitrary) => ({ weight: 2, arbitrary })),
    ...query.map((arbitrary) => ({ weight: 3, arbitrary })),
    ...bodies(operation, schemas, isKnown).map((arbitrary) => ({ weight: 2, arbitrary }))
  )
}

/** How many things there are to get wrong: an operation with more of them is tried more often. */
export const placesOf = ({ body, pathParameters, query }: Operation): number =>
  pathParameters.length + query.length + Object.keys(body?.fields ?? {}).length
