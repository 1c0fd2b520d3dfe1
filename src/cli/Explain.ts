import * as ValidationError from "@effect/cli/ValidationError"
import { Cause, Data } from "effect"

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

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, "; ")

const fieldOf = (error: object, field: string): string => {
  const value: unknown = Reflect.get(error, field)
  return typeof value === "string" ? value : ""
}

/** The error and what it wraps, outermost first. */
const chainOf = (error: unknown): ReadonlyArray<object> => {
  const chain: Array<object> = []
  for (let at = error; typeof at === "object" && at !== null && chain.length < 8; at = Reflect.get(at, "cause")) {
    chain.push(at)
    const inner: unknown = Reflect.get(at, "errors")
    if (Array.isArray(inner)) chain.push(...inner) // an AggregateError of one connection attempt per address
  }
  return chain
}

/** What codes of SQLite, PostgreSQL, TLS and the operating system mean for the person who runs svc. */
const meanings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^SQLITE_CANTOPEN/, "the file or its folder cannot be opened; check that it exists and who owns it"],
  [/^SQLITE_READONLY/, "the file or its folder is read-only for this user"],
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_(NOTADB|CORRUPT)/, "the file is not a SQLite database, or is damaged"],
  [/^SQLITE_(BUSY|LOCKED)/, "another process has locked the database"],
  [/^SQLITE_IOERR/, "the disk refused to read or write"],
  [/^28/, "the user name or password is wrong"],
  [/^3D000/, "that database does not exist; create it first"],
  [/^42501/, "the user may not do this in the database"],
  [/^25006/, "it accepts no writes: it is a standby, or was set read-only"],
  [/^53100/, "the disk of its server is full"],
  [/^53300/, "it has no free connection; lower SVC_DATABASE_POOL_SIZE or raise its max_connections"],
  [/^57P03/, "it is starting or stopping"],
  [/^ECONNREFUSED/, "nothing listens there"],
  [/^(ENOTFOUND|EAI_)/, "its host name cannot be found"],
  [/^E(TIMEDOUT|HOSTUNREACH|NETUNREACH)/, "its host cannot be reached"],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)/, "it ended the connection"],
  [/^UND_ERR_.*TIMEOUT/, "it did not answer in time"],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_)/,
    "no authority known here has signed its certificate; name that authority's file in NODE_EXTRA_CA_CERTS"
  ],
  [/^CERT_/, "its certificate is not valid now"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID/, "its certificate is for another host name"],
  [/^(ERR_SSL_|EPROTO)/, "the server does not use TLS; is its address http instead of https?"],
  [/^EADDRINUSE/, "another program listens on that port"],
  [/^EADDRNOTAVAIL/, "this machine does not have that address"],
  [/^EACCES/, "this user may not do that"],
  [/^ENOENT/, "there is no such file or folder"],
  [/^ENOSPC/, "the disk is full"],
  [/^EROFS/, "the file system is read-only"]
]

/** Codes of errors while connecting, before the request is sent. */
const connectErrors =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO)/

/** Whether a request that failed with this error was never sent. */
export const isUnsent = (error: unknown): boolean =>
  chainOf(error).some((part) => connectErrors.test(fieldOf(part, "code")))

/** What a network error means, by the code of the error or of its causes. */
export const networkMeaning = (error: unknown): string | undefined => meaningOf(chainOf(error))

const meaningOf = (chain: ReadonlyArray<object>): string | undefined => {
  for (const error of chain) {
    const meaning = meanings.find(([code]) => code.test(fieldOf(error, "code")))
    if (meaning !== undefined) return meaning[1]
  }
  return undefined
}

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

/** Messages of the SQL client for any failed statement, without information. */
const wrapperMessages = ["Failed to execute statement", "Failed to write"]

/** What went wrong, and what to do. */
export const describeError = (error: unknown): string => {
  const chain = chainOf(error)
  const tag = fieldOf(chain[0] ?? {}, "_tag")
  const messages = chain.map((part) => fieldOf(part, "message")).filter((message) => message !== "")
  const meaning = meaningOf(chain)
  const innermost = messages[messages.length - 1] ?? String(error)
  const native = describeNative(messages)
  if (native !== undefined) return native
  const reason = meaning === undefined ? innermost : `${meaning} (${innermost})`
  const outerMessages = messages.slice(0, 1).filter((message) =>
    !wrapperMessages.includes(message) && message !== innermost
  )
  if (tag === "SqlError") return ["the database", ...outerMessages, reason].join(": ")
  if (tag === "ServeError") return `the server cannot listen: ${reason}`
  if (tag === "SystemError") {
    return `${fieldOf(chain[0] ?? {}, "pathOrDescriptor")}: ${meaning ?? fieldOf(chain[0] ?? {}, "description")}`
  }
  const detail = fieldOf(chain[0] ?? {}, "detail") // the domain's failures have their text there
  return detail !== "" ? detail : messages[0] ?? innermost
}

/** One line with what went wrong and what to do; undefined for usage errors of the library, which prints them itself. */
export const explain = (cause: Cause.Cause<unknown>): string | undefined => {
  const error = Cause.squash(cause)
  return ValidationError.isValidationError(error) ? undefined : oneLine(describeError(error))
}
