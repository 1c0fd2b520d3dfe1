import { Data, Effect } from "effect"
import { Agent as HttpAgent, type IncomingHttpHeaders, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** No response arrived; the message is the network error's. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{ readonly message: string }> {}

export interface HttpCall {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMillis: number
}

const MAX_RESPONSE_BYTES = 16 * 1_048_576

/**
 * HTTP/1.1 without redirects. Not fetch: its sockets keep the host's process alive while a poll waits.
 */
export const makeHttp = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => ({ http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) })),
    ({ http, https }) => Effect.sync(() => (http.destroy(), https.destroy()))
  ),
  (agents) => ({ body, headers, method, timeoutMillis, url }: HttpCall): Effect.Effect<HttpResponse, RequestFailed> =>
    Effect.async<HttpResponse, RequestFailed>((resume) => {
      const fail = (message: string) => resume(new RequestFailed({ message }))
      const secure = url.protocol === "https:"
      const length = body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
      const request = (secure ? httpsRequest : httpRequest)(url, {
        method,
        agent: secure ? agents.https : agents.http,
        headers: { ...headers, ...length }
      })
      const timer = setTimeout(
        () => request.destroy(new Error(`no answer within ${timeoutMillis / 1000} s`)),
        timeoutMillis
      )
      timer.unref()
      request.on("socket", (socket) => socket.unref())
      request.on("error", (error) => fail(error.message === "" ? String(Reflect.get(error, "code")) : error.message))
      request.on("close", () => {
        clearTimeout(timer)
        fail("the connection ended before the answer did") // no effect after a response
      })
      request.on("response", (response) => {
        const chunks: Array<Buffer> = []
        let bytes = 0
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          if ((bytes += chunk.length) > MAX_RESPONSE_BYTES) {
            request.destroy(new Error("the answer is longer than 16 MiB"))
          }
        })
        response.on(
          "end",
          () =>
            resume(
              Effect.succeed({
                status: response.statusCode ?? 0,
                headers: response.headers,
                body: Buffer.concat(chunks).toString("utf8")
              })
            )
        )
      })
      request.end(body)
      return Effect.sync(() => request.destroy())
    })
)
