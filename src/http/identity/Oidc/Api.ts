import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import {
  BackchannelLogout,
  LinkOidc,
  OidcAuthorization,
  OidcIdentity,
  OidcLogout,
  OidcStatus,
  StartOidc
} from "../../../domain/identity/Oidc.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, OidcIdentityId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, plainGroup } from "../../Groups.ts"

/** Sign-in through an OpenID Connect provider (docs/oidc.md). */
export class OidcSignInApi extends plainGroup("oidc_sign_in", "Sign-in")
  .add(
    HttpApiEndpoint.get("status", "/auth/oidc")
      .addSuccess(OidcStatus)
      .annotate(Access, { caller: "public" })
      .annotateContext(operation("Show how people sign in", "Whether a provider is configured, for a login page."))
  )
  .add(
    HttpApiEndpoint.get("start", "/auth/oidc/start")
      .setUrlParams(StartOidc)
      .addSuccess(HttpApiSchema.Empty(303))
      .annotate(Access, {
        caller: "public",
        requiresHttps: true,
        bucket: "login",
        failureCodes: ["oidc_not_configured", "unavailable"]
      })
      .annotateContext(operation(
        "Start a sign-in through the provider",
        "Redirects the browser to the provider: authorization code flow with PKCE. The cookie of the attempt lasts ten " +
          "minutes."
      ))
  )
  .add(
    HttpApiEndpoint.get("callback", "/auth/oidc/callback")
      .addSuccess(HttpApiSchema.Empty(303))
      .annotate(Access, {
        caller: "public",
        requiresHttps: true,
        bucket: "login",
        failureCodes: [
          "oidc_not_configured",
          "oidc_refused",
          "oidc_not_linked",
          "oidc_already_linked",
          "unavailable"
        ]
      })
      .annotateContext(operation(
        "Complete a sign-in through the provider",
        "Where the provider sends the browser, with the query of RFC 6749, section 4.1.2. Sets the session cookies and redirects to `return_to` of the start."
      ))
  )
  .add(
    HttpApiEndpoint.post("backchannelLogout", "/auth/oidc/backchannel-logout")
      .setPayload(BackchannelLogout.pipe(HttpApiSchema.withEncoding({ kind: "UrlParams" })))
      .addSuccess(HttpApiSchema.Empty(200))
      .annotate(Access, {
        caller: "public",
        mutates: true,
        form: true,
        bodyLimit: 16 * 1024,
        bucket: "backchannel_logout",
        failureCodes: ["oidc_not_configured", "logout_token_refused", "unavailable"]
      })
      .annotateContext(operation(
        "End sessions at the provider's word",
        "The provider calls it (OpenID Connect Back-Channel Logout 1.0). The sessions that come from the sign-ins named by the logout token end, if there are any."
      ))
  )
{}

const identityId = pathParameter("identity_id", caseInsensitiveId(OidcIdentityId), "The link's id.", exampleId)

/** The links of the own account to accounts of the provider. */
export class OidcApi extends actorGroup("oidc", "Sign-in")
  .add(
    HttpApiEndpoint.get("identities", "/auth/oidc/identities")
      .addSuccess(Schema.Array(OidcIdentity))
      .annotate(Access, { caller: "session" })
      .annotateContext(operation("List the own links to the provider", "The provider's accounts that sign in as you."))
  )
  .add(
    HttpApiEndpoint.post("link", "/auth/oidc/link")
      .setPayload(LinkOidc)
      .addSuccess(OidcAuthorization)
      .annotate(Access, {
        caller: "session",
        mutates: true,
        stepUp: true,
        failureCodes: ["oidc_not_configured", "unavailable"]
      })
      .annotateContext(operation(
        "Link the own account to the provider's",
        "Send the browser to `authorization_url`. The link is made when the provider sends it back, in the same session."
      ))
  )
  .add(
    HttpApiEndpoint.del("unlink")`/auth/oidc/identities/${identityId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "session", mutates: true, stepUp: true, failureCodes: ["last_sign_in_method"] })
      .annotateContext(operation("Delete a link to the provider", "Refused where the account has no password."))
  )
  .add(
    HttpApiEndpoint.post("logout", "/auth/oidc/logout")
      .addSuccess(OidcLogout)
      .annotate(Access, {
        caller: "session",
        mutates: true
      })
      .annotateContext(operation(
        "Sign out here and at the provider",
        "Revokes the session of the cookie. Send the browser to `logout_url` to end the provider's session too."
      ))
  )
{}
