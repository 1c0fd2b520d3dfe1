import { HttpLayerRouter, HttpServerRequest } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { Unavailable, UpgradeRequired } from "../../../domain/kernel/Errors.ts"

/** `GET /ws/agent` without an upgrade, which the gateway does not see (RFC 9110, 15.5.22). */
const upgradeRequired = new UpgradeRequired({
  detail:
    "Agents connect here by WebSocket, and this request asks for no upgrade. If an agent sent it, let the proxy " +
    "before the brain pass on the headers Upgrade and Connection."
})

/** The gateway takes all upgrades once it listens, a moment after the routes. */
const starting = new Unavailable({ detail: "The brain is starting. Send the request again in a moment." })

export const routes = HttpLayerRouter.use((router) =>
  router.add(
    "GET",
    "/ws/agent",
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      // Node sets the field, which its types do not name, on a request that it gives to a listener of `upgrade`
      const isUpgrade = Reflect.get(NodeHttpServerRequest.toIncomingMessage(request), "upgrade") === true
      return Effect.fail(isUpgrade ? starting : upgradeRequired)
    })
  )
)
