import { HttpApiEndpoint } from "@effect/platform"
import { Access } from "../../../domain/kernel/Access.ts"
import { Ready, Unready } from "../../../domain/kernel/Readiness.ts"
import { Alive, DeepHealth, SystemInfo } from "../../../domain/operations/Health.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup, plainGroup } from "../../Groups.ts"

/** For load balancers; also at `/health` and `/health/ready` of the root (interface, Health and metrics). */
export class HealthApi extends plainGroup("health", "Health")
  .add(
    HttpApiEndpoint.get("alive", "/health").addSuccess(Alive).annotate(Access, { caller: "public" })
      .annotateContext(
        operation("Check that the process runs", "For a liveness probe. It does not query the database.")
      )
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Ready)
      .addSuccess(Unready, { status: 503 })
      .annotate(Access, { caller: "public" })
      .annotateContext(operation(
        "Check that the brain can serve requests",
        "For a readiness probe: 503 while the program starts and while the database does not respond."
      ))
  )
{}

export class SystemApi extends actorGroup("system", "Health")
  .add(
    HttpApiEndpoint.get("system", "/health/system")
      .addSuccess(SystemInfo)
      .annotate(Access, { caller: "authenticated", scope: "home:read" })
      .annotateContext(operation(
        "Show versions and the database's size",
        "What a bug report needs: the program, its runtime, the operating system, the database and the " +
          "packages."
      ))
  )
  .add(
    HttpApiEndpoint.get("deep", "/health/deep")
      .addSuccess(DeepHealth)
      .addSuccess(DeepHealth, { status: 503 })
      .annotate(Access, { caller: "authenticated", scope: "home:read" })
      .annotateContext(operation(
        "Check every part",
        "The database, the schema, the audit log, the background loops and the ingest. `failed` is 503; " +
          "`degraded` is 200."
      ))
  )
{}
