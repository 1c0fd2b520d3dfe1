import { Cookies as HttpCookies, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Data, Effect, type Layer } from "effect"
import { createHmac } from "node:crypto"
import { publicUrlOf, takesSecretsAt } from "../../services/PublicUrl.ts"
import { Settings } from "../../services/Settings.ts"

/** SVC_PUBLIC_URL is not an address that people can sign in at safely. */
export class PublicUrlInvalid extends Data.TaggedError("PublicUrlInvalid")<{ readonly message: string }> {}

/**
 * The two cookies of a session (interface, Authentication). Over https: `__Host-svc_session` and `__Host-svc_csrf`,
 * Secure, and `__Host-svc_device` in a browser that its owner trusts. Over plain http, which is for requests to the
 * machine itself and for development: the unprefixed names.
 * The CSRF token is derived from the session token, so that it is bound to it and nothing is stored.
 */
export class Cookies extends Effect.Service<Cookies>()("svc/http/Cookies", {
  effect: Effect.gen(function*() {
    const settings = yield* Settings
    const text = publicUrlOf(settings)
    if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
      return yield* new PublicUrlInvalid({ message: `SVC_PUBLIC_URL must be an http or https URL, but is "${text}"` })
    }
    const url = new URL(text)
    const secure = url.protocol === "https:"
    const local = ["localhost", "[::1]"].includes(url.hostname) || url.hostname.startsWith("127.")
    if (!secure && !local && settings.environment !== "development") {
      return yield* new PublicUrlInvalid({
        message: `People would sign in at ${url.origin} in the clear. Set SVC_PUBLIC_URL to the https address they use; ` +
          "for a trial on a private network set SVC_ENVIRONMENT=development."
      })
    }
    const sessionName = secure ? "__Host-svc_session" : "svc_session"
    const deviceName = secure ? "__Host-svc_device" : "svc_device"
    const csrfName = secure ? "__Host-svc_csrf" : "svc_csrf"

    const csrfFor = (token: string) => createHmac("sha256", token).update("svc csrf").digest("base64url")
    const isSafeAt = takesSecretsAt(settings)
    /** Whether nobody on the way reads what this request carries. */
    const isSafe = ({ headers }: HttpServerRequest.HttpServerRequest): boolean => isSafeAt(headers.host ?? "")
    const cookieOf = (request: HttpServerRequest.HttpServerRequest, name: string): string | undefined =>
      isSafe(request) ? request.cookies[name] : undefined

    const session = (request: HttpServerRequest.HttpServerRequest): string | undefined => cookieOf(request, sessionName)

    /** What says that the browser is one its owner trusts; it outlives sessions. */
    const device = (request: HttpServerRequest.HttpServerRequest): string | null => cookieOf(request, deviceName) ?? null

    const cookie = (name: string, value: string, httpOnly: boolean, maxAgeSeconds: number) =>
      HttpCookies.unsafeMakeCookie(name, value, {
        path: "/",
        secure,
        httpOnly,
        sameSite: httpOnly ? "lax" : "strict",
        maxAge: maxAgeSeconds * 1000
      })

    /** Adds both cookies of a new session to an answer. */
    const issue = (token: string, maxAgeSeconds: number) =>
      HttpServerResponse.mergeCookies(HttpCookies.fromIterable([
        cookie(sessionName, token, true, maxAgeSeconds),
        cookie(csrfName, csrfFor(token), false, maxAgeSeconds)
      ]))
    /** Adds the cookie of a trusted browser to an answer. */
    const issueDevice = (token: string, maxAgeSeconds: number) =>
      HttpServerResponse.mergeCookies(HttpCookies.fromIterable([cookie(deviceName, token, true, maxAgeSeconds)]))
    /** Removes both cookies from the browser. */
    const clear = HttpServerResponse.mergeCookies(HttpCookies.fromIterable([
      cookie(sessionName, "", true, 0),
      cookie(csrfName, "", false, 0)
    ]))

    return { origin: url.origin, isSafe, session, device, csrfFor, issue, issueDevice, clear } as const
  })
}) {
  static readonly layer: Layer.Layer<Cookies, PublicUrlInvalid, Settings> = this.Default
}
