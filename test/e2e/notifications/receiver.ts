import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { bodyOf } from "../../bodies.ts"
import { portOf } from "../../ports.ts"

/** A post of a webhook as it arrived. `isAccepted`: the receiver responded with 2xx. */
export interface Post {
  readonly id: string
  readonly path: string
  readonly isAccepted: boolean
  readonly alertId: string
  readonly taskId: string
  readonly kind: string
  readonly occurrences: number
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Manner = (request: IncomingMessage, response: ServerResponse) => void

const accept: Manner = (_request, response) => void response.end("taken")

/** How the first post of a delivery may be treated, and the share of deliveries that it happens to. */
const manners: ReadonlyArray<readonly [share: number, isAccepted: boolean, manner: Manner]> = [
  [0.04, false, (_request, response) => void response.writeHead(500).end("broken")],
  [0.01, false, (_request, response) => void response.writeHead(429, { "retry-after": "1" }).end("later")],
  [0.03, false, (request) => void request.socket.resetAndDestroy()],
  [0.02, false, (request) => void request.socket.write("HTTP/1.1 20", () => request.socket.resetAndDestroy())],
  [0.03, true, (_request, response) => void setTimeout(() => response.end("taken at last"), 400)]
]

/**
 * A webhook's receiver on 127.0.0.1. It accepts each delivery at its second post at the latest; at the first one it is
 * slow, responds with 500 or 429, or resets the connection for some of them.
 */
export const moodyReceiver = (random: () => number) =>
  Effect.gen(function*() {
    const posts: Array<Post> = []
    const seen = new Set<string>()
    const mannerOf = (id: string): readonly [boolean, Manner] => {
      const isFirst = !seen.has(id)
      seen.add(id)
      let left = random()
      for (const [share, isAccepted, manner] of isFirst ? manners : []) {
        if (left < share) return [isAccepted, manner]
        left -= share
      }
      return [true, accept]
    }
    const server = createServer((request, response) =>
      void bodyOf(request).then((text) => {
        const { data } = JSON.parse(text)
        const id = String(request.headers["webhook-id"])
        const [isAccepted, manner] = mannerOf(id)
        posts.push({
          id,
          path: request.url ?? "",
          isAccepted,
          alertId: data.alert_id,
          taskId: data.task_id,
          kind: data.kind,
          occurrences: data.occurrences
        })
        manner(request, response)
      }, () => {}) // a brain that was killed while it sent
    )
    const port = yield* portOf(server)
    return { url: `http://127.0.0.1:${port}`, posts }
  })
