import { Either } from "effect"

/** The server that takes our mail, as SVC_SMTP_URL names it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** Null: without signing in. */
  readonly login: { readonly user: string; readonly password: string } | null
  /** `tls`: TLS from the first byte. `starttls`: required. `optional`: STARTTLS if the server offers it. */
  readonly security: "tls" | "starttls" | "optional"
}

/** Who mail comes from; `name` may be empty. */
export interface Sender {
  readonly name: string
  readonly address: string
}

const defaultPorts = { "smtp:": 587, "smtps:": 465 } as const

const loopbackPattern = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

const decodeUserInfo = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const isScheme = (protocol: string): protocol is keyof typeof defaultPorts => protocol in defaultPorts

const securityOf = ({ hostname, protocol, searchParams }: URL): SmtpServer["security"] =>
  protocol === "smtps:"
    ? "tls"
    : searchParams.get("tls") === "optional" || loopbackPattern.test(hostname)
    ? "optional"
    : "starttls"

/**
 * `smtp://user:password@host:587` or `smtps://…:465`. Over smtp the connection is encrypted by STARTTLS before anything
 * else is said; `?tls=optional`, and a server on this machine, take one that offers none. Left: what is wrong, without
 * repeating what was given.
 */
export const parseSmtpUrl = (text: string): Either.Either<SmtpServer, string> => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !isScheme(url.protocol) || url.hostname === "" || !["", "/"].includes(url.pathname)) {
    return Either.left("must look like smtp://user:password@host:587 or smtps://user:password@host:465")
  }
  const [user, password] = [decodeUserInfo(url.username), decodeUserInfo(url.password)]
  if (user === null || password === null) {
    return Either.left("has a % in its user or password that does not begin a percent-encoding; write %25")
  }
  if ([...url.searchParams].some(([name, value]) => name !== "tls" || value !== "optional")) {
    return Either.left("takes no other parameter than tls=optional")
  }
  return Either.right({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? defaultPorts[url.protocol] : Number(url.port),
    login: user === "" ? null : { user, password },
    security: securityOf(url)
  })
}

const addressPattern = /^[^\s@<>,;"]+@[^\s@<>,;"]+$/

export const isMailAddress = (text: string): boolean => addressPattern.test(text)

/** `svc@example.com` or `Tasks <svc@example.com>`. */
export const parseSender = (text: string): Either.Either<Sender, string> => {
  const [, name = "", inside] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  const sender = { name: name.trim().replace(/^"(.*)"$/, "$1"), address: inside ?? text.trim() }
  return addressPattern.test(sender.address)
    ? Either.right(sender)
    : Either.left("must be an e-mail address, or a name with one: Tasks <svc@example.com>")
}

/** SVC_SMTP_FROM, else the user of the server where that is an address, else `svc@` the host that people know. */
export const senderOf = (from: string, server: SmtpServer, publicUrl: string): Sender => {
  const user = server.login?.user ?? ""
  const fallback: Sender = {
    name: "svc",
    address: addressPattern.test(user) ? user : `svc@${new URL(publicUrl).hostname}`
  }
  return from === "" ? fallback : Either.getOrElse(parseSender(from), () => fallback)
}
