import { FileSystem } from "@effect/platform"
import { Cache, Clock, Context, Data, Duration, Effect, Exit, Layer } from "effect"
import { lookup as systemLookup } from "node:dns/promises"
import type { LookupFunction } from "node:net"
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls"
import type * as Undici from "undici"
import { describeCallError } from "../../domain/kernel/CallError.ts"
import { parseAllowedTarget, rangesAt } from "../../domain/kernel/net/AllowedTarget.ts"
import { findRefusedRange, parseAddress } from "../../domain/kernel/net/OutboundAddress.ts"
import { Settings } from "./Settings.ts"

/** The call was not made: what is wrong with its URL, its name, or one of its addresses. `why` names no part of the URL. */
export class OutboundRefused extends Data.TaggedError("OutboundRefused")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

/** The call was made, or begun, and there is no response. `why` names no part of the URL. */
export class OutboundFailed extends Data.TaggedError("OutboundFailed")<{ readonly why: string }> {
  override get message() {
    return this.why
  }
}

/** Turns a host name into its addresses, all of them. */
export class Resolver extends Context.Tag("svc/Resolver")<Resolver, {
  readonly addresses: (host: string) => Effect.Effect<ReadonlyArray<string>, unknown>
}>() {
  /** Resolves as the operating system does, including /etc/hosts. */
  static readonly layer = Layer.succeed(Resolver, {
    addresses: (host) =>
      Effect.map(
        Effect.tryPromise(() => systemLookup(host, { all: true })),
        (found) => found.map(({ address }) => address)
      )
  })
}

export interface OutboundRequest {
  readonly url: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Timeout from DNS lookup to the last byte of the response. Default: 10 s. */
  readonly timeout?: Duration.DurationInput
  /** `true` also allows plain http. Default: https only. */
  readonly plainHttp?: boolean
}

export interface OutboundResponse {
  readonly status: number
  /** By name in lower case; of a repeated header the first. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, truncated to `maxBodyBytes`. */
  readonly body: string
}

/** Limits from the notification contract: timeouts, DNS cache time, response size. */
const callTimeout = Duration.seconds(10)
const connectMillis = 5000
const resolveTimeout = Duration.seconds(5)
const addressTtl = Duration.seconds(30)
const maxBodyBytes = 8192
const maxNames = 1000

/**
 * To one host: as many as there may be calls of one process (the dispatcher's sends). With fewer, a call to a host that
 * many channels share would wait behind the calls of those that hang.
 */
const maxConnections = 256

/** undici's errors about HTTP itself have a name and no code. */
const errorCodeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : error instanceof Error
    ? error.name
    : "no code"

const portOf = ({ port, protocol }: URL): number => port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, "")

/**
 * Reads at most `maxBodyBytes` of the body; the rest is not awaited. A body that breaks off, or does not end in time, is
 * kept as far as it came: the status says what became of the request, and a retry would do it again.
 */
const readBody = (body: Undici.Dispatcher.ResponseData["body"], millis: number): Effect.Effect<string> =>
  Effect.suspend(() => {
    const chunks: Array<Buffer> = []
    let size = 0
    const read = Effect.tryPromise(async () => {
      for await (const chunk of body) {
        const bytes = Buffer.from(chunk)
        chunks.push(bytes)
        size += bytes.length
        if (size >= maxBodyBytes) break // also closes the connection
      }
    })
    return read.pipe(
      Effect.ignore,
      Effect.timeoutOption(millis),
      Effect.map(() => Buffer.concat(chunks).subarray(0, maxBodyBytes).toString("utf8"))
    )
  })

interface Client {
  readonly agent: Undici.Dispatcher
  readonly request: typeof Undici.request
}

const firstValues = (headers: Undici.Dispatcher.ResponseData["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value
      return first === undefined ? [] : [[name, first]]
    })
  )

/** What TLS connections trust beside the public authorities. */
export interface OutboundTls {
  readonly secureContext?: SecureContext
}

