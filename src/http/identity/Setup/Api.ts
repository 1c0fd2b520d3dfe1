import { HttpApiEndpoint } from "@effect/platform"
import { CompleteSetup, SetupCompleted, SetupStatus } from "../../../domain/identity/Setup.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { operation } from "../../Docs/Tags.ts"
import { plainGroup } from "../../Groups.ts"
import { html, LinkToken } from "../../Html/Api.ts"

const status = HttpApiEndpoint.get("status", "/setup/status")
  .addSuccess(SetupStatus)
  .annotate(Access, { caller: "public" })
  .annotateContext(operation(
    "Check whether the first admin exists",
    "A new brain prints a setup link when it starts."
  ))

const complete = HttpApiEndpoint.post("complete", "/setup/complete")
  .setPayload(CompleteSetup)
  .addSuccess(SetupCompleted)
  .annotate(Access, {
    caller: "public",
    requiresHttps: true,
    mutates: true,
    bucket: "setup",
    failureCodes: ["setup_token_invalid", "setup_done", "rate_limited"]
  })
  .annotateContext(operation(
    "Create the first admin",
    "With the token of the setup link, once. It also creates the project `default`, with the admin as its member, and " +
      "signs the browser in, as a login does. Five attempts per 15 minutes and address."
  ))

/** The first boot, at the root (interface, Conventions). The page's own script reads `?token=`. */
export class SetupApi extends plainGroup("setup", "Setup")
  .add(status)
  .add(complete)
  .add(
    HttpApiEndpoint.get("page", "/setup")
      .setUrlParams(LinkToken)
      .addSuccess(html)
      .annotate(Access, { caller: "public", requiresHttps: true })
      .annotateContext(operation("Show the setup page", "Where the setup link leads."))
  )
{}

/** The setup endpoints under `/api/v1`, where clients of the rest of the API expect them. */
export class SetupUnderApi extends plainGroup("setup_under_api", "Setup").add(status).add(complete) {}
