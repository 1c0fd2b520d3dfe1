import { toCodeUnits } from "./CodeUnits.ts"
import { floatText } from "./Float.ts"
import { copyString, JsonArray, type JsonNode, JsonObject, JsonString } from "./Node.ts"
import { type Layout, layoutOfKeys, MAX_KEYS, type Shape, ShapeTree, wireKeysOf } from "./Shape.ts"

export type ParseFailureReason = "syntax" | "too_deep" | "lone_surrogate" | "number_overflow"

/** Why a text was refused, and the UTF-16 unit at or before which it shows. */
export class ParseFailure {
  constructor(readonly reason: ParseFailureReason, readonly index: number) {}
}

/** The shapes that this process has met. */
const shapeTree = new ShapeTree()

/**
 * One pass over a text: checks RFC 8259 and makes each value's canonical text on the way. Most values are
 * canonical in the text already; their text is a slice, and nothing is copied.
 *
 * Methods begin at the unit `index` and leave `index` behind what they read; after `fail` they return undefined.
 */
export class JsonReader {
  failure: ParseFailure | undefined = undefined
  private readonly units: Uint16Array
  private index = 0
  private depth = 0
  /** How many places so far are not canonical: white space, members out of order, spellings. */
  private rewrites = 0
  /** Members and items of open containers, and the position of each member's canonical slice. */
  private readonly nodes: Array<JsonNode> = []
  private readonly spans: Array<number> = []
  private top = 0
  /** Values read so far, and the keys of the widest object since the container in hand began. */
  private count = 0
  private widest = 0

  constructor(private readonly text: string, private readonly maxDepth: number) {
    this.units = toCodeUnits(text)
  }

  document(): JsonNode | undefined {
    this.space()
    const node = this.value()
    if (node === undefined) return undefined
    this.space()
    return this.index === this.text.length ? node : this.fail("syntax")
  }

  private fail(reason: ParseFailureReason): undefined {
    this.failure = new ParseFailure(reason, this.index)
    return undefined
  }

  /** Skips white space; the unit behind it, 0 at the end of the text. */
  private space(): number {
    let unit = this.units[this.index]!
    while (unit <= 32 && (unit === 32 || unit === 10 || unit === 13 || unit === 9)) {
      this.rewrites++
      unit = this.units[++this.index]!
    }
    return unit
  }

  private value(): JsonNode | undefined {
    this.count++
    const unit = this.units[this.index]!
    if (unit === 34) return this.string() // "
    if (unit === 123) return this.object() // {
    if (unit === 91) return this.array() // [
    if (unit === 45 || isDigit(unit)) return this.number() // -
    if (unit === 110) return this.literal("null")
    if (unit === 116) return this.literal("true")
    return this.literal("false")
  }

  private literal(word: "null" | "true" | "false"): JsonNode | undefined {
    if (!this.text.startsWith(word, this.index)) return this.fail("syntax")
    this.index += word.length
    return word
  }

  private object(): JsonNode | undefined {
    if (++this.depth > this.maxDepth) return this.fail("too_deep")
    const start = this.index
    const base = this.top
    const rewrites = this.rewrites
    const before = this.count
    const widest = this.widest
    this.widest = 0
    let shape = shapeTree.root
    let wide: WideKeys | null = null
    this.index++
    let unit = this.space()
    if (unit === 125) this.index++ // }
    while (unit !== 125) {
      if (unit !== 34) return this.fail("syntax")
      const from = this.index
      const rewritesBefore = this.rewrites
      if (wide === null && shape.size === MAX_KEYS) wide = wideKeysOf(shape)
      if (wide === null) {
        const next = this.key(shape)
        if (next === undefined) return undefined
        shape = next
      } else if (!this.wideKey(wide)) return undefined
      this.space()
      const value = this.value()
      if (value === undefined) return undefined
      this.nodes[this.top] = value
      this.spans[2 * this.top] = from
      this.spans[2 * this.top + 1] = this.rewrites === rewritesBefore ? this.index : -1
      this.top++
      unit = this.separator(125)
      if (unit < 0) return undefined
    }
    this.depth--
    const layout = wide === null ? shape.layout : layoutOfKeys(wide.keys, wide.tokens)
    const nodes = this.count - before + 1
    const own = Math.max(this.widest, this.top - base)
    this.widest = Math.max(widest, own)
    if (layout.order === undefined && this.rewrites === rewrites) {
      const values = this.nodes.slice(base, this.top)
      this.top = base
      return new JsonObject(this.text.slice(start, this.index), layout, values, nodes, own)
    }
    this.rewrites++
    const values = this.nodes.slice(base, base + layout.tokens.length)
    return new JsonObject(this.rewrittenText(layout, base, values), layout, values, nodes, own)
  }

  /** The text of an object with the members from `base` on, and `values`, in canonical order. */
  private rewrittenText({ order, tokens }: Layout, base: number, values: Array<JsonNode>): string {
    let text = "{"
    for (let i = 0; i < tokens.length; i++) {
      const member = base + (order === undefined ? i : order[i]!)
      const value = this.nodes[member]!
      const end = this.spans[2 * member + 1]!
      values[i] = value
      if (i > 0) text += ","
      if (end >= 0) text += this.text.slice(this.spans[2 * member], end)
      else text += tokens[i]! + (typeof value === "string" ? value : value.text)
    }
    this.top = base
    return text + "}"
  }

