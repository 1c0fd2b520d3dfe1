/** Which failures are the same failure (docs/failures.md). Plain code: each failed task of a hot stream passes here. */
import { hash } from "node:crypto"
import { maskIds, maskMessage } from "./Mask.ts"
import { readStack } from "./Stack.ts"

/** What a failed attempt reports about its failure. `exception` as in a task's row: `Type: message` or a repr. */
export interface FailureText {
  readonly exception: string | null
  readonly traceback: string | null
}

export interface Failure extends FailureText {
  readonly engine: string
  /** The task's name. */
  readonly name: string
}

/** 64 bits: of 10,000 groups two share a fingerprint with a probability of 3 in a trillion. */
const digits = 16

const digest = (text: string): string => hash("sha256", text, "hex").slice(0, digits)

/** The fingerprint of a failure: 16 hexadecimal digits. */
export const fingerprintOf = ({ engine, exception, name, traceback }: Failure): string =>
  addTask(engine, name, signatureOf({ exception, traceback }))

/**
 * The part of a fingerprint that one event knows: Celery's broker events do not have the task's name. A hash of the
 * exception's type and the innermost frames of the user's own code; without frames, of the type and the message.
 */
export const signatureOf = (failure: FailureText): string => digest(describeFailure(failure))

/** The fingerprint of a failure with this signature. */
export const addTask = (engine: string, name: string, signature: string): string =>
  digest(`${engine}\n${name.startsWith("<unknown") ? "" : maskIds(name)}\n${signature}`)

/** The text that is hashed. The traceback names the exception as it was raised, where some reports name a wrapper. */
export const describeFailure = ({ exception, traceback }: FailureText): string => {
  // RQ reports the traceback as the exception
  const stack = traceback ?? (exception?.includes("\n") === true ? exception : "")
  const { exceptionLine, frames } = readStack(stack)
  const { message, type } = splitException(exceptionLine ?? exception ?? "")
  return frames.length > 0 ? `${type}\n${frames.join("\n")}` : `${type}: ${maskMessage(message)}`
}

const maxTypeLength = 200

/** `module.Type: message`, `Type('message')` and `Type`. The module is left out: not every report of a failure has it. */
const splitException = (text: string): { readonly type: string; readonly message: string } => {
  let end = 0
  while (end < text.length && end < maxTypeLength && isNameCharacter(text.charCodeAt(end))) end++
  const next = text.charCodeAt(end)
  const isType = end > 0 && (end === text.length || next === colon || next === parenthesis)
  if (!isType) return { type: "", message: text }
  const type = maskIds(text.slice(text.lastIndexOf(".", end - 1) + 1, end))
  return { type, message: text.slice(next === colon ? end + 1 : end) }
}

const colon = 58
const parenthesis = 40

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) ||
  code === 46 || code === 95 || code === 36 || code > 127
