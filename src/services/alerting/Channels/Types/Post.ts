import { Clock, Effect, Schema } from "effect"
import { parseRetryAfter } from "../../../../domain/kernel/RetryAfter.ts"
import { Outbound, type OutboundResponse } from "../../../kernel/Outbound.ts"
import { ConfigRefused, SendFailed, type SendReceipt } from "../ChannelType.ts"

/** A provider's response, with the seconds of its Retry-After header. */
export interface ProviderResponse extends OutboundResponse {
  readonly retry_after: number | null
}

interface PostOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly plainHttp?: boolean
}

const makeSendFailed = (why: string) =>
  new SendFailed({ fault: "moment", reason: why, response_code: null, response_body: null, retry_after: null })

/** Posts JSON text. A name that does not resolve and an address that is not called may be other ones later. */
export const post = (
  url: string,
  body: string,
  { headers = {}, plainHttp = false }: PostOptions = {}
): Effect.Effect<ProviderResponse, SendFailed, Outbound> =>
  Effect.gen(function*() {
    const outbound = yield* Outbound
    const response = yield* outbound.call({
      url,
      method: "POST",
      headers: { "user-agent": "svc", "content-type": "application/json; charset=utf-8", ...headers },
      body,
      plainHttp
    })
    return {
      ...response,
      retry_after: parseRetryAfter(response.headers["retry-after"], yield* Clock.currentTimeMillis)
    }
  }).pipe(
    Effect.catchTags({
      OutboundRefused: ({ why }) => makeSendFailed(`not called: ${why}`),
      OutboundFailed: ({ why }) => makeSendFailed(why)
    })
  )

export const isAccepted = ({ status }: ProviderResponse): boolean => status >= 200 && status <= 299

export const receiptOf = ({ body, status }: ProviderResponse, pause: number | null = null): SendReceipt => ({
  response_code: status,
  response_body: body,
  pause
})

export const failureOf = (
  { body, retry_after, status }: ProviderResponse,
  fault: SendFailed["fault"],
  reason = `it answered ${status}${status >= 300 && status <= 399 ? ", and redirects are not followed" : ""}`
): SendFailed => new SendFailed({ fault, reason, response_code: status, response_body: body, retry_after: retry_after })

/** The response body as this schema reads it; null for anything else. */
export const decodeBody = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownOption(Schema.parseJson(schema))
  return ({ body }: ProviderResponse): A | null => {
    const decoded = decode(body)
    return decoded._tag === "Some" ? decoded.value : null
  }
}

/** Fails unless the URL's form is one that is called and all addresses of its host may be. */
export const checkUrl = (field: string, url: string, plainHttp = false) =>
  Effect.flatMap(Outbound, (outbound) => outbound.check(url, { plainHttp })).pipe(
    Effect.mapError(({ why }) => new ConfigRefused({ field, why }))
  )

/** Scheme, host and port of a URL that was checked. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "")
