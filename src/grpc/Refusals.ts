/** A refusal with the same cause and address is logged once in this time. */
const logEveryMillis = 60_000

/** Causes and addresses that are remembered, so that an attacker with many addresses does not fill the memory. */
const maxRemembered = 1000

/** What the codes of OpenSSL and Node mean for people. */
const descriptions: Readonly<Record<string, string>> = {
  ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: "it has no certificate",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "another authority signed its certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "another authority signed its certificate",
  UNABLE_TO_GET_ISSUER_CERT: "another authority signed its certificate",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "another authority signed its certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "another authority signed its certificate",
  CERT_SIGNATURE_FAILURE: "another authority signed its certificate",
  INVALID_PURPOSE: "its certificate is not for clients",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  ERR_SSL_HTTP_REQUEST: "it does not speak TLS",
  ERR_TLS_HANDSHAKE_TIMEOUT: "it did not finish the TLS handshake in time"
}

/** Why a handshake failed. */
export const describeHandshake = (code: string): string =>
  descriptions[code] ?? `the TLS handshake failed (${code === "" ? "no cause" : code})`

/** Decides which refused connections get a line in the log. */
export class Refusals {
  private readonly loggedAt = new Map<string, number>()

  constructor(private readonly now: () => number) {}

  /** The line, or null while the same one was logged less than a minute ago. */
  report(address: string, cause: string): string | null {
    const line = `a scheduler at ${address} was refused: ${cause}`
    const now = this.now()
    const last = this.loggedAt.get(line)
    if (last !== undefined && Math.abs(now - last) < logEveryMillis) return null
    this.loggedAt.delete(line)
    const [oldest] = this.loggedAt.keys()
    if (this.loggedAt.size >= maxRemembered && oldest !== undefined) this.loggedAt.delete(oldest)
    this.loggedAt.set(line, now)
    return line
  }
}
