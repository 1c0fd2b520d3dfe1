import { HttpLayerRouter } from "@effect/platform"
import { UpgradeRequired } from "../../../domain/kernel/Errors.ts"

/** `GET /ws/agent` without an upgrade, which the gateway does not see (RFC 9110, 15.5.22). */
export const routes = HttpLayerRouter.use((router) =>
  router.add(
    "GET",
    "/ws/agent",
    new UpgradeRequired({
      detail:
        "Agents connect here by WebSocket, and this request asks for no upgrade. If an agent sent it, let the proxy " +
        "before the brain pass on the headers Upgrade and Connection."
    })
  )
)
