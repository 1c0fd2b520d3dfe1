/** What an engine reports, as the canonical text that is stored and sent. On the host's own path: plain code. */
import { createHash, randomUUID } from "node:crypto"
import { canonical, canonicalize, CanonicalText, extentOf, parse, ParseFailure } from "../../domain/CanonicalJson.ts"
import { compareCodePoints } from "../../domain/CanonicalJson/Shape.ts"
import type { Redaction } from "../../domain/Redaction.ts"
import { REDACTED } from "../../domain/Redaction/Texts.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { isEventKind } from "../protocol/Event.ts"
import { MAX_EVENT_NODES, MAX_KEYS } from "../protocol/Payload.ts"
import type { EngineEvent } from "./Engine.ts"

/** Longer strings are cut (agents' protocol, section 4.3). */
const MAX_STRING_BYTES = 8192
/** How much of a longer string is searched for secrets before it is cut, so that the cut hides none from the search. */
const SEARCHED = 2 * MAX_STRING_BYTES
/** A field (all arguments of a task, say) whose text is longer is left out: its price is the host's. */
const MAX_FIELD_LENGTH = 65_536
/** Three fields of one event may be as large (arguments, keyword arguments, result), and the brain refuses an event with more. */
const MAX_FIELD_NODES = Math.floor(MAX_EVENT_NODES / 4)
const MAX_DEPTH = 64
const LONGEST_KEY = 256
const LONGEST_TASK_ID = 200

