import { HttpApiEndpoint } from "@effect/platform"
import {
  ConfirmPasswordReset,
  PasswordResetConfirmed,
  PasswordResetRequested,
  RequestPasswordReset
} from "../../../domain/identity/PasswordReset.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { operation } from "../../Docs/Tags.ts"
import { plainGroup } from "../../Groups.ts"
import { html, LinkToken } from "../../Html/Api.ts"

/** Resetting a forgotten password (interface, Session and account). Neither response starts a session. */
export class PasswordResetApi extends plainGroup("password_reset", "Password reset")
  .add(
    HttpApiEndpoint.post("request", "/auth/password-reset/request")
      .setPayload(RequestPasswordReset)
      .addSuccess(PasswordResetRequested)
      .annotate(Access, { caller: "public", requiresHttps: true, mutates: true, bucket: "password_reset" })
      .annotateContext(operation(
        "Request a reset link",
        "Always accepted, whether or not the address has an account. An active account receives a link that works once, for " +
          "30 minutes."
      ))
  )
  .add(
    HttpApiEndpoint.post("confirm", "/auth/password-reset/confirm")
      .setPayload(ConfirmPasswordReset)
      .addSuccess(PasswordResetConfirmed)
      .annotate(Access, {
        caller: "public",
        requiresHttps: true,
        mutates: true,
        bucket: "password_reset",
        failureCodes: ["reset_token_invalid"]
      })
      .annotateContext(operation(
        "Set a new password by a reset link",
        "Revokes every session of the account, unlocks it and voids its other links. It does not start a " +
          "session. API keys remain valid."
      ))
  )
{}

/** Where the mailed link leads, at the root. The page's own script reads `?token=`; without one it asks for a link. */
export class PasswordResetPageApi extends plainGroup("password_reset_page", "Pages")
  .add(
    HttpApiEndpoint.get("page", "/reset-password")
      .setUrlParams(LinkToken)
      .addSuccess(html)
      .annotate(Access, { caller: "public", requiresHttps: true })
      .annotateContext(operation(
        "Show the password page",
        "Where the mailed link leads; without a token it asks for a link."
      ))
  )
{}
