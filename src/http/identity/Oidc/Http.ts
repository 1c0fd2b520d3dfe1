import type { HttpServerRequest } from "@effect/platform"
import { HttpServerResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import { OidcAuthorization, OidcLogout } from "../../../domain/identity/Oidc.ts"
import { Oidc } from "../../../services/identity/Oidc.ts"
import { BackchannelLogout } from "../../../services/identity/Oidc/BackchannelLogout.ts"
import { attemptSeconds } from "../../../services/identity/Oidc/Provider.ts"
import { Sessions } from "../../../services/identity/Sessions.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { Authorize } from "../../middleware/Authorize.ts"
import { Cookies } from "../../middleware/Cookies.ts"

const authorizationJson = HttpServerResponse.schemaJson(OidcAuthorization)
const logoutJson = HttpServerResponse.schemaJson(OidcLogout)

/** Also in the browser's cache and in proxies, a redirect with a code or a state must not be kept. */
const redirectTo = (url: string) =>
  HttpServerResponse.redirect(url, { status: 303, headers: { "cache-control": "no-store" } })

const searchOf = ({ url }: HttpServerRequest.HttpServerRequest): string => url.slice(url.indexOf("?"))

const SignInHttp = implementGroup("oidc_sign_in", function*(handlers) {
  const oidc = yield* Oidc
  const backchannel = yield* BackchannelLogout
  const authorize = yield* Authorize
  const cookies = yield* Cookies
  return handlers
    .handle("status", () => Effect.succeed(oidc.status))
    .handle("start", ({ urlParams }) =>
      Effect.map(
        oidc.begin({ return_to: urlParams.return_to, fresh: urlParams.fresh ?? false, link_session: null }),
        ({ cookie, url }) => cookies.setSignIn(cookie, attemptSeconds)(redirectTo(url))
      ))
    .handle("callback", ({ request }) =>
      Effect.map(
        oidc.complete({
          attempt: cookies.readSignIn(request),
          search: searchOf(request),
          ...authorize.browserOf(request)
        }),
        ({ return_to, session }) => {
          const response = cookies.setSignIn("", 0)(redirectTo(return_to))
          return session === null ? response : cookies.setSession(session.token, session.maxAgeSeconds)(response)
        }
      ))
    .handle(
      "backchannelLogout",
      ({ payload, request }) => backchannel.logout(payload.logout_token, authorize.sourceOf(request))
    )
})

const AccountHttp = implementGroup("oidc", function*(handlers) {
  const oidc = yield* Oidc
  const sessions = yield* Sessions
  const cookies = yield* Cookies
  return handlers
    .handle("identities", () => oidc.list())
    .handle("link", ({ payload, request }) =>
      Effect.flatMap(
        oidc.beginLink(payload.return_to, cookies.readSessionToken(request) ?? ""),
        ({ cookie, url }) =>
          authorizationJson({ authorization_url: url }).pipe(
            Effect.map(cookies.setSignIn(cookie, attemptSeconds)),
            Effect.orDie
          )
      ))
    .handle("unlink", ({ path }) => oidc.unlink(path.identity_id))
    .handle("logout", () =>
      Effect.gen(function*() {
        // the session ends whether the provider responds or not
        const logout_url = yield* Effect.catchAll(oidc.logoutUrl, () => Effect.succeed(null))
        yield* sessions.logout()
        return yield* Effect.map(Effect.orDie(logoutJson({ logout_url })), cookies.clearSession)
      }))
})

export const layer = Layer.mergeAll(SignInHttp, AccountHttp)
