import { Data, Effect, Either, Redacted } from "effect"
import { createHash, type KeyObject } from "node:crypto"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { decodeSecret, signingKey } from "../../protocol/Signing.ts"
import type { Engine } from "./Engine.ts"
import { messageOf } from "./ErrorInfo.ts"
import type { BrainAddress, HostOptions, Transport } from "./HostOptions.ts"
import type { BufferLimits } from "./Packing.ts"
import { requireSqlite } from "./Sqlite.ts"

/** An option is invalid; the sentence says which one and what to do. */
export class AgentRefused extends Data.TaggedError("AgentRefused")<{ readonly message: string }> {}

/** The brain's address, and the agent's identity there. */
export interface BrainOptions extends BrainAddress {
  /** The two secrets that the brain showed when the agent was created. */
  readonly token: string | Redacted.Redacted
  readonly hmacSecret: string | Redacted.Redacted
}

export interface AgentOptions extends BrainOptions, HostOptions {
  readonly engines: ReadonlyArray<Engine>
}

/** The brain's address and identity, checked. */
export interface BrainConfig {
  /** Without a slash at its end. */
  readonly url: URL
  readonly token: Redacted.Redacted
  readonly key: KeyObject
  readonly home: string
}

export interface AgentConfig extends BrainConfig {
  readonly engines: ReadonlyArray<Engine>
  readonly name: string | null
  readonly framework: string
  readonly role: string
  readonly transport: Transport
  readonly webSocketRetrySeconds: number
  readonly limits: BufferLimits
  readonly redactExtraKeys: ReadonlyArray<string>
  readonly purgeThreshold: number
  /** Distinguishes the buffer files of this agent from those of another one. */
  readonly bufferKey: string
}

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])
const MEBIBYTE = 1_048_576

const optionsRefused = (message: string) => new AgentRefused({ message })

const revealSecret = (
  secret: string | Redacted.Redacted
): string => (Redacted.isRedacted(secret) ? Redacted.value(secret) : secret)

export const checkBrain = Effect.fnUntraced(function*(options: BrainOptions) {
  const url = URL.canParse(options.brainUrl) ? new URL(options.brainUrl) : undefined
  if (options.brainUrl === "") {
    return yield* optionsRefused(
      "The brain's URL is missing. Set brainUrl, or SVC_AGENT_BRAIN_URL, to the brain's address, such as https://svc.example.com."
    )
  }
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return yield* optionsRefused(
      "The brain's URL must begin with https:// (or http:// on this machine), such as https://svc.example.com."
    )
  }
  if (url.protocol === "http:" && !loopback.has(url.hostname) && options.allowInsecure !== true) {
    return yield* optionsRefused(
      "The brain's URL is plain http to another machine, which would expose the token. Use https://, or set allowInsecure for development."
    )
  }
  const token = revealSecret(options.token).trim()
  if (!/^[\x21-\x7e]+$/.test(token)) {
    return yield* optionsRefused(
      "The agent's token is missing or invalid. Use the one that the brain showed when the agent was created."
    )
  }
  const secret = decodeSecret(revealSecret(options.hmacSecret))
  if (Either.isLeft(secret)) {
    return yield* optionsRefused(
      `The agent's hmac secret ${
        secret.left === "invalid" ? "is not URL-safe base64" : "is shorter than 32 bytes"
      }. Use the one that the brain showed when the agent was created.`
    )
  }
  url.pathname = url.pathname.replace(/\/+$/, "")
  url.search =
    url.hash =
    url.username =
    url.password =
      ""
  return {
    url,
    token: Redacted.make(token),
    key: signingKey(secret.right),
    home: resolve(options.home ?? join(homedir(), ".svc", "agent"))
  } satisfies BrainConfig
})

const checkWholeNumber = (name: string, value: number | undefined, fallback: number, min: number) =>
  value === undefined || (Number.isSafeInteger(value) && value >= min)
    ? Effect.succeed(value ?? fallback)
    : optionsRefused(`${name} must be a whole number of at least ${min}, but is ${value}.`)

/** Fails with the first invalid option. */
export const checkOptions = Effect.fnUntraced(function*(options: AgentOptions) {
  const brain = yield* checkBrain(options)
  const names = options.engines.flatMap(({ name, scheduler }) =>
    scheduler === undefined ? [name] : [name, scheduler.name]
  )
  const invalidName = names.find((name) => !/^[^A-Z\s]{1,40}$/.test(name))
  if (invalidName !== undefined) {
    return yield* optionsRefused(
      `An engine or scheduler has the name "${
        invalidName.slice(0, 60)
      }". Names are lower case, without spaces, at most 40 characters.`
    )
  }
  if (new Set(names).size < names.length) {
    return yield* optionsRefused(
      "Two engines, or an engine and a scheduler, have the same name. Give one of them another name."
    )
  }
  yield* Effect.try({ try: requireSqlite, catch: (error) => new AgentRefused({ message: messageOf(error) }) })
  return {
    ...brain,
    engines: options.engines,
    name: options.name?.slice(0, 64) ?? null,
    framework: options.framework?.slice(0, 40) ?? "node",
    role: options.role ?? "task",
    transport: options.transport ?? "auto",
    webSocketRetrySeconds: yield* checkWholeNumber("webSocketRetrySeconds", options.webSocketRetrySeconds, 30, 1),
    limits: {
      maxEvents: yield* checkWholeNumber("bufferMaxEvents", options.bufferMaxEvents, 100_000, 1),
      maxBytes: yield* checkWholeNumber("bufferMaxBytes", options.bufferMaxBytes, 256 * MEBIBYTE, 1024)
    },
    redactExtraKeys: options.redactExtraKeys ?? [],
    purgeThreshold: yield* checkWholeNumber("purgeThreshold", options.purgeThreshold, 1000, 0),
    bufferKey: createHash("sha256").update(Redacted.value(brain.token)).digest("hex").slice(0, 12)
  } satisfies AgentConfig
})

/** An address below the brain's URL; with `ws` that of the WebSocket. */
export const urlBelow = (base: URL, path: string, ws = false): URL => {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/+$/, "")}${path}`
  if (ws) url.protocol = base.protocol === "https:" ? "wss:" : "ws:"
  return url
}
