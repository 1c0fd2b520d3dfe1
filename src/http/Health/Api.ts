import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Access } from "../../domain/Access.ts"
import { Alive, DeepHealth, Readiness, SystemInfo } from "../../domain/Health.ts"
import { Authenticated } from "../Access.ts"

/** For load balancers; also at `/health` and `/health/ready` of the root (interface, Health and metrics). */
export class HealthApi extends HttpApiGroup.make("health")
  .add(HttpApiEndpoint.get("alive", "/health").addSuccess(Alive).annotate(Access, { caller: "public" }))
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Readiness)
      .addSuccess(Readiness, { status: 503 })
      .annotate(Access, { caller: "public" })
  )
{}

export class SystemApi extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("system", "/health/system")
      .addSuccess(SystemInfo)
      .annotate(Access, { caller: "authenticated", scope: "home:read" })
  )
  .add(
    HttpApiEndpoint.get("deep", "/health/deep")
      .addSuccess(DeepHealth)
      .addSuccess(DeepHealth, { status: 503 })
      .annotate(Access, { caller: "authenticated", scope: "home:read" })
  )
  .middleware(Authenticated)
{}
