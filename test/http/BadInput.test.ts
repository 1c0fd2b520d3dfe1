import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Health } from "../../src/services/Health.ts"
import { serverOn } from "../brain.ts"
import { engines } from "../databases.ts"
import { badCursors, jsonValues, megabyte, nested, queryValues, undecodable, unknownNames, unstorable } from "./hostile.ts"
import { type JsonSchema, type Operation, operations, typesOf } from "./operations.ts"
import { fromElsewhere, proxied } from "./people.ts"
import { type Received, type Sent, wire } from "./wire.ts"
import { type World, world } from "./world.ts"

const json = { "content-type": "application/json" }

/** What is wrong with an answer to something wrong, or nothing. */
const complaint = ({ contentType, headers, json, status, text }: Received): string | undefined => {
  if (status >= 500) return `${status}`
  if (text.length > 64 * 1024) return `${text.length} characters`
  if (status < 400) return undefined
  if (contentType !== "application/problem+json") return `${status} as ${contentType}`
  const { code, detail, details, request_id, title, type, ...rest } = json
  if (json.status !== status || Object.keys(rest).length !== 1) return `members ${Object.keys(json).join()}`
  if (![code, detail, title, type].every((text) => typeof text === "string" && text !== "")) return "an empty member"
  if (typeof details !== "object" || details === null || request_id !== headers["x-request-id"]) return "details or request_id"
  return undefined
}

/** The place that a 422 names first: `filter` of `filter.task_ids.0`. */
const named = ({ json }: Received): string | undefined => json?.details?.issues?.[0]?.path?.split(".")[0]

/** What went wrong in a run of many requests: all of it, not the first. */
class Findings {
  readonly all: Array<string> = []
  note(sent: string, received: Received, wrong: string | undefined): void {
    if (wrong !== undefined) this.all.push(`${sent}: ${wrong} (${received.status} ${received.text.slice(0, 200)})`)
  }
}

const is = (received: Received, status: number, place?: string): string | undefined =>
  complaint(received) ??
    (received.status !== status
      ? `not ${status}`
      : place !== undefined && named(received) !== place
      ? `names ${named(received)}, not ${place}`
      : undefined)

const jsonType = (raw: string): string => {
  const value: unknown = JSON.parse(raw)
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value
}

const fits = (schema: JsonSchema, raw: string): boolean => {
  const types = typesOf(schema).map((type) => type === "integer" ? "number" : type)
  return types.length === 0 || types.includes(jsonType(raw))
}

/** A secret is hashed, not stored: it may hold a NUL. */
const isSecret = (field: string) => field.includes("password") || field === "code"

/** What must not be taken: another type, and text that cannot be stored. */
const mustFail = (field: string, schema: JsonSchema, name: string, raw: string): boolean =>
  name === "a lone surrogate" || name === "a large text" || name === "200 arrays" || !fits(schema, raw) ||
  (unstorable.includes(name) && !isSecret(field))

const defaultLimit = 8192

/** What people open in a browser. */
const pages = ["/setup", "/reset-password", "/invitation"]

