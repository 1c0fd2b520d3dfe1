import { type AccessRule, isCountedRead } from "../../domain/kernel/Access.ts"
import { allCodes, type Code, codes } from "../../domain/kernel/ErrorCodes.ts"

/** The parts of an operation that determine its error codes. */
export interface OperationForm {
  readonly isHealth: boolean
  readonly hasPath: boolean
  readonly hasQuery: boolean
  readonly hasBody: boolean
}

/** Error codes of `middleware/Authorize.ts` for this kind of caller. */
const accessCodesOf = (
  { caller, allowsSession, mutates, scope, stepUp, requiresHttps, allowsPendingFactor, allowsRestrictedSession }:
    AccessRule
): ReadonlyArray<Code> => {
  const isPerson = caller !== "public" && caller !== "agent"
  const canUseSession = isPerson || allowsSession === true
  return [
    ...(caller === "public" ? [] : ["unauthenticated"] as const),
    ...(canUseSession && allowsPendingFactor !== true ? ["mfa_required"] as const : []),
    ...(isPerson && caller !== "authenticated" ? ["forbidden"] as const : []),
    ...(isPerson ? ["address_not_allowed"] as const : []),
    ...(scope === undefined ? [] : ["scope_missing"] as const),
    ...(mutates === true && caller !== "agent" ? ["csrf_failed"] as const : []),
    ...(requiresHttps === true ? ["https_required"] as const : []),
    ...(canUseSession && allowsRestrictedSession !== true ? ["mfa_enrollment_required"] as const : []),
    ...(stepUp === true ? ["mfa_reverify_required"] as const : [])
  ]
}

/** Every code that an operation can respond with: of its access, its form, and what it declares itself (`fails`). */
export const codesOf = (
  rule: AccessRule,
  { hasBody, hasPath, hasQuery, isHealth }: OperationForm
): ReadonlyArray<Code> => {
  const creates = rule.creates !== undefined
  const found = new Set<Code>([
    "bad_request",
    ...(isHealth ? [] : ["host_not_allowed", "unavailable"] as const),
    ...accessCodesOf(rule),
    ...(hasPath ? ["not_found"] as const : []),
    ...(hasBody && rule.form !== true ? ["malformed_json"] as const : []),
    ...(hasBody ? ["payload_too_large", "unsupported_media_type"] as const : []),
    ...(hasBody || hasQuery || creates ? ["validation_failed"] as const : []),
    ...(creates ? ["idempotency_conflict"] as const : []),
    ...(rule.mutates === true ? ["audit_log_contradicted"] as const : []),
    ...(rule.bucket !== undefined || isCountedRead(rule) ? ["rate_limited"] as const : []),
    ...(rule.failureCodes ?? [])
  ])
  return allCodes.filter((code) => found.has(code)) // in the order of the list
}

const titleOf = (code: Code): string => code.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase())

const exampleProblem = (code: Code): object => ({
  type: "about:blank",
  title: titleOf(code),
  status: codes[code].status,
  detail: codes[code].meaning,
  code,
  details: {},
  request_id: "0199c0de-7d3a-7c11-9c55-3f0c8f8c2a10"
})

/** The response of one status: its codes, what each means, and an example of each. */
const responseOf = (status: number, all: ReadonlyArray<Code>): object => ({
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
      examples: Object.fromEntries(
        all.map((code) => [code, { summary: codes[code].meaning, value: exampleProblem(code) }])
      )
    }
  }
})

/** Responses by name, for `components.responses`: operations that fail alike share them. */
export type SharedResponses = Record<string, object>

/** The responses of these codes by status, as references to shared ones, which are added where they are new. */
export const failuresOf = (all: ReadonlyArray<Code>, shared: SharedResponses): Readonly<Record<number, object>> => {
  const statuses = [...new Set(all.map((code) => codes[code].status))]
  return Object.fromEntries(statuses.map((status) => {
    const codesOfStatus = all.filter((code) => codes[code].status === status)
    const name = codesOfStatus.join(".")
    shared[name] ??= responseOf(status, codesOfStatus)
    return [status, { $ref: `#/components/responses/${name}` }]
  }))
}

/** The codes that any request can end with, and those that no operation has, for the document's first page. */
export const commonCodes = [
  "method_not_allowed",
  "request_timeout",
  "request_head_too_large",
  "internal_error"
] as const satisfies ReadonlyArray<Code>
