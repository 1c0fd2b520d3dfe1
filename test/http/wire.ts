import type { HttpServer } from "@effect/platform"
import { Effect } from "effect"
import { Agent, request as open } from "node:http"
import { jsonOf } from "../bodies.ts"
import { baseUrl } from "../brain.ts"

export interface Sent {
  readonly method: string
  /** Path and query, sent as they are: nothing is encoded or normalised. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** Without Content-Length. */
  readonly chunked?: boolean
}

export interface Received {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
  // tests read fields of any response
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

const connections = new Agent({ keepAlive: true })

/** One request, byte for byte as given, where fetch would mend it first. Rejects when no response comes. */
export const wire = (
  { body, chunked = false, headers = {}, method, target }: Sent
): Effect.Effect<Received, never, HttpServer.HttpServer> =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(() =>
      new Promise<Received>((resolve, reject) => {
        const { hostname, port } = new URL(base)
        const length = body === undefined || chunked ? {} : { "content-length": String(Buffer.byteLength(body)) }
        const sending = open({
          hostname,
          port,
          method,
          path: target,
          agent: connections,
          headers: { ...length, ...headers }
        })
        sending.on("error", (error) => reject(new Error(`${method} ${target.slice(0, 200)}: ${error.message}`)))
        sending.on("response", (response) => {
          const chunks: Array<Buffer> = []
          const done = () => {
            const text = Buffer.concat(chunks).toString("utf8")
            const contentType = (response.headers["content-type"] ?? "").split(";", 1)[0] ?? ""
            resolve({
              status: response.statusCode ?? 0,
              contentType,
              headers: response.headers,
              text,
              json: jsonOf(text)
            })
          }
          response.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", done)
          // a live stream never ends: its headers suffice
          if (response.headers["content-type"] === "text/event-stream") {
            done()
            sending.destroy()
          }
        })
        if (chunked && body !== undefined) sending.write(body)
        sending.end(chunked ? undefined : body)
      })
    ))
