import { Cookies as HttpCookies, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Data, Effect, type Layer } from "effect"
import { createHmac } from "node:crypto"
import { acceptsSecretsAt, publicUrlOf } from "../../services/kernel/PublicUrl.ts"
import { Settings } from "../../services/kernel/Settings.ts"

/** Sign-in at SVC_PUBLIC_URL would not be safe. */
export class PublicUrlInvalid extends Data.TaggedError("PublicUrlInvalid")<{ readonly message: string }> {}

/**
 * The two cookies of a session (interface, Authentication). Over https: `__Host-svc_session` and `__Host-svc_csrf`,
 * Secure, and `__Host-svc_device` on a trusted device. Over plain http (loopback and development only) the names have no
 * prefix.
 * The CSRF token is derived from the session token: it is bound to the session, and not stored.
 */
export class Cookies extends Effect.Service<Cookies>()("svc/http/Cookies", {
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    const publicUrl = publicUrlOf(settings)
    if (!URL.canParse(publicUrl) || !/^https?:$/.test(new URL(publicUrl).protocol)) {
      return yield* new PublicUrlInvalid({
        message: `SVC_PUBLIC_URL must be an http or https URL, but is "${publicUrl}"`
      })
    }
    const url = new URL(publicUrl)
    const isHttps = url.protocol === "https:"
    const isLocal = ["localhost", "[::1]"].includes(url.hostname) || url.hostname.startsWith("127.")
    if (!isHttps && !isLocal && settings.environment !== "development") {
      return yield* new PublicUrlInvalid({
        message:
          `People would sign in at ${url.origin} in the clear. Set SVC_PUBLIC_URL to the https address they use; ` +
          "for a trial on a private network set SVC_ENVIRONMENT=development."
      })
    }
    const sessionName = isHttps ? "__Host-svc_session" : "svc_session"
    const deviceName = isHttps ? "__Host-svc_device" : "svc_device"
    const csrfName = isHttps ? "__Host-svc_csrf" : "svc_csrf"

    const deriveCsrfToken = (token: string) => createHmac("sha256", token).update("svc csrf").digest("base64url")
    const isConfidentialAt = acceptsSecretsAt(settings)
    /** Whether the request's transport is confidential: https, loopback, or development. */
    const isConfidential = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
      isConfidentialAt(headers.host ?? "")
    const readCookie = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
      isConfidential(request) ? request.cookies[name] : undefined

    const readSessionToken = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
      readCookie(request, sessionName)

    /** The token of a trusted device. It outlives sessions. */
    const readDeviceToken = (request: HttpServerRequest.HttpServerRequest): string | null =>
      readCookie(request, deviceName) ?? null

    const makeCookie = (name: string, value: string, httpOnly: boolean, maxAgeSeconds: number) =>
      HttpCookies.unsafeMakeCookie(name, value, {
        path: "/",
        secure: isHttps,
        httpOnly,
        sameSite: httpOnly ? "lax" : "strict",
        maxAge: maxAgeSeconds * 1000
      })

    /** Adds both cookies of a new session to a response. */
    const setSession = (token: string, maxAgeSeconds: number) =>
      HttpServerResponse.mergeCookies(HttpCookies.fromIterable([
        makeCookie(sessionName, token, true, maxAgeSeconds),
        makeCookie(csrfName, deriveCsrfToken(token), false, maxAgeSeconds)
      ]))
    /** Adds the cookie of a trusted browser to a response. */
    const setDevice = (token: string, maxAgeSeconds: number) =>
      HttpServerResponse.mergeCookies(HttpCookies.fromIterable([makeCookie(deviceName, token, true, maxAgeSeconds)]))
    /** The cookie of a sign-in through the provider, from its start to the provider's redirect back. */
    const signInName = isHttps ? "__Host-svc_oidc" : "svc_oidc"
    const readSignIn = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
      const value = readCookie(request, signInName)
      return value === undefined ? undefined : Buffer.from(value, "base64url").toString("utf8")
    }
    const setSignIn = (text: string, maxAgeSeconds: number) =>
      HttpServerResponse.mergeCookies(
        HttpCookies.fromIterable([
          makeCookie(signInName, Buffer.from(text).toString("base64url"), true, maxAgeSeconds)
        ])
      )
    /** Removes both cookies from the browser. */
    const clearSession = HttpServerResponse.mergeCookies(HttpCookies.fromIterable([
      makeCookie(sessionName, "", true, 0),
      makeCookie(csrfName, "", false, 0)
    ]))

    return {
      origin: url.origin,
      isConfidential,
      readSessionToken,
      readDeviceToken,
      deriveCsrfToken,
      setSession,
      setDevice,
      readSignIn,
      setSignIn,
      clearSession
    } as const
  })
}) {
  static readonly layer: Layer.Layer<Cookies, PublicUrlInvalid, Settings> = this.Default
}
