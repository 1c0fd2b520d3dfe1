import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Provider } from "oidc-provider"
import { freePort } from "./ports.ts"

/** An account at the provider, by its subject. */
export interface ProviderPerson {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly groups?: ReadonlyArray<string>
}

/** Where the tests' brains say they are; the provider sends browsers back there. */
export const publicUrl = "http://localhost:7700"
export const redirectUri = `${publicUrl}/api/v1/auth/oidc/callback`

/** The settings of a brain that signs people in through the provider. */
export const oidcSettings = { publicUrl, oidcClientId: "svc", oidcScopes: "openid email profile groups" } as const

/**
 * A real OpenID Connect provider on 127.0.0.1, which asks for no password: `authorize` signs in the person that it is
 * given, with cookies of its own, as a new browser.
 */
export const startProvider = Effect.gen(function*() {
  const port = yield* freePort
  const issuer = `http://127.0.0.1:${port}`
  const people = new Map<string, ProviderPerson>()
  let accountId = ""

  const provider = new Provider(issuer, {
    clients: [{
      client_id: "svc",
      token_endpoint_auth_method: "none",
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [`${publicUrl}/`]
    }],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    conformIdTokenClaims: false, // the claims are in the ID token, as with most providers
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    cookies: { keys: ["a key of the test's provider"] },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    // consent is given already
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({
        clientId: context.oidc.client!.clientId,
        accountId: context.oidc.session!.accountId!
      })
      grant.addOIDCScope("openid email profile groups")
      await grant.save()
      return grant
    }
  })

  const handle = provider.callback()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/interaction/") === true) {
      return provider.interactionFinished(request, response, { login: { accountId } })
    }
    return handle(request, response)
  }
  yield* Effect.acquireRelease(
    Effect.async<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        serve(request, response).catch(() => response.destroy())
      })
      server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.async<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )

  /** Follows the provider's redirects as a browser does; the query that it sends the browser back with. */
  const authorize = (url: string, subject: string, person: ProviderPerson = {}) =>
    Effect.promise(async () => {
      people.set(subject, person)
      accountId = subject
      const cookies = new Map<string, string>()
      let next = url
      while (!next.startsWith(redirectUri)) {
        const response = await fetch(next, {
          redirect: "manual",
          headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") }
        })
        for (const cookie of response.headers.getSetCookie()) {
          const [name = "", value = ""] = cookie.split(";", 1)[0]!.split("=", 2)
          cookies.set(name, value)
        }
        const location = response.headers.get("location")
        if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
        next = new URL(location, next).href
      }
      return next.slice(redirectUri.length)
    })

  return { issuer, authorize } as const
})
