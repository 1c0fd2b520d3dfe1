/**
 * Secrets are masked on arrival, before anything of an event is stored: agents mask too, but not everything (agents'
 * protocol, section 0, point 15, and section 4.3), and not every agent is to be trusted with it.
 *
 * - A member whose key names a secret loses its value at any depth (`password`, `dbPassword`, `X-API-Key`,
 *   `client_secret`, `refresh_token`, `Set-Cookie` …, docs/redaction.md). `null`, `true`, `false` and empty strings
 *   stay: they reveal nothing and explain much. So do names that only begin so: `token_count`, `password_changed_at`.
 * - In texts, values that show what they are (bearer tokens, JWTs, credentials in URLs, private keys, keys of known
 *   providers) and `password=…` are replaced in place.
 *
 * Works on canonical JSON text and keeps its numbers; a text without secrets is returned unchanged, after one
 * scan.
 */
import {
  canonicalTextOf,
  JsonArray,
  type JsonNode,
  JsonObject,
  JsonString,
  parse,
  ParseFailure
} from "./CanonicalJson.ts"
import { extraHintPattern, keyHintPattern, makeSecretKeyTest } from "./Redaction/Keys.ts"
import { formHintPattern, makeScrubber, REDACTED } from "./Redaction/Texts.ts"
import type { EventData } from "./TaskEvent.ts"

export interface Redaction {
  /** Whether a key of this name holds a secret. */
  readonly isSecretKey: (name: string) => boolean
  /** Canonical JSON text with its secrets masked. */
  readonly json: (text: string) => string
  /** Plain text with its secrets masked. */
  readonly text: (text: string) => string
  /** An event's data with the secrets of all fields masked; the same object when there are none. */
  readonly data: (data: EventData) => EventData
}

const REDACTED_JSON = JSON.stringify(REDACTED)

/** Names of our own and identifiers: nothing to look for, and every event has some. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  "task_name",
  "worker",
  "queue",
  "priority",
  "runtime_ms",
  "parent_task_id",
  "root_task_id",
  "eta"
])

/** The redaction with these `extra` key names besides the built-in ones. */
export const make = (extra: ReadonlyArray<string>): Redaction => {
  const isSecret = makeSecretKeyTest(extra)
  const scrub = makeScrubber(extra)
  const names = extra.map(extraHintPattern).filter((name) => name !== "")
  const hintPattern = new RegExp([keyHintPattern, formHintPattern, ...names].join("|"), "iu")

  const redactNode = (node: JsonNode): string => {
    if (node instanceof JsonObject) return redactObject(node)
    if (node instanceof JsonArray) return `[${node.items.map(redactNode).join(",")}]`
    return redactScalar(node)
  }

  const redactObject = (node: JsonObject): string => {
    const members = node.keys.map((key, index) => {
      const value = node.values[index]!
      return `${JSON.stringify(key)}:${isSecret(key) && isRedactable(value) ? REDACTED_JSON : redactNode(value)}`
    })
    return `{${members.join(",")}}`
  }

  const redactScalar = (node: string | JsonString): string => {
    const text = canonicalTextOf(node)
    if (text.charCodeAt(0) !== 34 || !hintPattern.test(text)) return text
    const value = node instanceof JsonString ? node.value : text.slice(1, -1)
    const scrubbed = scrub(value)
    return scrubbed === value ? text : JSON.stringify(scrubbed)
  }

  const json = (text: string): string => {
    if (!hintPattern.test(text)) return text
    const node = parse(text)
    // Unparsable text cannot be searched, so it is redacted as a whole. Verified frames contain none.
    return node instanceof ParseFailure ? REDACTED_JSON : redactNode(node)
  }

  const redactField = (text: string, name: string): string =>
    isSecret(name) && isRedactable(text) ? REDACTED_JSON : json(text)

  return {
    isSecretKey: isSecret,
    json,
    text: (text) => hintPattern.test(text) ? scrub(text) : text,
    data: (data) => {
      const changed = new Map<string, string>() // most events have nothing to mask
      data.forEach((text, name) => {
        const masked = PLAIN_FIELDS.has(name) ? text : redactField(text, name)
        if (masked !== text) changed.set(name, masked)
      })
      if (changed.size === 0) return data
      const copy = new Map<string, string>()
      data.forEach((text, name) => copy.set(name, changed.get(name) ?? text))
      return copy
    }
  }
}

/** Whether there is anything to hide. */
const isRedactable = (node: JsonNode): boolean => !["null", "true", "false", "\"\""].includes(canonicalTextOf(node))