describe.each(engines)("bad input on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true, timeout: 120_000 })((it) => {
    /** A world, and a brain that says it is ready: the program does once it listens. */
    const begin = (options: Parameters<typeof world>[0] = { signedIn: true }) =>
      Effect.zipRight(Effect.flatMap(Health, (health) => health.started), world(options))

    const send = (at: World, operation: Operation, sent: Partial<Sent> = {}) =>
      wire({
        method: operation.method,
        target: at.target(operation),
        ...sent,
        headers: { ...at.credentials(operation), ...(sent.body === undefined ? {} : json), ...sent.headers }
      })

    const withBody = operations.filter(({ body }) => body !== null)

    it.effect("is told from good input, which reaches every handler", () =>
      Effect.gen(function*() {
        const refused: Array<string> = []
        yield* Effect.forEach(operations, (operation) =>
          Effect.gen(function*() {
            const signedIn = operation.rule.caller === "session" || operation.path.endsWith("/login")
            const enrolled = /\/mfa\/(verify|disable|recovery-codes|trusted-devices)/.test(operation.path)
            const at = yield* begin({ signedIn, enrolled })
            const body = operation.body === null ? {} : { body: JSON.stringify(at.body(operation)) }
            const { contentType, status, text } = yield* send(at, operation, body)
            // nobody has the setup's token: the brain is set up
            const expected = operation.path.endsWith("/setup/complete") ? [403, 404, 409, 410] : [200, 201, 202, 204]
            if (!expected.includes(status)) refused.push(`${operation.route}: ${status} ${text.slice(0, 300)}`)
            if (contentType === "text/html" && !pages.includes(operation.path)) refused.push(`${operation.route}: HTML`)
          }), { concurrency: 4, discard: true })
        assert.deepStrictEqual(refused, [])
      }), 60_000)

    it.effect("in a path: letters count in their case, a slash at the end or doubled does not", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const projects = operations.find(({ route }) => route === "GET /api/v1/projects")
        assert.isDefined(projects)
        for (const target of ["/API/V1/projects", "/api/v1/Projects", "/HEALTH"]) {
          const received = yield* send(at, projects, { target })
          assert.strictEqual(is(received, 404), undefined, target)
        }
        for (const target of ["/api/v1/projects", "/api/v1/projects/", "//api/v1//projects", "/health/"]) {
          assert.strictEqual((yield* send(at, projects, { target })).status, 200, target)
        }
        const wrongMethod = yield* send(at, projects, { method: "PATCH", target: "/api/v1/projects/" })
        assert.strictEqual(is(wrongMethod, 405), undefined, wrongMethod.text)
      }))

    it.effect("in a path: 404 for what is not there, 400 for what is no text", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        for (const operation of operations) {
          const body = operation.body === null ? {} : { body: JSON.stringify(at.body(operation)) }
          for (const name of operation.pathParameters) {
            for (const value of [...unknownNames, ...undecodable]) {
              const received = yield* send(at, operation, { target: at.target(operation, { [name]: value }), ...body })
              const status = undecodable.includes(value) ? 400 : 404
              findings.note(`${operation.route} with ${name}=${value.slice(0, 60)}`, received, is(received, status))
            }
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }), 60_000)

    it.effect("in a path: what belongs to another project or person is not there", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const other = yield* begin()
        const findings = new Findings()
        for (const operation of operations) {
          const name = operation.pathParameters.findLast((name) => !["slug", "engine", "user_id", "session_id"].includes(name))
          if (name === undefined) continue
          const body = operation.body === null ? {} : { body: JSON.stringify(at.body(operation)) }
          const received = yield* send(at, operation, { target: at.target(operation, { [name]: other.path[name] ?? "" }), ...body })
          findings.note(operation.route, received, is(received, 404))
        }
        assert.deepStrictEqual(findings.all, [])
      }))

    it.effect("in a query: 422 that names the parameter", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        for (const operation of operations) {
          for (const name of operation.query) {
            for (const [kind, value] of Object.entries(queryValues)) {
              const received = yield* send(at, operation, { target: at.target(operation, {}, { [name]: value }) })
              const wrong = received.status === 200 ? complaint(received) : is(received, 422, name)
              findings.note(`${operation.route} with ${name}: ${kind}`, received, wrong)
              if (["limit", "offset", "max_frames", "wait"].includes(name) && !["0", "nothing"].includes(kind)) {
                findings.note(`${operation.route} with ${name}: ${kind}`, received, is(received, 422, name))
              }
            }
            for (const value of undecodable) {
              const received = yield* send(at, operation, { target: at.target(operation, {}, { [name]: value }) })
              findings.note(`${operation.route} with ${name}=${value}`, received, complaint(received))
            }
            const twice = yield* send(at, operation, { target: at.target(operation, {}, { [name]: `1&${name}=2` }) })
            findings.note(`${operation.route} with ${name} twice`, twice, is(twice, 422, name))
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }), 60_000)

    it.effect("for a cursor: 422, also for that of another list", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        const lists = operations.filter(({ query }) => query.includes("cursor"))
        const given = new Map<string, string>()
        for (const operation of lists) {
          const page = yield* send(at, operation, { target: at.target(operation, {}, { limit: "1" }) })
          if (typeof page.json.next_cursor === "string") given.set(operation.route, page.json.next_cursor)
        }
        assert.isAtLeast(given.size, 2)
        for (const operation of lists) {
          const others = [...given].filter(([route]) => route !== operation.route).map(([, cursor]) => cursor)
          for (const cursor of [...badCursors, ...others]) {
            const received = yield* send(at, operation, { target: at.target(operation, {}, { cursor }) })
            findings.note(`${operation.route} with ${cursor.slice(0, 60)}`, received, is(received, 422, "cursor"))
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }))

    it.effect("in a field: 422 that names the field", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        for (const operation of withBody) {
          const limit = operation.rule.bodyLimit ?? defaultLimit
          for (const [field, schema] of Object.entries(operation.body?.fields ?? {})) {
            // what is larger than the limit is 413 whatever it is: the largest that is not
            const large = JSON.stringify("x".repeat(Math.min(limit - 1000, megabyte.length)))
            yield* Effect.forEach(Object.entries({ ...jsonValues, "a large text": large }), ([kind, raw]) => {
              const others = Object.entries(at.refusedBody(operation)).filter(([name]) => name !== field)
              const members = others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
              const body = `{${[...members, `${JSON.stringify(field)}:${raw}`].join(",")}}`
              return Effect.map(send(at, operation, { body }), (received) => {
                const wrong = mustFail(field, schema, kind, raw) ? is(received, 422, field) : complaint(received)
                findings.note(`${operation.route} with ${field}: ${kind}`, received, wrong)
              })
            }, { concurrency: 4, discard: true })
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }), 300_000)

    it.effect("in place of a body: 400 for what is no JSON, 415 for another content type, 422 for other JSON", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        const malformed: ReadonlyArray<Buffer | string> = [
          "{",
          "nothing",
          "{\"a\":1,}",
          "{'a':1}",
          "{\"a\":01}",
          "\"\u0001\"",
          "{} {}",
          "\0",
          Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
          Buffer.from([0xed, 0xa0, 0x80]),
          Buffer.from([0xc0, 0x80]),
          Buffer.from("{}", "utf16le")
        ]
        for (const operation of withBody) {
          const limit = operation.rule.bodyLimit ?? defaultLimit
          for (const body of malformed) {
            const received = yield* send(at, operation, { body })
            findings.note(`${operation.route} with ${JSON.stringify(body.toString("latin1"))}`, received, is(received, 400))
          }
          for (const body of ["", "null", "[]", "1", "\"text\"", "true", nested(100), nested(200), "[[{}]]", nested(limit / 2)]) {
            const received = yield* send(at, operation, { body })
            const wrong = operation.body?.required.length === 0 && body === "" ? complaint(received) : is(received, 422)
            findings.note(`${operation.route} with ${body.slice(0, 60)}`, received, wrong)
          }
          const good = JSON.stringify(at.refusedBody(operation))
          const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "x", ",;"]
          for (const type of types) {
            const received = yield* send(at, operation, { body: good, headers: { "content-type": type } })
            findings.note(`${operation.route} as ${type}`, received, is(received, 415))
          }
          const doubled = good.replace("{", "{\"agent_id\":1,\"name\":2,\"email\":3,\"engine\":4,")
          findings.note(`${operation.route} with keys twice`, ...(yield* Effect.map(send(at, operation, { body: doubled }), (received) =>
            [received, complaint(received)] as const)))
        }
        assert.deepStrictEqual(findings.all, [])
      }), 60_000)

    it.effect("over the endpoint's limit: 413, with and without a length", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        for (const operation of operations.filter(({ method }) => method !== "GET" && method !== "DELETE")) {
          const limit = operation.rule.bodyLimit ?? defaultLimit
          for (const chunked of [false, true]) {
            for (const body of [`"${"x".repeat(limit - 1)}"`, limit < megabyte.length ? megabyte : `${megabyte.repeat(8)} `]) {
              const received = yield* send(at, operation, { body, chunked })
              const wrong = is(received, 413) ?? (received.json.details.limit === limit ? undefined : "tells another limit")
              findings.note(`${operation.route} with ${body.length} bytes${chunked ? ", chunked" : ""}`, received, wrong)
            }
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }), 60_000)

    it.effect("in headers: an answer", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        const values = ["\u00ff\u00fe", "a\tb", "x".repeat(4000), "%00", "null", "-1", randomUUID(), "=;=;,", "\"", "[::1", "e30"]
        const names = ["authorization", "cookie", "idempotency-key", "last-event-id", "origin", "sec-fetch-site", "user-agent",
          "x-csrf-token", "x-forwarded-for", "x-request-id", "x-svc-session-nonce", "x-z4j-retry-contracts", "traceparent", "accept"]
        // headers are read by what is common to all endpoints of one rule
        const typical = [...new Map(operations.map((operation) => [JSON.stringify(operation.rule), operation])).values()]
        const streams = operations.filter(({ path }) => path.endsWith("/stream"))
        for (const operation of [...typical, ...streams]) {
          const body = operation.body === null ? {} : { body: JSON.stringify(at.refusedBody(operation)) }
          for (const [index, name] of names.entries()) {
            const given = values[(index + operations.indexOf(operation)) % values.length] ?? ""
            const received = yield* send(at, operation, { ...body, headers: { [name]: given } })
            findings.note(`${operation.route} with ${name}: ${JSON.stringify(given)}`, received, complaint(received))
          }
        }
        assert.deepStrictEqual(findings.all, [])
      }), 60_000)

    it.effect("in the request line: 404, 405 and what Node itself refuses, all as problems", () =>
      Effect.gen(function*() {
        const at = yield* begin()
        const findings = new Findings()
        const headers = () => ({ authorization: `Bearer ${at.token}`, ...fromElsewhere() })
        for (const operation of operations) {
          const [target = ""] = at.target(operation).split("?")
          const methods = operations.filter(({ pattern }) => pattern.test(target)).map(({ method }) => method)
          for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((method) => !methods.includes(method))) {
            const received = yield* wire({ method, target, headers: headers() })
            const allow = String(received.headers["allow"]).split(", ").sort()
            const wrong = is(received, 405) ?? (allow.join() === methods.sort().join() ? undefined : `allows ${allow.join()}`)
            findings.note(`${method} ${operation.path}`, received, wrong)
          }
        }
        for (const target of ["/metrics", "/health", "/health/ready", "/api/v1/openapi.json", "/api/v1/docs"]) {
          const received = yield* wire({ method: "POST", target, headers: headers() })
          findings.note(`POST ${target}`, received, is(received, 405))
        }
        const nowhere = ["/api", "/api/v1", "/api/v1/nothing", "/api/v2/projects", "/nothing",
          "/api/v1/projects/x/tasks/a/b/c/d", "/api/v1/%00", "/api/v1/%zz", "/api/v1/nothing?a=%ff", "/api/v1/projects%2F", "//x"]
        for (const target of nowhere) {
          const received = yield* wire({ method: "GET", target, headers: headers() })
          findings.note(`GET ${target}`, received, is(received, 404))
        }
        for (const value of ["x".repeat(20_000), megabyte]) {
          const received = yield* wire({ method: "GET", target: `/api/v1/projects?q=${value}`, headers: headers() })
          findings.note(`GET with ${value.length} bytes of query`, received, is(received, 431))
        }
        assert.deepStrictEqual(findings.all, [])
      }), 60_000)
  })
})
