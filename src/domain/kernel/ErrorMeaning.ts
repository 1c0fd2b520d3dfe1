import { Cause } from "effect"

export const fieldOf = (error: object, field: string): string => {
  const value: unknown = Reflect.get(error, field)
  return typeof value === "string" ? value : ""
}

/** The error and what it wraps, outermost first. */
export const chainOf = (error: unknown): ReadonlyArray<object> => {
  const chain: Array<object> = []
  for (
    let current = error;
    typeof current === "object" && current !== null && chain.length < 8;
    current = Reflect.get(current, "cause")
  ) {
    chain.push(current)
    const inner: unknown = Reflect.get(current, "errors")
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

/** What the first code in the chain that is known means. */
export const meaningOf = (chain: ReadonlyArray<object>): string | undefined => {
  for (const error of chain) {
    const meaning = meanings.find(([code]) => code.test(fieldOf(error, "code")))
    if (meaning !== undefined) return meaning[1]
  }
  return undefined
}

/** Messages of the SQL client for any failed statement, without information. */
export const wrapperMessages = ["Failed to execute statement", "Failed to write"]

/** The innermost message of an error, and before it what its code means. One line, if the messages are. */
export const reasonOf = (error: unknown): string => {
  const chain = chainOf(error)
  const innermost = chain.map((part) => fieldOf(part, "message")).findLast((message) => message !== "") ?? String(error)
  const meaning = meaningOf(chain)
  return meaning === undefined ? innermost : `${meaning} (${innermost})`
}

export const isMeaningKnown = (cause: Cause.Cause<unknown>): boolean =>
  meaningOf(chainOf(Cause.squash(cause))) !== undefined

/** What failed, as one line for a log or a health page: "the disk is full (database or disk is full)". */
export const describeCause = (cause: Cause.Cause<unknown>): string => oneLine(reasonOf(Cause.squash(cause)))

export const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, "; ")
