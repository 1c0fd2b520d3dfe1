import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import { timingSafeEqual } from "node:crypto"
import { Forbidden } from "../../domain/kernel/Errors.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import { Cookies } from "./Cookies.ts"

export const csrfFailed = new Forbidden({
  code: "csrf_failed",
  detail: "Send the value of the CSRF cookie in the X-CSRF-Token header, from the brain's own origin."
})

const equalsConstantTime = (a: string, b: string) => {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The checks against requests that another site's page sends with a person's cookies. */
export const makeCsrfChecks = Effect.gen(function*() {
  const { corsOrigins } = yield* Settings
  const cookies = yield* Cookies

  /** Whether the browser says that a page of another site sends the request, and SVC_CORS_ORIGINS does not name that site. */
  const isCrossSite = ({ headers }: HttpServerRequest.HttpServerRequest): boolean => {
    const { origin, "sec-fetch-site": site } = headers
    if (origin !== undefined && corsOrigins.includes(origin)) return false
    if (site !== undefined && site !== "same-origin" && site !== "none") return true
    if (origin === undefined || origin === cookies.origin) return false
    return !URL.canParse(origin) || new URL(origin).host !== headers["host"]
  }

  /** The header proves that the sending page can read the CSRF cookie. */
  const checkCsrf = (request: HttpServerRequest.HttpServerRequest) => {
    const sentToken = request.headers["x-csrf-token"]
    const expected = cookies.deriveCsrfToken(cookies.readSessionToken(request) ?? "")
    return sentToken !== undefined && equalsConstantTime(sentToken, expected) && !isCrossSite(request)
      ? Effect.void
      : csrfFailed
  }

  return { isCrossSite, checkCsrf } as const
})
