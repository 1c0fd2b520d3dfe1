import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Access } from "../../domain/Access.ts"
import { CompleteSetup, SetupCompleted, SetupStatus } from "../../domain/Setup.ts"
import { html } from "../Html/Api.ts"

const status = HttpApiEndpoint.get("status", "/setup/status")
  .addSuccess(SetupStatus)
  .annotate(Access, { caller: "public" })

const complete = HttpApiEndpoint.post("complete", "/setup/complete")
  .setPayload(CompleteSetup)
  .addSuccess(SetupCompleted)
  .annotate(Access, { caller: "public", takesSecrets: true, mutates: true, bucket: "setup" })

/** The first boot, at the root (interface, Conventions). The page's own script reads `?token=`. */
export class SetupApi extends HttpApiGroup.make("setup")
  .add(status)
  .add(complete)
  .add(
    HttpApiEndpoint.get("page", "/setup")
      .addSuccess(html)
      .annotate(Access, { caller: "public", takesSecrets: true })
  )
{}

/** The same under `/api/v1`, where clients of the rest of the API look. */
export class SetupUnderApi extends HttpApiGroup.make("setup_under_api").add(status).add(complete) {}
