/** What the codes of Node, OpenSSL and undici mean to the owner of a receiver. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  EHOSTUNREACH: "its host cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  ETIMEDOUT: "it cannot be connected to in time",
  UND_ERR_CONNECT_TIMEOUT: "it cannot be connected to in time",
  UND_ERR_SOCKET: "the connection was closed before an answer",
  UND_ERR_HEADERS_OVERFLOW: "the headers of its answer are too large",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  INVALID_PURPOSE: "its certificate is not one of a server",
  CERT_REVOKED: "its certificate was revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is of an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is of an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is of an unknown authority"
}

const families: ReadonlyArray<readonly [prefix: string, meaning: string]> = [
  ["HTTPParserError", "its answer is not valid HTTP"],
  ["HPE_", "its answer is not valid HTTP"],
  ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "its answer is not valid HTTP"],
  ["ERR_SSL_", "it does not speak TLS, or no version of it that is accepted"],
  ["EPROTO", "it does not speak TLS, or no version of it that is accepted"]
]

/** One line about a call without a response, with the code, which can be searched for. */
export const describeCallError = (code: string): string => {
  const meaning = meanings[code] ?? families.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "the call failed"
  return `${meaning} (${code})`
}
