import * as ValidationError from "@effect/cli/ValidationError"
import { Cause, Data } from "effect"
import { chainOf, fieldOf, meaningOf, oneLine, reasonOf, wrapperMessages } from "../../domain/kernel/ErrorMeaning.ts"

/**
 * A command cannot continue, or its result is negative. `message` is one sentence for the person who ran it. `usage`:
 * the command line is at fault. `code`: an exit code of its own.
 */
export class CliError extends Data.TaggedError("CliError")<{
  readonly message: string
  readonly usage?: boolean
  readonly code?: number
}> {}

/** A command to an agent was issued, or may have been, and its outcome is unknown. `message` is one sentence. */
export class OutcomeUnknown extends Data.TaggedError("OutcomeUnknown")<{ readonly message: string }> {}

const exitCodes = { failed: 1, usage: 2, unknown: 3 } as const

/** 3 when an outcome is unknown, else the error's own code, else 2 when the command line is at fault, else 1. */
export const exitCodeOf = (error: unknown): number => {
  if (error instanceof OutcomeUnknown) return exitCodes.unknown
  if (error instanceof CliError && error.code !== undefined) return error.code
  return ValidationError.isValidationError(error) || (error instanceof CliError && error.usage === true)
    ? exitCodes.usage
    : exitCodes.failed
}

/** Codes of errors while connecting, before the request is sent. */
const connectErrors =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO)/

/** Whether a request that failed with this error was never sent. */
export const isUnsent = (error: unknown): boolean =>
  chainOf(error).some((part) => connectErrors.test(fieldOf(part, "code")))

/** What a network error means, by the code of the error or of its causes. */
export const networkMeaning = (error: unknown): string | undefined => meaningOf(chainOf(error))

const missingBinding = /Could not locate the bindings file|No native build was found/

const missingPackage = /Cannot find (?:module|package) '(better-sqlite3|argon2)'/

/** The module versions ("ABI") that a native package was built for, and that this Node.js needs. */
const otherBinding = /NODE_MODULE_VERSION (\d+)[\s\S]*NODE_MODULE_VERSION (\d+)/

const build = "npm rebuild better-sqlite3 argon2 (npm 11 asks first: npm install-scripts approve better-sqlite3 argon2)"

/** What is wrong with a native package, and what to do. On Node.js 22.16 and later only argon2 is needed. */
const describeNative = (messages: ReadonlyArray<string>): string | undefined => {
  for (const message of messages) {
    const other = otherBinding.exec(message)
    if (other !== null) {
      return `a native package was built for another Node.js: its ABI (NODE_MODULE_VERSION) is ${
        other[1]
      }, and Node.js ${process.versions.node} has ${
        other[2]
      }; run: ${build}, or use the Node.js that it was installed with`
    }
    if (missingBinding.test(message)) return `a native package was installed without being built; run: ${build}`
    const missing = missingPackage.exec(message)
    if (missing !== null) {
      return `the native package ${
        missing[1]
      } is not installed, because it could not be built or optional packages were left out; install a C++ compiler and Python 3 and run npm ci or npm install again, or use Node.js 22.16 or later, which needs no compiler`
    }
  }
  return undefined
}

/** What went wrong, and what to do. */
export const describeError = (error: unknown): string => {
  const chain = chainOf(error)
  const tag = fieldOf(chain[0] ?? {}, "_tag")
  const messages = chain.map((part) => fieldOf(part, "message")).filter((message) => message !== "")
  const innermost = messages[messages.length - 1] ?? String(error)
  const native = describeNative(messages)
  if (native !== undefined) return native
  const reason = reasonOf(error)
  const outerMessages = messages.slice(0, 1).filter((message) =>
    !wrapperMessages.includes(message) && message !== innermost
  )
  if (tag === "SqlError") return ["the database", ...outerMessages, reason].join(": ")
  if (tag === "ServeError") return `the server cannot listen: ${reason}`
  if (tag === "SystemError") {
    return `${fieldOf(chain[0] ?? {}, "pathOrDescriptor")}: ${
      meaningOf(chain) ?? fieldOf(chain[0] ?? {}, "description")
    }`
  }
  const detail = fieldOf(chain[0] ?? {}, "detail") // the domain's failures have their text there
  return detail !== "" ? detail : messages[0] ?? innermost
}

/** One line with what went wrong and what to do; undefined for usage errors of the library, which prints them itself. */
export const explain = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  return ValidationError.isValidationError(error) ? undefined : oneLine(describeError(error))
}
