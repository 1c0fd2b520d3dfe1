/** Reads responses to long-poll requests. */
import { Redacted } from "effect"
import type { BrainConfig } from "./Options.ts"
import type { HttpResponse } from "./PlainHttp.ts"
import { ConnectionFailed, connectionFailure } from "./Reconnect.ts"

const MAX_WAIT_SECONDS = 30
const MAX_SENTENCE_LENGTH = 300

/** The failure behind a response other than 200 (agents' protocol, section 1.2). */
export const failureOfResponse = (response: HttpResponse, token: BrainConfig["token"]): ConnectionFailed => {
  const { body, headers, status } = response
  const sentence = describeResponse(response, token)
  if (status === 401) {
    return new ConnectionFailed({ kind: "auth", detail: `The brain does not know the token. ${sentence}` })
  }
  const error = status === 403 ? parseMembers(body)?.error : undefined
  if (error === "project_inactive" || error === "ip_denied") {
    return new ConnectionFailed({ kind: "auth", detail: `The brain does not admit the agent (${error}). ${sentence}` })
  }
  const seconds = Number(headers["retry-after"])
  return connectionFailure(
    sentence,
    seconds > 0 && seconds < Infinity ? { retryAfter: Math.min(MAX_WAIT_SECONDS, seconds) * 1000 } : {}
  )
}

export const parseMembers = (body: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}

/** The status, and the other side's own sentence: a problem document's detail, or the text of the body. One line. */
export const describeResponse = ({ body, status }: HttpResponse, token: BrainConfig["token"]): string => {
  const members = parseMembers(body)
  const detail = ["detail", "message", "title", "error"].map((name) => members?.[name]).find((value) =>
    typeof value === "string"
  )
  const text = String(detail ?? body.slice(0, 10 * MAX_SENTENCE_LENGTH).replace(/<[^>]*>/g, " "))
  // control and format characters could change what a terminal shows
  const line = text.replaceAll(Redacted.value(token), "[REDACTED]").replace(/[\p{C}\s]+/gu, " ").trim().slice(
    0,
    MAX_SENTENCE_LENGTH
  )
  return `The brain's address answered with HTTP ${status}${line === "" ? "." : `: "${line}"`}`
}