/** A shorter text without any of these signs can hold no secret that its form would show (domain/Redaction/Texts.ts). */
const SHORTEST_SECRET = 15
const SIGNS = /[=:'"\\]/

/** A member's name as canonical text with its colon, and whether its value is a secret. */
interface Name {
  readonly text: string
  readonly secret: boolean
}

const MOST_NAMES = 4096

/** Thrown inside `write` only; the message is what stands for the field. */
class LeftOut extends Error {}
const TOO_LONG = new LeftOut(`more than ${MAX_FIELD_LENGTH} characters`)
const TOO_WIDE = new LeftOut(`an object of more than ${MAX_KEYS} keys`)
const TOO_MANY = new LeftOut(`more than ${MAX_FIELD_NODES} values`)

/** Secrets masked, long strings cut; what JSON cannot say is left out or said as `JSON.stringify` would. */
export class Capture {
  private room = 0
  private nodes = 0
  private readonly path: Array<object> = []
  /** Tasks have the same few names again and again. */
  private readonly names = new Map<string, Name>()

  /** `now` is epoch milliseconds, for events whose own time is none. */
  constructor(private readonly redaction: Redaction, private readonly now: () => number) {}

  /** The canonical text of the event, with an id of its own; null for what is no event. Never throws. */
  event(engine: string, { data, kind, occurredAt, taskId }: EngineEvent): string | null {
    try {
      if (!isEventKind(kind)) return null
      let fields = ""
      for (const name of sortedNames(data)) {
        const field = this.field(name, data)
        if (field !== null) fields += `${fields === "" ? "" : ","}${field}`
      }
      const head = `{"data":{${fields}},"engine":${JSON.stringify(engine.toWellFormed())},"id":"${randomUUID()}","kind":"${kind}"`
      const task = JSON.stringify(taskId.slice(0, LONGEST_TASK_ID).toWellFormed())
      return `${head},"occurred_at":"${this.time(occurredAt)}","task_id":${task}}`
    } catch {
      return null // an event that is none: its id is no text, its data no object
    }
  }

  private time(millis: number): string {
    const sane = millis > 0 && millis < 7_258_118_400_000 // the year 2200, beyond which the brain believes nothing
    return Timestamp.fromEpochMicros(Math.round((sane ? millis : this.now()) * 1000))
  }

  private field(name: string, data: EngineEvent["data"]): string | null {
    this.room = MAX_FIELD_LENGTH
    this.nodes = 0
    try {
      return this.member(name, data[name])
    } catch (error) {
      const why = error instanceof LeftOut ? `[${error.message}: left out]` : "[cannot be read]"
      return `${this.name(name).text}${JSON.stringify(why)}`
    } finally {
      this.path.length = 0
    }
  }

  /** Null where JSON has no word for it. */
  private write(value: unknown, key: string): string | null {
    if (++this.nodes > MAX_FIELD_NODES) throw TOO_MANY
    switch (typeof value) {
      case "string":
        return this.spend(this.string(value))
      case "number":
        return this.spend(canonicalize(value))
      case "boolean":
      case "bigint":
        return this.spend(String(value))
      case "object":
        return value === null ? this.spend("null") : this.object(value, key)
      default:
        return null
    }
  }

  private object(value: object, key: string): string | null {
    if (value instanceof CanonicalText) return this.spend(this.canonical(value.text))
    if (this.path.length >= MAX_DEPTH || this.path.includes(value)) return this.spend(`"${REDACTED}"`)
    this.path.push(value)
    const text = this.members(value, key)
    this.path.pop()
    return text
  }

  private members(value: object, key: string): string | null {
    if ("toJSON" in value && typeof value.toJSON === "function") return this.write(value.toJSON(key), key)
    if (value instanceof Error) return this.spend(this.string(String(value)))
    if (Array.isArray(value)) return this.items(value)
    let texts = ""
    for (const name of sortedNames(value)) {
      // The cast: an object's own enumerable names can be read, whatever stands there.
      const text = this.member(name, (value as Record<string, unknown>)[name])
      if (text !== null) texts += texts === "" ? text : `,${text}`
    }
    return `{${texts}}`
  }

  /** Holes are items too, which `map` and its like pass over. */
  private items(values: ReadonlyArray<unknown>): string {
    let texts = ""
    for (let at = 0; at < values.length; at++) {
      const text = this.write(values[at], String(at)) ?? this.spend("null")
      texts += at === 0 ? text : `,${text}`
    }
    return `[${texts}]`
  }

  /** A text that claims to be canonical is believed only as far as that it is JSON, and no deeper than the rest. */
  private canonical(text: string): string {
    const node = parse(text, { maxDepth: MAX_DEPTH })
    if (node instanceof ParseFailure) return `"${REDACTED}"`
    const { nodes, widest } = extentOf(node)
    if (widest > MAX_KEYS) throw TOO_WIDE
    this.nodes += nodes
    if (this.nodes > MAX_FIELD_NODES) throw TOO_MANY
    return this.redaction.json(canonical(node))
  }

  /** `"name":value` with the value masked when the name says so and there is something to hide. */
  private member(name: string, value: unknown): string | null {
    const { secret, text } = this.name(name)
    const written = secret && tells(value) ? `"${REDACTED}"` : this.write(value, name)
    return written === null ? null : this.spend(text) + written
  }

  private name(name: string): Name {
    const known = this.names.get(name)
    if (known !== undefined) return known
    const long = name.length > LONGEST_KEY
    const made = { text: `${JSON.stringify(told(name))}:`, secret: long || this.redaction.secretKey(name) }
    if (this.names.size >= MOST_NAMES) this.names.clear()
    if (!long) this.names.set(name, made)
    return made
  }

  private string(value: string): string {
    if (value.length < SHORTEST_SECRET && !SIGNS.test(value)) return JSON.stringify(value.toWellFormed())
    const bytes = value.length * 3 <= MAX_STRING_BYTES ? 0 : Buffer.byteLength(value)
    if (bytes <= MAX_STRING_BYTES) return JSON.stringify(this.redaction.text(value).toWellFormed())
    const searched = Buffer.from(this.redaction.text(value.slice(0, SEARCHED)))
    return JSON.stringify(`${firstBytes(searched, MAX_STRING_BYTES)}[...${bytes - MAX_STRING_BYTES} more bytes truncated]`)
  }

  private spend(text: string): string {
    this.room -= text.length + 1
    if (this.room < 0) throw TOO_LONG
    return text
  }
}

/** At most so many bytes, without cutting a character in two. */
const firstBytes = (utf8: Buffer, most: number): string => {
  let end = Math.min(most, utf8.length)
  while (end > 0 && end < utf8.length && (utf8[end]! & 0xc0) === 0x80) end--
  return utf8.toString("utf8", 0, end)
}

/** Whether the name can be sent as it is: not too long, and UTF-8 can write it. */
const isTold = (name: string): boolean => name.length <= LONGEST_KEY && name.isWellFormed()

/** What stands for the name: one that cannot be sent as it is ends in a hash, so that two of them stay two. */
const told = (name: string): string => {
  if (isTold(name)) return name
  const hash = createHash("sha256").update(name, "utf16le").digest("hex").slice(0, 12)
  return `${name.slice(0, LONGEST_KEY).toWellFormed()}[${hash}]`
}

/**
 * An object's names by code point of what stands for them, as canonical JSON has them, and of two that are told alike
 * the last. Most objects of one kind have theirs so already, or nearly.
 */
const sortedNames = (value: object): ReadonlyArray<string> => {
  const names = Object.keys(value)
  if (names.length > MAX_KEYS) throw TOO_WIDE
  if (!names.every(isTold)) {
    const byTold = [...new Map(names.map((name) => [told(name), name]))]
    return byTold.sort(([left], [right]) => compareCodePoints(left, right)).map(([, name]) => name)
  }
  for (let at = 1; at < names.length; at++) {
    if (compareCodePoints(names[at - 1]!, names[at]!) > 0) return names.sort(compareCodePoints)
  }
  return names
}

/** Whether there is anything to hide. */
const tells = (value: unknown): boolean => value !== null && value !== undefined && value !== "" && typeof value !== "boolean"
