import { Cache, Clock, Data, Duration, Effect, Exit, Redacted, Schema } from "effect"
import { LocalPath, type ProviderSignIn } from "../../../domain/identity/Oidc.ts"
import { Conflict, Unavailable } from "../../../domain/kernel/Errors.ts"
import { isStorable } from "../../../domain/kernel/Text.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { readAuthorities } from "../../kernel/Outbound.ts"
import { publicUrlOf } from "../../kernel/PublicUrl.ts"
import { Settings } from "../../kernel/Settings.ts"
import { makeLogoutTokenVerifier } from "./LogoutToken.ts"

/** The provider refused, or its response is invalid: issuer, audience, nonce, state, times. */
export class ProviderRefused extends Data.TaggedError("ProviderRefused")<{ readonly why: string }> {}

/** What the browser's cookie carries from the start of a sign-in to the provider's response. */
export const Attempt = Schema.Struct({
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  /** Checked again when it comes back: the redirect leads to this site, whatever the cookie says. */
  return_to: LocalPath,
  fresh: Schema.Boolean,
  /** The hash of the session that asked for a link; null: a sign-in. */
  link_session: Schema.NullOr(Schema.String),
  /** In milliseconds of the epoch. */
  expires_at: Schema.Number
})
export type Attempt = typeof Attempt.Type

/** The claims of a verified ID token, and of the UserInfo endpoint, that the brain uses. */
export interface ProviderAccount extends ProviderSignIn {
  /** When the provider issued the ID token, by its clock, to the second. */
  readonly issued_at: Timestamp.Timestamp
  readonly name: string | null
  /** Only an address that the provider has verified. */
  readonly email: string | null
  /** null: the provider does not say, which is not the same as none. */
  readonly groups: ReadonlyArray<string> | null
}

type Claims = Readonly<Record<string, unknown>>

type Fetch = (url: string, init: object) => Promise<Response>

/** A person needs minutes at the provider, a stolen cookie should not last longer. */
export const attemptSeconds = 600

const discoveryTtl = Duration.hours(1)
const timeoutSeconds = 10

/** After a failure the provider is not called again for this long, whatever clients without an account send. */
const retryAfter = Duration.seconds(5)

const notConfigured = new Conflict({
  code: "oidc_not_configured",
  detail: "Sign-in through a provider is not configured. Set SVC_OIDC_ISSUER, or sign in with a password."
})

const unreachable = new Unavailable({
  detail: "The sign-in provider does not answer. Try again later, or sign in with a password if you are an admin."
})

const textOf = (
  value: unknown
): string | null => (typeof value === "string" && value !== "" ? value.slice(0, 320) : null)

/** PostgreSQL refuses an entry of an index above 2 700 bytes; a character has four at most. */
const longestSid = 600

const sidOf = (claim: unknown): string | null =>
  typeof claim === "string" && claim !== "" && claim.length <= longestSid && isStorable(claim) ? claim : null

const isTextList = Schema.is(Schema.Array(Schema.String))

/**
 * The groups of a claim: a list, or one text. null and an empty text stand for a claim that is not there (OpenID Connect
 * Core, section 5.3.2).
 */
const groupsOf = (claim: unknown): ReadonlyArray<string> | null => {
  const groups = typeof claim === "string" && claim !== "" ? [claim] : claim
  return isTextList(groups) ? groups : null
}

/** The address, if the provider verified it, or the operator trusts a provider that does not say. */
const addressOf = ({ email, email_verified = null }: Claims, isTrusted: boolean): string | null =>
  email_verified === true || (isTrusted && email_verified === null) ? textOf(email) : null

/** openid-client's code for a UserInfo response about another subject. */
const otherSubject = "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED"

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/**
 * The OpenID Connect provider of SVC_OIDC_ISSUER: authorization code flow with PKCE (RFC 7636) by openid-client, which
 * verifies the claims of the ID token. Its signature is not needed, because it comes from the token endpoint itself (OpenID Connect
 * Core, section 3.1.3.7).
 */
