/** What an answer to a long-poll request means, and what it says. */
import { Redacted } from "effect"
import type { Brain } from "./Options.ts"
import type { HttpAnswer } from "./PlainHttp.ts"
import { LineDown } from "./Reconnect.ts"

const LONGEST_WAIT_SECONDS = 30
const LONGEST_SENTENCE = 300

export const connectionDown = (detail: string, retryAfter?: number) =>
  new LineDown({ kind: "connection", detail, ...(retryAfter === undefined ? {} : { retryAfter }) })

/** Why an answer that is no 200 ends the session (agents' protocol, section 1.2). */
export const downBy = (answer: HttpAnswer, token: Brain["token"]): LineDown => {
  const { body, headers, status } = answer
  const said = describeAnswer(answer, token)
  if (status === 401) return new LineDown({ kind: "auth", detail: `The brain does not know the token. ${said}` })
  const error = status === 403 ? membersOf(body)?.error : undefined
  if (error === "project_inactive" || error === "ip_denied") {
    return new LineDown({ kind: "auth", detail: `The brain does not admit the agent (${error}). ${said}` })
  }
  const seconds = Number(headers["retry-after"])
  const wait = Number.isFinite(seconds) && seconds > 0 ? Math.min(LONGEST_WAIT_SECONDS, seconds) * 1000 : undefined
  return connectionDown(said, wait)
}

export const membersOf = (body: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : undefined
  } catch {
    return undefined
  }
}

/** The status, and the other side's own sentence: a problem document's detail, or the text of the body. One line. */
export const describeAnswer = ({ body, status }: HttpAnswer, token: Brain["token"]): string => {
  const members = membersOf(body)
  const named = ["detail", "message", "title", "error"].map((name) => members?.[name]).find((value) => typeof value === "string")
  const text = String(named ?? body.slice(0, 10 * LONGEST_SENTENCE).replace(/<[^>]*>/g, " "))
  // control and format characters could change what a terminal shows
  const line = text.replaceAll(Redacted.value(token), "[REDACTED]").replace(/[\p{C}\s]+/gu, " ").trim().slice(0, LONGEST_SENTENCE)
  return `The brain's address answered with HTTP ${status}${line === "" ? "." : `: "${line}"`}`
}
