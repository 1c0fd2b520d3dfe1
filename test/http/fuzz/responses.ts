import type { Operation } from "../operations.ts"
import type { Received } from "../wire.ts"
import type { Validator } from "./JsonSchema.ts"

/** What no response may contain: stack traces, SQL, a database's own words, paths of this machine. */
const inner = new RegExp([
  "\\n\\s+at |\\.[tj]s:\\d+|node_modules|file://|/(home|root|tmp|usr|var)/",
  "SQLITE_|SqlError|\\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\\b[^\"]*\\b(FROM|VALUES|SET|WHERE)\\b",
  "syntax error at or near|violates|constraint failed|no such column"
].join("|"))

/** Headers of every response, and how they begin. */
const guarding: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-request-id": ""
}

/** Only what changes a session sets cookies, and only when it succeeds. */
const setsCookies = ({ method, path }: Pick<Operation, "method" | "path">) =>
  method === "POST" && (path.startsWith("/api/v1/auth/") || path === "/api/v1/invitations/accept")

const essence = (contentType: string): string => contentType.split(";", 1)[0]?.trim() ?? ""

/** What in a problem document is not as each must be, or nothing. */
export const problemOf = ({ headers, json, status, text }: Received): string | undefined => {
  const { code, detail, details, request_id, title, type, ...rest } = json
  if (rest.status !== status || Object.keys(rest).length !== 1) return `members ${JSON.stringify(rest)}`
  if (![code, detail, title, type].every((member) => typeof member === "string" && member !== "")) {
    return "an empty member"
  }
  if (typeof details !== "object" || details === null || Array.isArray(details)) return "details are no object"
  if (request_id !== headers["x-request-id"]) return "request_id is another than the header's"
  return text.length > 64 * 1024 ? `${text.length} characters` : undefined
}

/** How a response contradicts the document or the rules for every response, if it does. It may repeat `sent`. */
export const complaint = (
  { violations }: Validator,
  operation: Pick<Operation, "method" | "path" | "responses">,
  received: Received,
  sent: string
): string | undefined => {
  const { contentType, headers, json, status, text } = received
  const declared = operation.responses[status]
  if (status >= 500) return `${status}` // also where it is declared: nothing that is asked for here takes the database away
  if (declared === undefined) return `the document has no ${status}`
  const content = Object.entries(declared.content ?? {}).find(([type]) => essence(type) === contentType)
  if (content === undefined && (declared.content !== undefined || text !== "")) {
    return `the document has no ${contentType} for ${status}`
  }
  if (status >= 400 && contentType !== "application/problem+json") return `${status} as ${contentType}`
  const schema = content?.[1].schema
  if (schema !== undefined && contentType.endsWith("json")) {
    if (json === undefined) return "no JSON"
    const [violation] = violations(schema, json)
    if (violation !== undefined) return `at ${violation.path.join(".")} ${violation.why}`
  }
  const problem = contentType === "application/problem+json" ? problemOf(received) : undefined
  if (problem !== undefined) return problem
  for (const [name, start] of Object.entries(guarding)) {
    if (contentType !== "text/html" && !String(headers[name] ?? "\0").startsWith(start)) {
      return `${name} is ${String(headers[name])}`
    }
  }
  if (headers["set-cookie"] !== undefined && !(setsCookies(operation) && status < 300)) return "sets a cookie"
  if (headers["x-powered-by"] !== undefined || headers["server"] !== undefined) return "names what serves it"
  const leaked = contentType === "text/html" ? null : inner.exec(text)
  const isAbout = operation.path.endsWith("/admin/settings") // paths of the machine are what it lists
  if (leaked !== null && !isAbout && !sent.includes(leaked[0])) return `reveals ${JSON.stringify(leaked[0])}`
  return undefined
}
