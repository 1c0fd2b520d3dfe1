import { HttpClient, HttpClientRequest, type HttpServer } from "@effect/platform"
import { assert } from "@effect/vitest"
import { Effect, FiberRef, Record } from "effect"
import { hasProperty } from "effect/Predicate"
import type { Role } from "../src/domain/kernel/Access.ts"
import type { Code } from "../src/domain/kernel/ErrorCodes.ts"
import { client } from "../src/http/Client.ts"
import { baseUrl, freshKey } from "./brain.ts"

/** An API key, or the headers of a browser that has signed in; neither: a caller without credentials. */
export interface Credential {
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The server and the credential of the calls of this fiber. */
const target = FiberRef.unsafeMake<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>({
  url: "",
  headers: {}
})

/** One derived client for all tests: to derive it takes about 40 ms. */
const derived = Effect.runSync(client({
  baseUrl: "",
  transform: HttpClient.mapRequestEffect((request) =>
    Effect.map(
      FiberRef.get(target),
      ({ headers, url }) => request.pipe(HttpClientRequest.prependUrl(url), HttpClientRequest.setHeaders(headers))
    )
  )
}))

export type Client = typeof derived

type Call = (...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>

/**
 * The client derived from the API's definition (`http/Client.ts`), on the suite's server. A call succeeds with the
 * decoded response, and fails with the error of `domain/kernel/Errors.ts` that the server sent.
 */
export const clientWith = (
  { headers = {}, token }: Credential
): Effect.Effect<Client, never, HttpServer.HttpServer> =>
  Effect.map(baseUrl, (url) => {
    const own = { url, headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) } }
    const locally = (call: Call): Call => (...args) => Effect.locally(call(...args), target, own)
    const groups: Readonly<Record<string, Readonly<Record<string, Call>>>> = derived
    // the cast: the same groups and calls, each with the same arguments and outcome
    return Record.map(groups, Record.map(locally)) as unknown as Client
  })

/** The client of a new user with this role in the project, by an API key with every scope. */
export const clientOf = (role: Role, project: { readonly id: string }) =>
  Effect.flatMap(freshKey({ roles: { [project.id]: role } }), clientWith)

/** The client of a new global admin, by an API key with every scope. */
export const clientOfGlobalAdmin = Effect.flatMap(Effect.suspend(() => freshKey({ isAdmin: true })), clientWith)

/** The call is refused with this code. */
export const assertRefused = <A, E, R>(call: Effect.Effect<A, E, R>, code: Code) =>
  Effect.map(
    Effect.flip(call),
    (failure) => assert.strictEqual(hasProperty(failure, "code") ? failure.code : failure, code)
  )
