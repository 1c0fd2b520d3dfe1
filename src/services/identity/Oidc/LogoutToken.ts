import { type Clock, Data, DateTime, Duration, Effect } from "effect"
import type * as Jose from "jose"
import { isStorable } from "../../../domain/kernel/Text.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"

/** The token is not valid; `why` is for the log. */
export class LogoutTokenRefused extends Data.TaggedError("LogoutTokenRefused")<{ readonly why: string }> {}

/** The provider's keys could not be fetched, so the token is neither valid nor invalid. */
export class KeysUnavailable extends Data.TaggedError("KeysUnavailable")<{
  readonly cause: unknown
  /** Another token met the same failure a moment ago: any client could fill the log. */
  readonly isRepeated: boolean
}> {}

/** What a valid logout token says has ended: the sign-ins of `sid`, or all of `subject`. */
export interface LogoutToken {
  readonly issuer: string
  readonly subject: string | null
  readonly sid: string | null
  readonly jti: string
  /** By the provider's clock, to the second. */
  readonly issued_at: Timestamp.Timestamp
  /** From then on the token is refused anyway. */
  readonly expires_at: Timestamp.Timestamp
}

/** As for ID tokens (openid-client). */
const toleranceSeconds = 30

/** A token counts as expired after this time, whatever its `exp`: used tokens are remembered until they expire. */
const maxAgeSeconds = Timestamp.secondsPerDay

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** Errors of jose that say that the keys could not be read; all others of jose are about the token. */
const keyErrors: ReadonlySet<string> = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"])

const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && isStorable(value)

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The claims as OpenID Connect Back-Channel Logout 1.0, section 2.6, has them; jose has verified `iss`, `aud` and times. */
const readClaims = (
  { events, exp = 0, iat = 0, iss = "", jti, nonce, sid, sub }: Jose.JWTPayload
): Effect.Effect<LogoutToken, LogoutTokenRefused> => {
  const refuse = (why: string) => new LogoutTokenRefused({ why })
  // an ID token is no logout token
  if (nonce !== undefined) return refuse("it has a nonce")
  if (!isObject(events) || !isObject(Object.entries(events).find(([name]) => name === logoutEvent)?.[1])) {
    return refuse(`"events" does not have ${logoutEvent}`)
  }
  if (!isText(jti)) return refuse("\"jti\" is no text")
  if (sub === undefined && sid === undefined) return refuse("it has neither \"sub\" nor \"sid\"")
  if (sub !== undefined && !isText(sub)) return refuse("\"sub\" is no text")
  if (sid !== undefined && !isText(sid)) return refuse("\"sid\" is no text")
  const issueSeconds = Math.ceil(iat)
  const expirySeconds = Math.min(Math.ceil(exp), issueSeconds + maxAgeSeconds) + toleranceSeconds
  return Effect.succeed({
    issuer: iss,
    subject: sub ?? null,
    sid: sid ?? null,
    jti,
    issued_at: Timestamp.fromEpochMillis(issueSeconds * 1000),
    expires_at: Timestamp.fromEpochMillis(expirySeconds * 1000)
  })
}

export interface VerifierOptions {
  readonly jose: typeof Jose
  readonly metadata: {
    readonly issuer: string
    readonly jwks_uri?: string
    readonly id_token_signing_alg_values_supported?: ReadonlyArray<string>
  }
  readonly clientId: string
  readonly fetch: Jose.FetchImplementation
  readonly timeout: Duration.Duration
  /** How long the keys are not fetched again after a failure. */
  readonly retryAfter: Duration.Duration
  readonly clock: Clock.Clock
}

/**
 * Verifies logout tokens by the provider's keys. jose keeps the keys for ten minutes and fetches them for an unknown key at
 * most every 30 s, so a flood of forged tokens causes few calls.
 */
export const makeLogoutTokenVerifier = (options: VerifierOptions) => {
  const { clientId, clock, jose, metadata } = options
  const { jwks_uri = "" } = metadata
  // OpenID Connect Discovery: RS256 where the provider lists none. A symmetric key would be the client's secret.
  const algorithms = (metadata.id_token_signing_alg_values_supported ?? ["RS256"]).filter((algorithm) =>
    !/^(none|HS\d+)$/i.test(algorithm)
  )

  let pausedUntil = 0
  const fetchKeys: Jose.FetchImplementation = async (url, init) => {
    if (clock.unsafeCurrentTimeMillis() < pausedUntil) throw new Error("the keys could not be fetched a moment ago")
    return options.fetch(url, init)
  }
  /** The first failure begins a pause. */
  const lackKeys = (cause: unknown) => {
    const now = clock.unsafeCurrentTimeMillis()
    const isRepeated = now < pausedUntil
    if (!isRepeated) pausedUntil = now + Duration.toMillis(options.retryAfter)
    return new KeysUnavailable({ cause, isRepeated })
  }
  const keys = URL.canParse(jwks_uri)
    ? jose.createRemoteJWKSet(new URL(jwks_uri), {
      timeoutDuration: Duration.toMillis(options.timeout),
      [jose.customFetch]: fetchKeys
    })
    : null

  return (token: string): Effect.Effect<LogoutToken, KeysUnavailable | LogoutTokenRefused> =>
    Effect.gen(function*() {
      if (keys === null) {
        return yield* lackKeys("the provider's metadata has no address of its keys")
      }
      const currentDate = DateTime.toDateUtc(yield* DateTime.now)
      const { payload } = yield* Effect.tryPromise({
        try: () =>
          jose.jwtVerify(token, keys, {
            algorithms,
            issuer: metadata.issuer,
            audience: clientId,
            requiredClaims: ["iat", "exp", "jti", "events"],
            clockTolerance: toleranceSeconds,
            maxTokenAge: maxAgeSeconds, // also refuses an `iat` in the future
            currentDate
          }),
        catch: (cause) =>
          cause instanceof jose.errors.JOSEError && !keyErrors.has(cause.code)
            ? new LogoutTokenRefused({ why: cause.message })
            : lackKeys(cause)
      })
      return yield* readClaims(payload)
    })
}
