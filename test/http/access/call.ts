import { Effect } from "effect"
import { request as send } from "undici"
import { baseUrl } from "../../brain.ts"
import { fromElsewhere } from "../people.ts"

export interface Request {
  readonly method: string
  /** From the root, with its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  /** `204`, or with the problem's code: `403 forbidden`. */
  readonly outcome: string
  /** Lines of Set-Cookie. */
  readonly cookies: ReadonlyArray<string>
  // tests look into whatever came back
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/**
 * Each call comes from another address, so that no rate bucket fills up: the server must trust 127.0.0.1 as a proxy. By
 * undici's plain request, which takes half the time of fetch: there are thousands.
 */
export const call = (
  { body, headers, method, path }: Request
): Effect.Effect<Answer, never, Effect.Effect.Context<typeof baseUrl>> =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const answer = await send(`${base}${path}`, {
        method: method as "GET", // a string to undici; its type lists the methods of HTTP
        headers: {
          ...fromElsewhere(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        body: body === undefined ? null : JSON.stringify(body)
      })
      const type = String(answer.headers["content-type"])
      const isStream = type.startsWith("text/event-stream")
      if (isStream) answer.body.on("error", () => {}).destroy() // it would go on for ever
      const text = isStream ? "" : await answer.body.text()
      const json = type.includes("json") ? JSON.parse(text) : undefined
      const code: unknown = answer.statusCode >= 400 ? json?.code : undefined
      return {
        status: answer.statusCode,
        outcome: code === undefined ? String(answer.statusCode) : `${answer.statusCode} ${String(code)}`,
        cookies: [answer.headers["set-cookie"] ?? []].flat(),
        json
      }
    }))
