/** Encodes an engine's event as the canonical text that is stored and sent. Plain code, on the host's path. */
import { createHash, randomUUID } from "node:crypto"
import { boundName, MAX_TASK_ID_LENGTH } from "../../domain/kernel/BoundedName.ts"
import {
  canonicalize,
  CanonicalText,
  canonicalTextOf,
  extentOf,
  parse,
  ParseFailure
} from "../../domain/kernel/CanonicalJson.ts"
import { compareCodePoints } from "../../domain/kernel/CanonicalJson/Shape.ts"
import type { Redaction } from "../../domain/kernel/Redaction.ts"
import { REDACTED } from "../../domain/kernel/Redaction/Texts.ts"
import { ALTERED } from "../../domain/kernel/TaskEvent.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { leftOutNote } from "../../domain/tasks/LeftOut.ts"
import { isEventKind } from "../../protocol/Event.ts"
import { MAX_EVENT_NODES, MAX_KEYS } from "../../protocol/Payload.ts"
import type { EngineEvent } from "./Engine.ts"

/** Longer strings are truncated (agents' protocol, section 4.3). */
const MAX_STRING_BYTES = 8192
/** Characters of a longer string that are searched for secrets before it is truncated: a truncated secret would not be found. */
const MAX_SEARCHED_LENGTH = 2 * MAX_STRING_BYTES
/** A field (all arguments of a task, for example) with a longer text is left out: encoding it costs the host. */
const MAX_FIELD_LENGTH = 65_536
/**
 * Three fields of one event may be as large (arguments, keyword arguments, result), and the brain refuses an event with
 * more.
 */
const MAX_FIELD_NODES = Math.floor(MAX_EVENT_NODES / 4)
const MAX_DEPTH = 64
const MAX_KEY_LENGTH = 256

