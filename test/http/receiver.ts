import { Effect } from "effect"
import { createServer } from "node:http"
import { bodyOf } from "../bodies.ts"
import { portOf } from "../ports.ts"

/** A webhook's receiver that responds with 204, or with 400 to `/refuses`. */
export const makeReceiver = Effect.gen(function*() {
  const bodies: Array<Record<string, unknown>> = []
  const port = yield* portOf(createServer((message, response) =>
    void bodyOf(message).then((body) => {
      bodies.push(JSON.parse(body))
      response.writeHead(message.url === "/refuses" ? 400 : 204).end()
    })
  ))
  return { url: `http://127.0.0.1:${port}`, bodies }
})

/** What the brain needs to send to it. */
export const receiving = { webhookAllowHttp: true, outboundAllowCidrs: ["127.0.0.0/8:*"] }