  /** Reads a key and its colon: the object's shape with it. */
  private key(shape: Shape): Shape | undefined {
    const known = shapeTree.findNext(shape, this.units, this.index)
    if (known !== undefined) {
      this.index += known.token.length
      return known
    }
    const node = this.string()
    if (node === undefined) return undefined
    if (this.space() !== 58) return this.fail("syntax") // :
    this.index++
    return shapeTree.insertNext(shape, copyString(node))
  }

  /** Reads a key and its colon in an object of so many keys that its shape is not remembered. */
  private wideKey({ keys, tokens }: WideKeys): boolean {
    const node = this.string()
    if (node === undefined) return false
    if (this.space() !== 58) {
      this.fail("syntax")
      return false
    }
    this.index++
    keys.push(typeof node === "string" ? node.slice(1, -1) : node.value)
    tokens.push(`${typeof node === "string" ? node : node.text}:`)
    return true
  }

  /** Reads what follows a value: the unit of the next one after a comma, `close` after that, -1 after a failure. */
  private separator(close: number): number {
    const unit = this.space()
    if (unit === close) {
      this.index++
      return unit
    }
    if (unit !== 44) { // ,
      this.fail("syntax")
      return -1
    }
    this.index++
    const next = this.space()
    if (next !== close) return next
    this.fail("syntax")
    return -1
  }

  private array(): JsonNode | undefined {
    if (++this.depth > this.maxDepth) return this.fail("too_deep")
    const start = this.index
    const base = this.top
    const rewrites = this.rewrites
    const before = this.count
    const widest = this.widest
    this.widest = 0
    this.index++
    let unit = this.space()
    if (unit === 93) this.index++ // ]
    while (unit !== 93) {
      const item = this.value()
      if (item === undefined) return undefined
      this.nodes[this.top++] = item
      unit = this.separator(93)
      if (unit < 0) return undefined
    }
    this.depth--
    const items = this.nodes.slice(base, this.top)
    this.top = base
    const own = this.widest
    this.widest = Math.max(widest, own)
    const text = this.rewrites === rewrites ? this.text.slice(start, this.index) : arrayText(items)
    return new JsonArray(text, items, this.count - before + 1, own)
  }

  private string(): string | JsonString | undefined {
    const { units } = this
    const start = this.index
    let index = start + 1
    let unit = units[index]!
    while (unit > 92 ? unit < 0xd800 : unit > 34 ? unit !== 92 : unit === 32 || unit === 33) unit = units[++index]!
    if (unit !== 34) return this.unusualString(index)
    this.index = index + 1
    return this.text.slice(start, index + 1)
  }

  /** A string with an escape, a control character or a unit from U+D800 on, the first of them at `from`. */
  private unusualString(from: number): string | JsonString | undefined {
    const { units } = this
    let index = from
    while (units[index] !== 34) {
      if (units[index]! < 32) return this.fail("syntax") // also the end of the text
      index += units[index] === 92 ? 2 : 1
      if (index >= this.text.length) return this.fail("syntax")
    }
    const raw = this.text.slice(this.index, index + 1)
    const value = decodeString(raw)
    if (value === undefined) return this.fail("syntax")
    if (!value.isWellFormed()) return this.fail("lone_surrogate")
    this.index = index + 1
    const text = JSON.stringify(value) // escapes just what the canonical form escapes, in the same spelling
    if (text !== raw) this.rewrites++
    return text.includes("\\") ? new JsonString(text, value) : text
  }

  private number(): JsonNode | undefined {
    const start = this.index
    const negative = this.units[start] === 45
    if (negative) this.index++
    const first = this.units[this.index]
    const digits = this.digits()
    if (digits === 0 || (digits > 1 && first === 48)) return this.fail("syntax")
    const unit = this.units[this.index]
    if (unit === 46 || unit === 101 || unit === 69) return this.float(start) // . e E
    if (!negative || first !== 48) return this.text.slice(start, this.index)
    this.rewrites++
    return "0"
  }

  /** A number with a fraction or an exponent; `index` is behind its integer part. */
  private float(start: number): JsonNode | undefined {
    const { units } = this
    if (units[this.index] === 46) {
      this.index++
      if (this.digits() === 0) return this.fail("syntax")
    }
    if (units[this.index] === 101 || units[this.index] === 69) {
      this.index++
      if (units[this.index] === 43 || units[this.index] === 45) this.index++ // + -
      if (this.digits() === 0) return this.fail("syntax")
    }
    const raw = this.text.slice(start, this.index)
    const value = Number(raw)
    if (!Number.isFinite(value)) return this.fail("number_overflow")
    const text = floatText(value)
    if (text !== raw) this.rewrites++
    return text
  }

  /** Skips digits; how many there were. */
  private digits(): number {
    const start = this.index
    while (isDigit(this.units[this.index]!)) this.index++
    return this.index - start
  }
}

/** The keys of a wide object in the order of the wire, and `"key":` of each. */
interface WideKeys {
  readonly keys: Array<string>
  readonly tokens: Array<string>
}

const wideKeysOf = (shape: Shape): WideKeys => {
  const [keys, tokens] = wireKeysOf(shape)
  return { keys, tokens }
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57

/** The value of a quoted string, or undefined if it has an invalid escape. */
const decodeString = (raw: string): string | undefined => {
  try {
    // The cast: a quoted text without a bare quote inside can only be a JSON string.
    return JSON.parse(raw) as string
  } catch {
    return undefined
  }
}

const arrayText = (items: ReadonlyArray<JsonNode>): string => {
  let text = "["
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!
    if (i > 0) text += ","
    text += typeof item === "string" ? item : item.text
  }
  return text + "]"
}