/** A shorter text without any of these signs has no secret that is known by its form (domain/kernel/Redaction/Texts.ts). */
const MIN_SECRET_LENGTH = 15
const SECRET_SIGNS = /[=:'"\\]/

/** A member's name as canonical text with its colon, and whether its value is a secret. */
interface EncodedName {
  readonly text: string
  readonly secret: boolean
}

const MAX_CACHED_NAMES = 4096

/** Thrown inside `write` only. The message replaces the field. */
class FieldOmitted extends Error {}
const TOO_LONG = new FieldOmitted(`more than ${MAX_FIELD_LENGTH} characters`)
const TOO_WIDE = new FieldOmitted(`an object of more than ${MAX_KEYS} keys`)
const TOO_MANY = new FieldOmitted(`more than ${MAX_FIELD_NODES} values`)

/** Masks secrets and truncates long strings. Values that JSON does not have are handled as `JSON.stringify` does. */
export class EventEncoder {
  private remainingLength = 0
  private nodes = 0
  private readonly ancestors: Array<object> = []
  /** A cache: the same few member names repeat in all tasks. */
  private readonly nameCache = new Map<string, EncodedName>()

  /** `now` is epoch milliseconds, for events without a valid time. */
  constructor(private readonly redaction: Redaction, private readonly now: () => number) {}

  /** The canonical text of the event, with a new id; null for an invalid event. Never throws. */
  encode(engine: string, { data, kind, occurredAt, taskId }: EngineEvent): string | null {
    try {
      if (!isEventKind(kind)) return null
      const sentId = boundName(taskId, MAX_TASK_ID_LENGTH)
      const sentData = sentId === taskId ? data : { ...data, [ALTERED]: ["task_id"] }
      let fields = ""
      for (const name of sortedNames(sentData)) {
        const field = this.field(name, sentData)
        if (field !== null) fields += `${fields === "" ? "" : ","}${field}`
      }
      const head = `{"data":{${fields}},"engine":${
        JSON.stringify(engine.toWellFormed())
      },"id":"${randomUUID()}","kind":"${kind}"`
      return `${head},"occurred_at":"${this.formatTime(occurredAt)}","task_id":${JSON.stringify(sentId)}}`
    } catch {
      return null // invalid: its task id is not a string, or its data is not an object
    }
  }

  private formatTime(millis: number): string {
    const isInRange = millis > 0 && millis < 7_258_118_400_000 // the year 2200: the brain rejects later events
    return Timestamp.fromEpochMillis(isInRange ? millis : this.now())
  }

  private field(name: string, data: EngineEvent["data"]): string | null {
    this.remainingLength = MAX_FIELD_LENGTH
    this.nodes = 0
    try {
      return this.encodeMember(name, data[name])
    } catch (error) {
      const why = error instanceof FieldOmitted ? leftOutNote(error.message) : "[cannot be read]"
      return `${this.name(name).text}${JSON.stringify(why)}`
    } finally {
      this.ancestors.length = 0
    }
  }

  /** Null for a value that JSON does not have. */
  private encodeValue(value: unknown, key: string): string | null {
    if (++this.nodes > MAX_FIELD_NODES) throw TOO_MANY
    switch (typeof value) {
      case "string":
        return this.spend(this.encodeString(value))
      case "number":
        return this.spend(canonicalize(value))
      case "boolean":
      case "bigint":
        return this.spend(String(value))
      case "object":
        return value === null ? this.spend("null") : this.encodeObject(value, key)
      default:
        return null
    }
  }

  private encodeObject(value: object, key: string): string | null {
    if (value instanceof CanonicalText) return this.spend(this.encodeCanonical(value.text))
    if (this.ancestors.length >= MAX_DEPTH || this.ancestors.includes(value)) return this.spend(`"${REDACTED}"`)
    this.ancestors.push(value)
    const text = this.encodeMembers(value, key)
    this.ancestors.pop()
    return text
  }

  private encodeMembers(value: object, key: string): string | null {
    if ("toJSON" in value && typeof value.toJSON === "function") return this.encodeValue(value.toJSON(key), key)
    if (value instanceof Error) return this.spend(this.encodeString(String(value)))
    if (Array.isArray(value)) return this.encodeItems(value)
    let texts = ""
    for (const name of sortedNames(value)) {
      // The cast: an object's own enumerable names can be read, whatever their values.
      const text = this.encodeMember(name, (value as Record<string, unknown>)[name])
      if (text !== null) texts += texts === "" ? text : `,${text}`
    }
    return `{${texts}}`
  }

  /** A loop, because `map` skips the holes of an array. */
  private encodeItems(values: ReadonlyArray<unknown>): string {
    let texts = ""
    for (let index = 0; index < values.length; index++) {
      const text = this.encodeValue(values[index], String(index)) ?? this.spend("null")
      texts += index === 0 ? text : `,${text}`
    }
    return `[${texts}]`
  }

  /** A text that claims to be canonical must still be JSON, within the depth limit. */
  private encodeCanonical(text: string): string {
    const node = parse(text, { maxDepth: MAX_DEPTH })
    if (node instanceof ParseFailure) return `"${REDACTED}"`
    const { nodes, widest } = extentOf(node)
    if (widest > MAX_KEYS) throw TOO_WIDE
    this.nodes += nodes
    if (this.nodes > MAX_FIELD_NODES) throw TOO_MANY
    return this.redaction.json(canonicalTextOf(node))
  }

  /** `"name":value` with the value masked when the name says so and there is something to hide. */
  private encodeMember(name: string, value: unknown): string | null {
    const { secret, text } = this.name(name)
    const encoded = secret && hasContent(value) ? `"${REDACTED}"` : this.encodeValue(value, name)
    return encoded === null ? null : this.spend(text) + encoded
  }

  private name(name: string): EncodedName {
    const cachedName = this.nameCache.get(name)
    if (cachedName !== undefined) return cachedName
    const long = name.length > MAX_KEY_LENGTH
    const encoded = {
      text: `${JSON.stringify(encodableName(name))}:`,
      secret: long || this.redaction.isSecretKey(name)
    }
    if (this.nameCache.size >= MAX_CACHED_NAMES) this.nameCache.clear()
    if (!long) this.nameCache.set(name, encoded)
    return encoded
  }

  private encodeString(value: string): string {
    if (value.length < MIN_SECRET_LENGTH && !SECRET_SIGNS.test(value)) return JSON.stringify(value.toWellFormed())
    const bytes = value.length * 3 <= MAX_STRING_BYTES ? 0 : Buffer.byteLength(value)
    if (bytes <= MAX_STRING_BYTES) return JSON.stringify(this.redaction.text(value).toWellFormed())
    const searched = Buffer.from(this.redaction.text(value.slice(0, MAX_SEARCHED_LENGTH)))
    return JSON.stringify(
      `${firstBytes(searched, MAX_STRING_BYTES)}[...${bytes - MAX_STRING_BYTES} more bytes truncated]`
    )
  }

  private spend(text: string): string {
    this.remainingLength -= text.length + 1
    if (this.remainingLength < 0) throw TOO_LONG
    return text
  }
}

/** Truncates to at most so many bytes, between two characters. */
const firstBytes = (utf8: Buffer, limit: number): string => {
  let end = Math.min(limit, utf8.length)
  while (end > 0 && end < utf8.length && (utf8[end]! & 0xc0) === 0x80) end--
  return utf8.toString("utf8", 0, end)
}

/** Whether the name can be sent as it is: not too long, and UTF-8 can write it. */
const isEncodable = (name: string): boolean => name.length <= MAX_KEY_LENGTH && name.isWellFormed()

/** The name, or a truncated one that ends in a hash, so that two names stay different. */
const encodableName = (name: string): string => {
  if (isEncodable(name)) return name
  const hash = createHash("sha256").update(name, "utf16le").digest("hex").slice(0, 12)
  return `${name.slice(0, MAX_KEY_LENGTH).toWellFormed()}[${hash}]`
}

/**
 * An object's names, sorted by code point of their sent form, as canonical JSON requires; of equal ones the last. Most
 * objects of one kind have them in this order already, or nearly.
 */
const sortedNames = (value: object): ReadonlyArray<string> => {
  const names = Object.keys(value)
  if (names.length > MAX_KEYS) throw TOO_WIDE
  if (!names.every(isEncodable)) {
    const byEncodableName = [...new Map(names.map((name) => [encodableName(name), name]))]
    return byEncodableName.sort(([left], [right]) => compareCodePoints(left, right)).map(([, name]) => name)
  }
  for (let index = 1; index < names.length; index++) {
    if (compareCodePoints(names[index - 1]!, names[index]!) > 0) return names.sort(compareCodePoints)
  }
  return names
}

/** Whether the value can hold a secret. */
const hasContent = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== "" && typeof value !== "boolean"
