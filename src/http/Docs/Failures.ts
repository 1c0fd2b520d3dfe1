import type { OpenApi } from "@effect/platform"
import { Array, Record } from "effect"
import { type AccessRule, isCountedRead } from "../../domain/kernel/Access.ts"
import { allCodes, type Code, codes } from "../../domain/kernel/ErrorCodes.ts"

/** Every code that an operation can respond with: of its access, path, query and body, and what it declares itself. */
export const codesOf = (
  rule: AccessRule,
  path: string,
  { parameters, requestBody }: OpenApi.OpenAPISpecOperation
): ReadonlyArray<Code> => {
  const { caller, mutates } = rule
  const isPerson = caller !== "public" && caller !== "agent"
  const canUseSession = isPerson || rule.allowsSession === true
  const creates = rule.creates !== undefined
  const hasBody = requestBody !== undefined
  const hasQuery = parameters.some((parameter) => parameter.in === "query")
  const implied: ReadonlyArray<readonly [applies: boolean, ...codes: ReadonlyArray<Code>]> = [
    [true, "bad_request", ...(rule.failureCodes ?? [])],
    [!/\/health(\/ready)?$/.test(path), "host_not_allowed", "unavailable"],
    [caller !== "public", "unauthenticated"],
    [canUseSession && rule.allowsPendingFactor !== true, "mfa_required"],
    [isPerson && caller !== "authenticated", "forbidden"],
    [isPerson, "address_not_allowed"],
    [rule.scope !== undefined, "scope_missing"],
    [mutates === true && caller !== "agent", "csrf_failed"],
    [rule.requiresHttps === true, "https_required"],
    [canUseSession && rule.allowsRestrictedSession !== true, "mfa_enrollment_required"],
    [rule.stepUp === true, "mfa_reverify_required"],
    [path.includes("{"), "not_found"],
    [hasBody && rule.form !== true, "malformed_json"],
    [hasBody, "payload_too_large", "unsupported_media_type"],
    [hasBody || hasQuery || creates, "validation_failed"],
    [creates, "idempotency_conflict"],
    [mutates === true, "audit_log_contradicted"],
    [rule.bucket !== undefined || isCountedRead(rule), "rate_limited"]
  ]
  const found = new Set(implied.flatMap(([applies, ...those]) => (applies ? those : [])))
  return allCodes.filter((code) => found.has(code)) // in the order of the list
}

const exampleProblem = (code: Code): object => ({
  type: "about:blank",
  title: code.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase()),
  status: codes[code].status,
  detail: codes[code].meaning,
  code,
  details: {},
  request_id: "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10"
})

export interface FailureResponse {
  readonly description: string
  readonly content: object
}

/** The response of one status: its codes, what each means, and an example of each. */
const responseOf = (status: number, all: ReadonlyArray<Code>): FailureResponse => ({
  description: all.map((code) => `${all.length > 1 ? "- " : ""}\`${code}\`: ${codes[code].meaning}`).join("\n"),
  content: {
    "application/problem+json": {
      schema: {
        allOf: [
          { $ref: "#/components/schemas/Problem" },
          {
            type: "object",
            properties: { status: { type: "integer", enum: [status] }, code: { type: "string", enum: all } }
          }
        ]
      },
      examples: Record.fromIterableWith(all, (code) => [
        code,
        { summary: codes[code].meaning, value: exampleProblem(code) }
      ])
    }
  }
})

/**
 * The response of each status by its name in `components.responses`, to which it is added: operations that fail alike
 * share it.
 */
export const failuresOf = (
  all: ReadonlyArray<Code>,
  shared: Record<string, FailureResponse>
): Readonly<Record<string, string>> =>
  Record.map(Array.groupBy(all, (code) => String(codes[code].status)), (codesOfStatus, status) => {
    const name = codesOfStatus.join(".")
    shared[name] ??= responseOf(Number(status), codesOfStatus)
    return name
  })

/** The codes that any request can end with, and those that no operation has, for the document's first page. */
export const commonCodes = [
  "method_not_allowed",
  "request_timeout",
  "request_head_too_large",
  "internal_error"
] as const satisfies ReadonlyArray<Code>
