import { IncomingMessage } from "node:http"
import { agentSocketPath as agentsPath } from "../gateway/WebSockets.ts"
import { isBrainPath } from "../http/middleware/Request.ts"

/**
 * Whether a request that asks for an upgrade gets one: a WebSocket at the agents' path, or outside of the brain's paths,
 * where an embedding application may have its own.
 */
const acceptsUpgrade = ({ headers, httpVersion, method, url = "" }: IncomingMessage): boolean =>
  method === "GET" && httpVersion === "1.1" && headers.upgrade?.toLowerCase() === "websocket" &&
  (url.split("?", 1)[0] === agentsPath || !isBrainPath(url))

/**
 * A request that hides any other upgrade from Node, which then serves it as plain HTTP/1.1 with its body
 * (RFC 9110, 7.8: a server may ignore `Upgrade`). curl --http2 and Java's HttpClient ask for `h2c` on every request;
 * Node 20 accepts every upgrade once `upgrade` has a listener. Newer versions have `shouldUpgradeCallback`;
 * all of them, to 24, read this field of the server's own class of requests.
 */
export class UpgradeRequest extends IncomingMessage {
  /** The value that Node's parser set. `declare` avoids overwriting it with a field initializer. */
  declare private upgradeHeaderSeen: boolean | null

  get upgrade(): boolean {
    return this.upgradeHeaderSeen === true && (this.method === "CONNECT" || acceptsUpgrade(this))
  }

  set upgrade(isRequested: boolean | null) {
    this.upgradeHeaderSeen = isRequested
  }
}
