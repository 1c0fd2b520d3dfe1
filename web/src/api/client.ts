import createClient from "openapi-fetch"
import { connection } from "./connection.ts"
import type { components, paths } from "./schema.d.ts"

export type Schemas = components["schemas"]

/** The dashboard's own address, without a slash at its end; below a path when a reverse proxy serves it there. */
export const base = document.baseURI.replace(/[^/]*$/, "").replace(/\/$/, "")

/** A refusal or failure of the API, from its problem document (docs/api.md, Errors). */
export class ApiError extends Error {
  override readonly name = "ApiError"
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly requestId: string | null,
    readonly details: Readonly<Record<string, unknown>> = {}
  ) {
    super(detail)
  }
}

/** `status` 0: no response arrived. */
const notJson = new ApiError(200, "no_problem", "", null)

const unreachable = new ApiError(0, "unreachable", "", null)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

const errorOf = (body: unknown, response: Response): ApiError => {
  if (!isRecord(body) || typeof body.code !== "string") return new ApiError(response.status, "no_problem", "", null)
  return new ApiError(
    response.status,
    body.code,
    typeof body.detail === "string" ? body.detail : "",
    typeof body.request_id === "string" ? body.request_id : null,
    isRecord(body.details) ? body.details : {}
  )
}

/** The token that a mutation of a session sends back (docs/access.md); a browser without a session has none. */
export const csrfToken = () => /(?:^|; )(?:__Host-)?svc_csrf=([^;]*)/.exec(document.cookie)?.[1]

export const api = createClient<paths>({ baseUrl: base, credentials: "same-origin" })

api.use({
  onRequest({ request }) {
    const token = csrfToken()
    if (request.method !== "GET" && token !== undefined) request.headers.set("x-csrf-token", decodeURIComponent(token))
    return request
  },
  onResponse({ response }) {
    if (response.ok) connection.reportAnswer() // a refusal may be that of a reverse proxy
  },
  onError({ error }) {
    if (!(error instanceof DOMException && error.name === "AbortError")) connection.reportLoss()
    return unreachable
  }
})

/** Runs when the API refuses every call until the person has set up a second factor (docs/mfa.md, Enforcement). */
export const enrolment: { onRequired: () => void } = { onRequired: () => {} }

/** Runs when the API takes no call of this session: it has ended, or its second factor is pending. */
export const signIn: { onRequired: (refusal: ApiError) => void } = { onRequired: () => {} }

/** Runs when the API refuses the live stream: the session may have ended. */
export const stream: { onRefused: () => void } = { onRefused: () => {} }

/** The body of a successful response; otherwise it rejects with ApiError. */
export const unwrap = async <A>(
  request: Promise<{ readonly data?: A; readonly error?: unknown; readonly response: Response }>
): Promise<A> => {
  const { data, error, response } = await request.catch((cause: unknown) => {
    throw cause instanceof SyntaxError ? notJson : cause // a proxy's page, with status 200
  })
  if (!response.ok) {
    const refusal = errorOf(error, response)
    if (refusal.code === "mfa_enrollment_required") enrolment.onRequired()
    if (refusal.status === 401) signIn.onRequired(refusal)
    throw refusal
  }
  return data as A // a response without a body has undefined here, and its type says so
}
