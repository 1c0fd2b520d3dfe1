import { Effect } from "effect"
import { createServer } from "node:http"
import { bodyOf } from "../bodies.ts"
import { portOf } from "../ports.ts"

/** A server that keeps what is posted to it, as a collector does, once it has responded with 503 as often as `refusals` says. */
export const collectorAfter = (refusals: number) =>
  Effect.gen(function*() {
    const posts: Array<{ readonly path: string; readonly body: string }> = []
    let refusalCount = 0
    const server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        if (refusalCount < refusals) {
          refusalCount += 1
          response.writeHead(503).end()
          return
        }
        posts.push({ path: request.url ?? "", body })
        response.end("{}")
      })
    })
    return { posts, host: `127.0.0.1:${yield* portOf(server)}` }
  })

export const collector = collectorAfter(0)