export class OidcProvider extends Effect.Service<OidcProvider>()("svc/oidc/Provider", {
  // The discovery of the provider, and five short methods that use the client that it loads.
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    const authorities = yield* readAuthorities(settings.outboundCaFile)
    const redirectUri = `${publicUrlOf(settings)}/api/v1/auth/oidc/callback`
    const isConfigured = settings.oidcIssuer !== ""
    const clock = yield* Effect.clock

    const discover = Effect.gen(function*() {
      // loaded when first used: most brains have no provider
      const client = yield* Effect.promise(() => import("openid-client"))
      const jose = yield* Effect.promise(() => import("jose"))
      const undici = yield* Effect.promise(() => import("undici"))
      const { Agent, fetch } = undici.default ?? undici // a CommonJS module: bundled it has nothing but its default
      const dispatcher = new Agent({ connect: authorities })
      // the cast: undici's own types of fetch and Response, which are those of the platform otherwise
      const customFetch = ((url: string, init: object) => fetch(url, { ...init, dispatcher })) as unknown as Fetch
      const issuer = new URL(settings.oidcIssuer)
      const secret = settings.oidcClientSecret === null ? undefined : Redacted.value(settings.oidcClientSecret)
      const config = yield* Effect.tryPromise(() =>
        client.discovery(
          issuer,
          settings.oidcClientId,
          secret,
          secret === undefined ? client.None() : undefined,
          {
            timeout: timeoutSeconds,
            [client.customFetch]: customFetch,
            // for a provider beside the brain, and for trials
            execute: issuer.protocol === "http:" ? [client.allowInsecureRequests] : []
          }
        )
      )
      const verifyLogoutToken = makeLogoutTokenVerifier({
        jose,
        metadata: config.serverMetadata(),
        clientId: settings.oidcClientId,
        fetch: customFetch,
        timeout: Duration.seconds(timeoutSeconds),
        retryAfter,
        clock
      })
      return { client, config, verifyLogoutToken }
    }).pipe(
      Effect.tapError((error) => Effect.logWarning("the sign-in provider cannot be discovered", error.error)),
      Effect.mapError(() => unreachable)
    )
    const discovered = yield* Cache.makeWith({
      capacity: 1,
      lookup: (_: "provider") => discover,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? discoveryTtl : retryAfter)
    })
    const provider = Effect.filterOrFail(Effect.succeed(isConfigured), (is) => is, () => notConfigured).pipe(
      // others wait for the result too when the client that asked first leaves; the cache itself would pass its end on to them
      Effect.zipRight(Effect.uninterruptible(discovered.get("provider")))
    )

    /** A new attempt, and where to send the browser with it. */
    const begin = Effect.fn("OidcProvider.begin")(function*(
      request: Pick<Attempt, "fresh" | "link_session" | "return_to">
    ) {
      const { client, config } = yield* provider
      const attempt: Attempt = {
        ...request,
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        expires_at: (yield* Clock.currentTimeMillis) + attemptSeconds * 1000
      }
      const code_challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(attempt.verifier))
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: settings.oidcScopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge,
        code_challenge_method: "S256",
        ...(attempt.fresh ? { prompt: "login", max_age: "0" } : {})
      })
      return { attempt, url: url.href }
    })

    const readClaims = (claims: Claims) => ({
      name: textOf(claims.name),
      email: addressOf(claims, settings.oidcTrustEmail),
      groups: groupsOf(claims[settings.oidcGroupsClaim])
    })

    /**
     * The claims that the UserInfo endpoint has about the subject; none where there is no endpoint. An endpoint that fails
     * does not keep a linked person out: the claims of the ID token count alone.
     */
    const readUserInfo = Effect.fnUntraced(function*(accessToken: string, subject: string) {
      const { client, config } = yield* provider
      const none: Claims = {}
      if (config.serverMetadata().userinfo_endpoint === undefined) return none
      return yield* Effect.tryPromise({
        try: (): Promise<Claims> => client.fetchUserInfo(config, accessToken, subject),
        catch: (error) => error
      }).pipe(
        Effect.catchAll((error) =>
          error instanceof client.ClientError && error.code === otherSubject
            ? new ProviderRefused({ why: "the UserInfo endpoint answered about another subject" })
            : Effect.as(Effect.logWarning("the sign-in provider's UserInfo endpoint failed", error), none)
        )
      )
    })

    /** The account behind the provider's response, whose query is `search`. A fresh one was authenticated just now. */
    const complete = Effect.fn("OidcProvider.complete")(function*(attempt: Attempt, search: string) {
      const { client, config } = yield* provider
      const tokens = yield* Effect.tryPromise({
        try: () =>
          client.authorizationCodeGrant(config, new URL(`${redirectUri}${search}`), {
            pkceCodeVerifier: attempt.verifier,
            expectedState: attempt.state,
            expectedNonce: attempt.nonce,
            idTokenExpected: true,
            // measured from the login at the provider to here: the attempt itself may take this long
            ...(attempt.fresh ? { maxAge: attemptSeconds } : {})
          }),
        catch: (error) => new ProviderRefused({ why: messageOf(error) })
      })
      const claims = tokens.claims()
      if (claims === undefined) return yield* new ProviderRefused({ why: "no ID token" })
      const { email, groups, name } = readClaims(claims)
      const lacksGroups = settings.oidcGroupRoles.length > 0 && groups === null
      const userInfo = email === null || lacksGroups ? yield* readUserInfo(tokens.access_token, claims.sub) : {}
      const further = readClaims(userInfo)
      const isUnverified = claims.email_verified === false || userInfo.email_verified === false
      return {
        issuer: claims.iss,
        subject: claims.sub,
        sid: sidOf(claims.sid),
        issued_at: Timestamp.fromEpochMicros(Math.floor(claims.iat) * 1_000_000),
        name: name ?? further.name,
        email: isUnverified ? null : email ?? further.email,
        groups: groups ?? further.groups
      } satisfies ProviderAccount
    })

    /** The provider's page for signing out; null without one (OpenID Connect RP-Initiated Logout 1.0). */
    const logoutUrl = Effect.map(
      provider,
      ({ client, config }) =>
        config.serverMetadata().end_session_endpoint === undefined
          ? null
          : client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${publicUrlOf(settings)}/` }).href
    )

    /** What a logout token says has ended. Without the provider's keys it cannot be verified: 503. */
    const verifyLogoutToken = Effect.fn("OidcProvider.verifyLogoutToken")(function*(token: string) {
      const { verifyLogoutToken: verify } = yield* provider
      return yield* verify(token).pipe(
        Effect.catchTag(
          "KeysUnavailable",
          ({ cause, isRepeated }) =>
            Effect.zipRight(
              isRepeated ? Effect.void : Effect.logWarning("the sign-in provider's keys cannot be read", cause),
              unreachable
            )
        )
      )
    })

    return { isConfigured, begin, complete, verifyLogoutToken, logoutUrl } as const
  })
}) {
  static readonly layer = this.Default
}
