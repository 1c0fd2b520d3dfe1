import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { call } from "./access/call.ts"
import {
  AccessWorld,
  all,
  byBoundKey,
  byRole,
  check,
  checksOfKeys,
  isForAgents,
  isInProject,
  isPublic,
  leastKind,
  nameOf,
  needsOwnPerson,
  personFor
} from "./access/check.ts"
import { bearer, type Credential, type Kind, kinds } from "./access/people.ts"
import { type Endpoint, endpoints, scopes } from "./access/table.ts"

/** A request without valid credentials reaches public endpoints only. */
const checkRefusal = (who: string, headers: Credential) => (endpoint: Endpoint) =>
  check({
    endpoint,
    who,
    sender: { kind: "anonymous" },
    headers,
    expected: isPublic(endpoint) ? endpoint.outcomes : ["401 unauthenticated"]
  })

/** Public endpoints ignore the caller, so the kinds with the fewest and the most rights suffice. */
const isCheckedAs = (kind: Kind) => (endpoint: Endpoint) =>
  !isPublic(endpoint) || kind === "stranger" || kind === "global admin"

const forPeople = endpoints.filter((endpoint) => !isPublic(endpoint) && !isForAgents(endpoint))

describe("every endpoint against the table", () => {
  layer(AccessWorld.on("SQLite"), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("the table has a line for each operation of the API's document, and no other", () =>
      Effect.gen(function*() {
        const { json } = yield* call({ method: "GET", path: "/api/v1/openapi.json" })
        const documented = Object.entries<object>(json.paths).flatMap(([path, methods]) =>
          Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
        )
        const elsewhere = ["GET /health/ready", "GET /metrics", "GET /ws/agent"] // balancers, Prometheus and agents
        assert.sameMembers([...endpoints.map(nameOf), ...elsewhere], [...documented, "GET /"])
      }))

    it.effect("without a credential only public endpoints respond", () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* all(endpoints.map(checkRefusal("no credential", {}))), [])
      }))

    it.effect("a session may what its person's role may", () =>
      Effect.gen(function*() {
        const { people } = yield* AccessWorld
        const lines = yield* Effect.forEach(kinds, (kind) =>
          Effect.map(people.person(kind), (shared) =>
            endpoints.filter(isCheckedAs(kind)).map((endpoint) =>
              Effect.gen(function*() {
                const person = needsOwnPerson(endpoint) ? yield* personFor(endpoint, kind) : shared
                const sender = { kind, user_id: person.user_id, person }
                return yield* check({
                  endpoint,
                  who: kind,
                  sender,
                  headers: person.browser,
                  expected: byRole(endpoint, kind)
                })
              })
            )))
        assert.deepStrictEqual(yield* all(lines.flat()), [])
      }))

    it.effect("a key may what its owner may, but nothing that is for sessions", () =>
      Effect.gen(function*() {
        const checks = yield* checksOfKeys((kind) => endpoints.filter(isCheckedAs(kind)))
        assert.deepStrictEqual(yield* all(checks), [])
      }))

    it.effect("a key needs the endpoint's scope, and no other", () =>
      Effect.gen(function*() {
        const { people } = yield* AccessWorld
        const lines = forPeople.filter(({ least }) => least !== "session").map((endpoint) =>
          Effect.gen(function*() {
            const kind = leastKind(endpoint)
            const scope = endpoint.scope ?? "none"
            const by = (who: string, scopes: ReadonlyArray<string>, expected: ReadonlyArray<string>) =>
              Effect.flatMap(
                people.key(kind, { scopes }),
                ({ token, user_id }) =>
                  check({ endpoint, who, sender: { kind, user_id }, headers: bearer(token), expected })
              )
            const givesRole = endpoint.marks.includes("gives a role")
            return yield* all([
              by(`a key with ${scope} alone`, [scope], givesRole ? ["403 scope_missing"] : endpoint.outcomes),
              by(
                "a key with all scopes but admin:*",
                scopes,
                scope === "admin:*" ? ["403 scope_missing"] : endpoint.outcomes
              ),
              by(`a key with all but ${scope}`, scopes.filter((other) => other !== scope), ["403 scope_missing"]),
              by("a key without scopes", [], ["403 scope_missing"])
            ])
          })
        )
        assert.deepStrictEqual(yield* all(lines), [])
      }))

    it.effect("the scopes are those of the table", () =>
      Effect.gen(function*() {
        const { people } = yield* AccessWorld
        const { key } = yield* people.person("viewer")
        const { json } = yield* call({ method: "GET", path: "/api/v1/api-keys/scopes", headers: key })
        const inTable = [...new Set(endpoints.flatMap(({ scope }) => scope ?? []))]
        assert.sameMembers(json.scopes, [...new Set(["admin:*", ...inTable])])
        assert.includeMembers(["admin:*", ...scopes], inTable)
      }))

    it.effect("a bound key finds no other project than its own, whatever its owner may; what is outside projects stays open", () =>
      Effect.gen(function*() {
        const { here, people, there } = yield* AccessWorld
        const lines = yield* Effect.forEach(
          ["viewer", "admin", "global admin"] as const,
          (kind) =>
            Effect.gen(function*() {
              const own = yield* people.key(kind, { boundTo: here.project.id })
              const other = yield* people.key(kind, { boundTo: there.project.id })
              const by = (
                endpoint: Endpoint,
                who: string,
                { token, user_id }: typeof own,
                expected: ReadonlyArray<string>
              ) => check({ endpoint, who, sender: { kind, user_id }, headers: bearer(token), expected })
              return forPeople.flatMap((endpoint) => {
                // the row is of the project here
                const isOfProject = isInProject(endpoint) ||
                  nameOf(endpoint) === "POST /api/v1/user/notifications/{notification_id}/read"
                const elsewhere = isOfProject && endpoint.least !== "session"
                  ? ["404 not_found"]
                  : byBoundKey(endpoint, kind)
                // what a global admin would delete is another project, made for it
                const isOther = kind === "global admin" && nameOf(endpoint) === "DELETE /api/v1/projects/{slug}"
                return [
                  by(endpoint, `${kind}'s key bound here`, own, isOther ? elsewhere : byBoundKey(endpoint, kind)),
                  by(endpoint, `${kind}'s key bound elsewhere`, other, elsewhere)
                ]
              })
            })
        )
        assert.deepStrictEqual(yield* all(lines.flat()), [])
      }))

    it.effect("a browser that changes something sends its session's token, from the brain's own pages", () =>
      Effect.gen(function*() {
        const { people } = yield* AccessWorld
        const { browser, user_id } = yield* people.person("global admin")
        const other = yield* people.person("global admin")
        const cookie = browser.cookie ?? ""
        const otherToken = other.browser["x-csrf-token"] ?? ""
        const invalidHeaders: Readonly<Record<string, Credential>> = {
          "without a token": { cookie },
          "with a wrong token": { cookie, "x-csrf-token": "wrong" },
          "with an empty token": { cookie, "x-csrf-token": "" },
          "with another session's token": { cookie, "x-csrf-token": otherToken },
          "with another session's token in the cookie too": {
            cookie: cookie.replace(/(svc_csrf=)[^;]*/, `$1${otherToken}`),
            "x-csrf-token": otherToken
          },
          "of another origin": { ...browser, origin: "https://evil.example" },
          "of no origin": { ...browser, origin: "null" },
          "of another site": { ...browser, "sec-fetch-site": "cross-site" }
        }
        const changing = endpoints.filter(({ marks }) => marks.includes("csrf"))
        const cookieDecides = endpoints.filter((endpoint) => nameOf(endpoint) === "POST /api/v1/invitations/accept")
        const reads = ({ method, path }: Endpoint) => method === "GET" || /:(preview|diff|backtest)$/.test(path)
        assert.sameMembers(changing, [...forPeople.filter((endpoint) => !reads(endpoint)), ...cookieDecides])
        const lines = changing.flatMap((endpoint) =>
          Object.entries(invalidHeaders).map(([how, headers]) =>
            check({
              endpoint,
              who: `a browser ${how}`,
              sender: { kind: "global admin", user_id },
              headers,
              expected: ["403 csrf_failed"]
            })
          )
        )
        assert.deepStrictEqual(yield* all(lines), [])
      }))

    it.effect("a credential that is none, or is none any more, opens what no credential opens", () =>
      Effect.gen(function*() {
        const { agent, people } = yield* AccessWorld
        const sql = yield* SqlClient.SqlClient
        const past = Timestamp.addSeconds(yield* Timestamp.now, -1)
        const key = Effect.map(
          people.key("global admin"),
          ({ token, user_id }) => ({ user_id, headers: bearer(token) })
        )
        const revoked = yield* key
        const expired = yield* key
        const inactive = yield* key
        yield* sql`UPDATE api_keys SET revoked_at = ${past} WHERE user_id = ${revoked.user_id}`
        yield* sql`UPDATE api_keys SET expires_at = ${past} WHERE user_id = ${expired.user_id}`
        const ended = yield* people.person("global admin")
        const old = yield* people.person("global admin")
        const stopped = yield* people.person("global admin")
        yield* call({ method: "POST", path: "/api/v1/auth/logout", headers: ended.browser })
        yield* sql`UPDATE sessions SET expires_at = ${past} WHERE user_id = ${old.user_id}`
        yield* sql`UPDATE users SET is_active = 0 WHERE id IN ${sql.in([inactive.user_id, stopped.user_id])}`
        const invalid: Readonly<Record<string, Credential>> = {
          "a key that never was": bearer("svk_nothing"),
          "a token of no kind": bearer("nothing"),
          "a cookie of no session": { cookie: "svc_session=nothing; svc_csrf=nothing", "x-csrf-token": "nothing" },
          "a revoked key": revoked.headers,
          "an expired key": expired.headers,
          "an inactive user's key": inactive.headers,
          "an ended session": ended.browser,
          "an expired session": old.browser,
          "an inactive user's session": stopped.browser
        }
        const visited = ["a key that never was", "an ended session"]
        const lines = Object.entries(invalid).flatMap(([who, headers]) =>
          endpoints.filter((endpoint) => !isPublic(endpoint) || visited.includes(who)).map(checkRefusal(who, headers))
        )
        assert.deepStrictEqual(yield* all([...lines, ...forPeople.map(checkRefusal("an agent", agent))]), [])
      }))
  })
})
