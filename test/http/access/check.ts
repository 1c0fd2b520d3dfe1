import { Context, Effect, Layer, Redacted } from "effect"
import { serverOn } from "../../brain.ts"
import type { Engine } from "../../databases.ts"
import { proxied } from "../people.ts"
import { call, type Request } from "./call.ts"
import { bearer, type Credential, type Kind, kinds } from "./people.ts"
import { makeRequests, type Sender } from "./requests.ts"
import type { Endpoint, Least } from "./table.ts"
import { makeWorld, type Values } from "./world.ts"

export const metricsToken = "the-token-of-the-metrics"

const makeAccessWorld = Effect.gen(function*() {
  const world = yield* makeWorld
  const requests = yield* makeRequests(world)
  const shared = new Map<string, Request>()
  /** A request that will be refused changes nothing, so all senders of one kind share it. */
  const requestToRefuse = (endpoint: Endpoint, sender: Sender) =>
    Effect.suspend(() => {
      const key = `${nameOf(endpoint)} ${sender.kind}`
      const known = shared.get(key)
      return known === undefined
        ? Effect.tap(requests.request(endpoint, sender), (made) => Effect.sync(() => shared.set(key, made)))
        : Effect.succeed(known)
    })
  return { ...world, ...requests, requestToRefuse }
})

const isRefusal = (outcome: string) => /^(401|403|404) /.test(outcome)

/** The world and its requests, created once for all tests. */
export class AccessWorld
  extends Context.Tag("test/access/World")<AccessWorld, Effect.Effect.Success<typeof makeAccessWorld>>()
{
  /** A second factor is required after a week, so only the people whom a test sets back are restricted. */
  static readonly on = (engine: Engine) =>
    Layer.effect(AccessWorld, makeAccessWorld).pipe(Layer.provideMerge(serverOn(engine, {
      ...proxied,
      logLevel: "error",
      metricsAuthToken: Redacted.make(metricsToken),
      mfaEnforceForAll: true,
      mfaEnrollmentGraceDays: 7
    })))
}

export const isPublic = ({ least }: Endpoint) => least === "public"
export const isForAgents = ({ least }: Endpoint) => least === "agent"
export const isInProject = ({ path }: Endpoint) => path.includes("{slug}")
export const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

const admins: ReadonlyArray<Kind> = ["admin", "global admin"]
const allowed: Partial<Record<Least, ReadonlyArray<Kind>>> = {
  viewer: ["viewer", "auditor", "operator", ...admins],
  auditor: ["auditor", ...admins],
  operator: ["operator", ...admins],
  admin: admins,
  "global admin": ["global admin"]
}

/** The outcomes for a known person, by role alone. */
export const byRole = (endpoint: Endpoint, kind: Kind): ReadonlyArray<string> => {
  if (isForAgents(endpoint)) return ["401 unauthenticated"]
  if (isInProject(endpoint) && kind === "stranger") return ["404 not_found"]
  return allowed[endpoint.least]?.includes(kind) ?? true ? endpoint.outcomes : ["403 forbidden"]
}

/** The same with a key that has every scope. */
export const byKey = (endpoint: Endpoint, kind: Kind): ReadonlyArray<string> =>
  endpoint.least === "session" ? ["403 forbidden"] : byRole(endpoint, kind)

/** The same with a key that is bound to a project. */
export const byBoundKey = (endpoint: Endpoint, kind: Kind): ReadonlyArray<string> =>
  endpoint.marks.includes("unbound key") ? ["403 scope_missing"] : byKey(endpoint, kind)

/** The least of the people who may. */
export const leastKind = ({ least }: Endpoint): Kind => kinds.find((kind) => kind === least) ?? "stranger"

/** A signed-in person of this kind, in the state that the endpoint needs. */
export const personFor = (endpoint: Endpoint, kind: Kind) =>
  Effect.flatMap(AccessWorld, ({ people }) => {
    if (endpoint.path.endsWith("/enroll-complete")) return people.enrolling(kind)
    return /\/mfa\/(verify|disable|recovery|trusted)/.test(endpoint.path) ? people.enrolled(kind) : people.person(kind)
  })

/** Ends or replaces the session that sends it, or needs one in a state of its own. */
export const needsOwnPerson = ({ method, path }: Endpoint) =>
  method !== "GET" &&
  /\/(auth\/(login|logout|change-password|reauthenticate|sessions|mfa|oidc)|invitations\/accept|setup\/complete)/.test(
    path
  )

export interface Check {
  readonly endpoint: Endpoint
  /** For the line that says what differs. */
  readonly who: string
  readonly sender: Sender
  readonly headers: Credential
  readonly expected: ReadonlyArray<string>
  /** Other values of the path's parameters. */
  readonly instead?: Values
}

/** Sends a request in which only the sender may be wrong; returns a line where the outcome differs. */
export const check = Effect.fnUntraced(function*<E = never, R = never>(
  { endpoint, expected, headers, instead, sender, who }: Check,
  /** Done after the request was made, before it is sent; may give other headers. */
  before: Effect.Effect<Credential | void, E, R> = Effect.void
) {
  const { request, requestToRefuse } = yield* AccessWorld
  const validRequest = yield* expected.every(isRefusal) && instead === undefined
    ? requestToRefuse(endpoint, sender)
    : request(endpoint, sender, instead)
  const changed = yield* before
  const { outcome } = yield* call({ ...validRequest, headers: changed ?? headers })
  return expected.includes(outcome)
    ? []
    : [`${nameOf(endpoint)} by ${who}: ${outcome} instead of ${expected.join(" or ")}`]
})

/** A person of each kind calls these endpoints with a key that has every scope. */
export const checksOfKeys = (endpointsFor: (kind: Kind) => ReadonlyArray<Endpoint>) =>
  Effect.gen(function*() {
    const { people } = yield* AccessWorld
    const checks = yield* Effect.forEach(kinds, (kind) =>
      Effect.map(people.key(kind), ({ token, user_id }) =>
        endpointsFor(kind).map((endpoint) =>
          check({
            endpoint,
            who: `${kind}'s key`,
            sender: { kind, user_id },
            headers: bearer(token),
            expected: byKey(endpoint, kind)
          })
        )))
    return checks.flat()
  })

/** All lines. */
export const all = <E, R>(checks: ReadonlyArray<Effect.Effect<ReadonlyArray<string>, E, R>>) =>
  Effect.map(Effect.all(checks, { concurrency: 4 }), (lines) => lines.flat())
