import { Effect } from "effect"
import { request as send } from "undici"
import { baseUrl } from "../../brain.ts"
import { fromElsewhere } from "../people.ts"

export interface Request {
  readonly method: string
  /** From the root, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** A form as URLSearchParams; all else is sent as JSON. */
  readonly body?: unknown
}

export interface CallResult {
  readonly status: number
  /** `204`, or with the problem's code: `403 forbidden`. */
  readonly outcome: string
  /** Lines of Set-Cookie. */
  readonly cookies: ReadonlyArray<string>
  // tests read fields of any response
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/**
 * Each call comes from another address, so that no rate bucket fills up: the server must trust 127.0.0.1 as a proxy. By
 * undici's plain request, which takes half the time of fetch: there are thousands.
 */
export const call = (
  { body, headers, method, path }: Request
): Effect.Effect<CallResult, never, Effect.Effect.Context<typeof baseUrl>> =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const [type, text] = body instanceof URLSearchParams
        ? ["application/x-www-form-urlencoded", body.toString()]
        : ["application/json", JSON.stringify(body)]
      const response = await send(`${base}${path}`, {
        method: method as "GET", // a string to undici; its type lists the methods of HTTP
        headers: {
          ...fromElsewhere(),
          ...(body === undefined ? {} : { "content-type": type }),
          ...headers
        },
        body: body === undefined ? null : text
      })
      const contentType = String(response.headers["content-type"])
      const isStream = contentType.startsWith("text/event-stream")
      if (isStream) response.body.on("error", () => {}).destroy() // it would never end
      const responseText = isStream ? "" : await response.body.text()
      const json = contentType.includes("json") ? JSON.parse(responseText) : undefined
      const code: unknown = response.statusCode >= 400 ? json?.code : undefined
      return {
        status: response.statusCode,
        outcome: code === undefined ? String(response.statusCode) : `${response.statusCode} ${String(code)}`,
        cookies: [response.headers["set-cookie"] ?? []].flat(),
        json
      }
    }))
