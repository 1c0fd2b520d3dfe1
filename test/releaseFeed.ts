import { Effect, type Scope } from "effect"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface ReleaseFeed {
  /** For SVC_RELEASES_URL. */
  readonly url: string
  /** What is at `url`. */
  document: string
  /** Packages by their name beside `url`, as `npm pack` writes them. */
  readonly packages: Map<string, string>
  readonly requests: Array<{ readonly path: string; readonly headers: Readonly<Record<string, unknown>> }>
}

/** A server on loopback with a release document and packages. */
export const makeReleaseFeed: Effect.Effect<ReleaseFeed, never, Scope.Scope> = Effect.gen(function*() {
  const feed: { -readonly [Key in keyof ReleaseFeed]: ReleaseFeed[Key] } = {
    url: "",
    document: "none yet",
    packages: new Map(),
    requests: []
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    feed.requests.push({ path, headers: request.headers })
    const found = feed.packages.get(path.slice(1))
    if (found !== undefined) return void response.end(readFileSync(found))
    if (path !== "/svc.json") return void response.writeHead(404).end()
    response.writeHead(200, { "content-type": "application/json" }).end(feed.document)
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.async<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const { port } = server.address() as AddressInfo // it listens on a port
  feed.url = `http://127.0.0.1:${port}/svc.json`
  return feed
})
