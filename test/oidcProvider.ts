import { Effect } from "effect"
import { decodeJwt, exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose"
import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Provider } from "oidc-provider"
import { freePort } from "./ports.ts"

/** An account at the provider, by its subject: its claims, of any type, as other providers may send them. */
export interface ProviderPerson {
  readonly email?: string
  readonly email_verified?: unknown
  readonly name?: string
  readonly groups?: unknown
}

/** Where the tests' brains say they are; the provider sends browsers back there. */
export const publicUrl = "http://localhost:7700"
export const redirectUri = `${publicUrl}/api/v1/auth/oidc/callback`

export const logoutPath = "/auth/oidc/backchannel-logout"

/** The claims of a logout token of this issuer that ends the sessions of `sid` or `sub`. */
export const logoutClaims = (issuer: string, ended: { readonly sid?: string; readonly sub?: string }): JWTPayload => {
  const iat = Math.floor(Date.now() / 1000)
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} }
  return { iss: issuer, aud: "svc", iat, exp: iat + 120, jti: randomUUID(), events, ...ended }
}

/** The settings of a brain that signs people in through the provider. */
export const oidcSettings = { publicUrl, oidcClientId: "svc", oidcScopes: "openid email profile groups" } as const

/** A browser at the provider: its cookies. */
type Browser = Map<string, string>

const visit = async (browser: Browser, url: string, init: RequestInit = {}) => {
  const cookie = [...browser].map((pair) => pair.join("=")).join("; ")
  const response = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } })
  for (const cookie of response.headers.getSetCookie()) {
    const [name = "", value = ""] = cookie.split(";", 1)[0]!.split("=", 2)
    browser.set(name, value)
  }
  return response
}

/**
 * A real OpenID Connect provider on 127.0.0.1, which asks for no password: `authorize` signs in the person that it is
 * given, with cookies of its own, as a new browser. The claims are in the ID token, or else at the UserInfo endpoint; only
 * in the second case it has one.
 */
export const startProvider = Effect.fn(function*({ claimsAt }: { readonly claimsAt: "id token" | "userinfo" }) {
  const port = yield* freePort
  const issuer = `http://127.0.0.1:${port}`
  const people = new Map<string, ProviderPerson>()
  const browsers = new Map<string, Browser>()
  const { privateKey } = yield* Effect.promise(() => generateKeyPair("RS256", { extractable: true }))
  const key = { ...(yield* Effect.promise(() => exportJWK(privateKey))), kid: "signing", alg: "RS256", use: "sig" }
  let accountId = ""
  let keyReads = 0
  let userInfoResponse: { readonly status: number; readonly body: object } | null = null
  let logoutResponses: ReadonlyArray<Response> = []
  let brainUrl = publicUrl
  let onIdToken: ((claims: JWTPayload) => Promise<unknown>) | null = null

  const provider = new Provider(issuer, {
    clients: [{
      client_id: "svc",
      token_endpoint_auth_method: "none",
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [`${publicUrl}/`],
      backchannel_logout_uri: `${publicUrl}/api/v1${logoutPath}`,
      backchannel_logout_session_required: true
    }],
    jwks: { keys: [key] },
    // the brain under test listens on another port than it is registered with, and at an address that the provider's own
    // dispatcher does not call
    fetch: async (url, { body = null, headers = {}, method = "GET" }: RequestInit = {}) => {
      const response = await fetch(String(url).replace(publicUrl, brainUrl), { body, headers, method })
      logoutResponses = [...logoutResponses, response]
      return response
    },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    conformIdTokenClaims: claimsAt === "userinfo",
    features: {
      userinfo: { enabled: claimsAt === "userinfo" },
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context, form) => {
          context.body = form
        }
      }
    },
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
    if (request.url === "/jwks") keyReads++
    if (request.url === "/me" && userInfoResponse !== null) {
      response.writeHead(userInfoResponse.status, { "content-type": "application/json" })
      return response.end(JSON.stringify(userInfoResponse.body))
    }
    const beforeResponse = onIdToken
    if (request.url === "/token" && beforeResponse !== null) {
      onIdToken = null
      const end = response.end.bind(response)
      response.end = ((body: string) => {
        void beforeResponse(decodeJwt(JSON.parse(body).id_token)).finally(() => end(body))
        return response
      }) as typeof response.end
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
      const browser: Browser = new Map()
      browsers.set(subject, browser)
      let next = url
      while (!next.startsWith(redirectUri)) {
        const response = await visit(browser, next)
        const location = response.headers.get("location")
        if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`)
        next = new URL(location, next).href
      }
      return next.slice(redirectUri.length)
    })

  /**
   * The person signs out of the provider in the browser that signed in last. The provider calls the brain at `base`; what
   * the brain responded.
   */
  const signOut = (subject: string, base: string) =>
    Effect.promise(async () => {
      brainUrl = base
      logoutResponses = []
      const browser = browsers.get(subject)!
      const page = await (await visit(browser, `${issuer}/session/end`)).text()
      const xsrf = /name="xsrf" value="(\w+)"/.exec(page)?.[1] ?? ""
      const ended = await visit(browser, `${issuer}/session/end/confirm`, {
        method: "POST",
        body: new URLSearchParams({ xsrf, logout: "yes" })
      })
      if (ended.status !== 303) throw new Error(`the provider answered ${ended.status}: ${page} ${await ended.text()}`)
      return logoutResponses
    })

  /** A logout token with the provider's signature, unless another key signs it. */
  const signLogout = (claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}, signingKey = privateKey) =>
    Effect.promise(() =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "signing", typ: "logout+jwt", ...header }).sign(
        signingKey
      )
    )

  /** Sets the response of the UserInfo endpoint; null: the person's claims. */
  const setUserInfo = (response: typeof userInfoResponse) => {
    userInfoResponse = response
  }

  /** Runs when the provider has issued the next ID token, and before the brain receives it. */
  const beforeIdToken = (run: NonNullable<typeof onIdToken>) => {
    onIdToken = run
  }

  return { issuer, authorize, signOut, signLogout, setUserInfo, beforeIdToken, keyReads: () => keyReads } as const
})
