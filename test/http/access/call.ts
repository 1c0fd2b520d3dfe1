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
      const [type, text] = body instanceof URLSearchParams
        ? ["application/x-www-form-urlencoded", body.toString()]
        : ["application/json", JSON.stringify(body)]
      const answer = await send(`${base}${path}`, {
        method: method as "GET", // a string to undici; its type lists the methods of HTTP
        headers: {
          ...fromElsewhere(),
          ...(body === undefined ? {} : { "content-type": type }),
          ...headers
        },
        body: body === undefined ? null : text
      })
      const answerType = String(answer.headers["content-type"])
      const isStream = answerType.startsWith("text/event-stream")
      if (isStream) answer.body.on("error", () => {}).destroy() // it would go on for ever
      const answerText = isStream ? "" : await answer.body.text()
      const json = answerType.includes("json") ? JSON.parse(answerText) : undefined
      const code: unknown = answer.statusCode >= 400 ? json?.code : undefined
      return {
        status: answer.statusCode,
        outcome: code === undefined ? String(answer.statusCode) : `${answer.statusCode} ${String(code)}`,
        cookies: [answer.headers["set-cookie"] ?? []].flat(),
        json
      }
    }))