/** The certificates of SVC_OUTBOUND_CA_FILE are trusted beside those that Node includes. */
export const readAuthorities = (path: string): Effect.Effect<OutboundTls, never, FileSystem.FileSystem> =>
  path === "" ? Effect.succeed({}) : Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path)).pipe(
    Effect.flatMap((pem) => Effect.try(() => createSecureContext({ ca: [...rootCertificates, pem] }))),
    Effect.map((secureContext) => ({ secureContext })),
    Effect.catchAll(() =>
      Effect.dieMessage(`SVC_OUTBOUND_CA_FILE: the file ${path} cannot be read, or has no certificates in PEM form.`)
    )
  )

const loadClient = async (lookup: LookupFunction, tls: OutboundTls): Promise<Client> => {
  const module = await import("undici")
  // a CommonJS module: bundled it has nothing but its default
  const { Agent, request } = module.default ?? module
  const agent = new Agent({
    connect: { ...tls, lookup, timeout: connectMillis },
    connections: maxConnections,
    keepAliveTimeout: 10_000
  })
  return { agent, request }
}

/** The URL, if its form is one that is called. Resolves nothing. */
const parseUrl = (url: string, plainHttp: boolean): Effect.Effect<URL, OutboundRefused> => {
  const parsed = URL.canParse(url) ? new URL(url) : null
  const refuse = (why: string) => new OutboundRefused({ why })
  if (parsed === null) return refuse("it is not a URL")
  if (parsed.username !== "" || parsed.password !== "") {
    return refuse("a URL must not hold a user name or a password")
  }
  if (parsed.protocol === "https:" || (plainHttp && parsed.protocol === "http:")) return Effect.succeed(parsed)
  return refuse(plainHttp ? "the URL must begin with https:// or http://" : "the URL must begin with https://")
}

interface OutboundOptions {
  /** Internal addresses that may be called. */
  readonly allowed: ReadonlyArray<string>
  /** The setting that names them. */
  readonly setting: string
}

