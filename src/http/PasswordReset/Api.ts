import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Access } from "../../domain/Access.ts"
import {
  ConfirmPasswordReset,
  PasswordResetConfirmed,
  PasswordResetRequested,
  RequestPasswordReset
} from "../../domain/PasswordReset.ts"
import { html } from "../Html/Api.ts"

/** For who forgot the password (interface, Session and account). Neither answer signs anybody in. */
export class PasswordResetApi extends HttpApiGroup.make("password_reset")
  .add(
    HttpApiEndpoint.post("request", "/auth/password-reset/request")
      .setPayload(RequestPasswordReset)
      .addSuccess(PasswordResetRequested)
      .annotate(Access, { caller: "public", takesSecrets: true, mutates: true, bucket: "password_reset" })
  )
  .add(
    HttpApiEndpoint.post("confirm", "/auth/password-reset/confirm")
      .setPayload(ConfirmPasswordReset)
      .addSuccess(PasswordResetConfirmed)
      .annotate(Access, { caller: "public", takesSecrets: true, mutates: true, bucket: "password_reset" })
  )
{}

/** Where the mailed link leads, at the root. The page's own script reads `?token=`; without one it asks for a link. */
export class PasswordResetPageApi extends HttpApiGroup.make("password_reset_page")
  .add(
    HttpApiEndpoint.get("page", "/reset-password")
      .addSuccess(html)
      .annotate(Access, { caller: "public", takesSecrets: true })
  )
{}