const makeOutbound = ({ allowed: texts, setting }: OutboundOptions) =>
  Effect.gen(function*() {
    const { outboundCaFile } = yield* Settings
    const allowed = texts.flatMap((text) => parseAllowedTarget(text) ?? [])
    const tls = yield* readAuthorities(outboundCaFile)
    const resolver = yield* Resolver
    /** The last checked addresses of each name; connections go to these and nowhere else. */
    const checkedAddresses = new Map<string, ReadonlyArray<string>>()

    const addressCache = yield* Cache.makeWith({
      capacity: maxNames,
      lookup: (host: string) =>
        resolver.addresses(host).pipe(
          Effect.timeoutFail({ duration: resolveTimeout, onTimeout: () => "timeout" }),
          Effect.mapError(() => new OutboundRefused({ why: "its host name cannot be resolved" })),
          Effect.filterOrFail(
            (addresses) => addresses.length > 0,
            () => new OutboundRefused({ why: "its host name has no address" })
          )
        ),
      timeToLive: (exit) => (Exit.isSuccess(exit) ? addressTtl : Duration.zero)
    })

    /** The addresses of a host, if each of them may be called at the port. For callers that connect by other means than `call`. */
    const resolveAllowed = Effect.fn("Outbound.resolveAllowed")(function*(host: string, port: number) {
      const name = withoutBrackets(host)
      const literal = parseAddress(name)
      const addresses = literal === null ? yield* addressCache.get(name) : [literal]
      const ranges = rangesAt(allowed, port)
      for (const address of addresses) {
        const range = findRefusedRange(address, ranges)
        if (range === null) continue
        return yield* new OutboundRefused({
          // without the address: a user who may test a channel could look up internal names
          why: `an address of its host is not called (${range}); ${setting} can let it through, with its port`
        })
      }
      return addresses
    })

    /** Whether the URL may be called now: its form, and all addresses of its host. For URLs that are about to be kept. */
    const check = Effect.fn("Outbound.check")(function*(url: string, options: { readonly plainHttp: boolean }) {
      const parsed = yield* parseUrl(url, options.plainHttp)
      yield* resolveAllowed(parsed.hostname, portOf(parsed))
    })

    const lookupChecked: LookupFunction = (host, { all }, callback) => {
      const addresses = (checkedAddresses.get(host) ?? []).map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4
      }))
      const [first] = addresses
      if (first === undefined) callback(new Error("an address that was not checked"), "", 0)
      else if (all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    }

    /** Loaded at the first call: it is 5 MiB of memory, and most brains call nothing. */
    let client: Promise<Client> | undefined
    const openClient = () => client ??= loadClient(lookupChecked, tls)
    yield* Effect.addFinalizer(() => Effect.promise(async () => (await client)?.agent.destroy()))

    const send = ({ body, headers, method }: OutboundRequest, url: URL, signal: AbortSignal) =>
      Effect.tryPromise({
        try: async () => {
          const { agent, request } = await openClient()
          return request(url, { method, headers, body: body ?? null, dispatcher: agent, signal })
        },
        catch: (error) => new OutboundFailed({ why: describeCallError(errorCodeOf(error)) })
      })

    const sendChecked = Effect.fnUntraced(
      function*(call: OutboundRequest, signal: AbortSignal) {
        const url = yield* parseUrl(call.url, call.plainHttp === true)
        const addresses = yield* resolveAllowed(url.hostname, portOf(url))
        checkedAddresses.delete(url.hostname) // the newest last
        checkedAddresses.set(url.hostname, addresses)
        const [oldest] = checkedAddresses.size > maxNames ? checkedAddresses.keys() : []
        if (oldest !== undefined) checkedAddresses.delete(oldest)
        return yield* send(call, url, signal)
      },
      (effect, { timeout = callTimeout }) =>
        Effect.timeoutFail(effect, {
          duration: timeout,
          onTimeout: () => new OutboundFailed({ why: "there was no answer in time" })
        })
    )

    /** One call. Any HTTP status is a success; a refused address or a missing response is a failure. */
    const call = Effect.fn("Outbound.call")((call: OutboundRequest) =>
      Effect.acquireUseRelease(
        Effect.sync(() => new AbortController()),
        ({ signal }) =>
          Effect.gen(function*() {
            const endsAt = (yield* Clock.currentTimeMillis) + Duration.toMillis(call.timeout ?? callTimeout)
            const response = yield* sendChecked(call, signal)
            const left = endsAt - (yield* Clock.currentTimeMillis)
            return {
              status: response.statusCode,
              headers: firstValues(response.headers),
              body: yield* readBody(response.body, Math.max(0, left))
            } satisfies OutboundResponse
          }),
        (controller) => Effect.sync(() => controller.abort()) // closes the connection if a response is not at its end
      )
    )

    return {
      resolveAllowed,
      check,
      call,
      /** For callers that connect by other means than `call`. */
      tls
    } as const
  })

/**
 * Calls to addresses that projects' members entered (channels). To prevent SSRF, each name is resolved once, every address
 * must be public or in SVC_OUTBOUND_ALLOW_CIDRS, and the connection uses a checked address. Host header and TLS name
 * stay unchanged. Redirects are not followed.
 */
export class Outbound extends Effect.Service<Outbound>()("svc/Outbound", {
  scoped: Effect.flatMap(
    Settings,
    ({ outboundAllowCidrs }) => makeOutbound({ allowed: outboundAllowCidrs, setting: "SVC_OUTBOUND_ALLOW_CIDRS" })
  )
}) {
  static readonly layer = this.Default
}

/**
 * Calls of the audit log's webhooks, by the same rules. What an operator lets these reach is no permission for channels, so
 * it is a setting of its own; and so are the connections, which a channel's call could find open else.
 */
export class AuditOutbound extends Effect.Service<AuditOutbound>()("svc/AuditOutbound", {
  scoped: Effect.flatMap(
    Settings,
    ({ auditWebhookAllowCidrs }) =>
      makeOutbound({ allowed: auditWebhookAllowCidrs, setting: "SVC_AUDIT_WEBHOOK_ALLOW_CIDRS" })
  )
}) {
  static readonly layer = this.Default
}
