/**
 * Agents send the same few objects again and again: the same keys in the same order. A `Shape` is one such row of keys
 * in the order of the wire, found by walking a tree from the empty object, one step a key. Data that does not depend on
 * the values is computed once per shape: decoded keys, their canonical order, duplicates. A step to a known key
 * compares units of text and allocates nothing.
 */
export class Shape {
  /** The last key as canonical text with its colon, `"id":`, and its UTF-16 units. */
  readonly token: string
  readonly units: Uint16Array
  /** How many keys there are. */
  readonly size: number
  /** Known next shapes, the last used first, linked through `sibling`. */
  child: Shape | undefined = undefined
  sibling: Shape | undefined = undefined
  private cachedLayout: Layout | undefined = undefined

  constructor(readonly parent: Shape | undefined, readonly key: string) {
    this.token = `${JSON.stringify(key)}:`
    this.units = new Uint16Array(this.token.length)
    for (let index = 0; index < this.token.length; index++) this.units[index] = this.token.charCodeAt(index)
    this.size = parent === undefined ? 0 : parent.size + 1
  }

  get layout(): Layout {
    return this.cachedLayout ??= layoutOfKeys(...wireKeysOf(this))
  }
}

/** The keys of a shape and their `"key":`, in the order of the wire. */
export const wireKeysOf = (shape: Shape): [keys: Array<string>, tokens: Array<string>] => {
  const keys: Array<string> = []
  const tokens: Array<string> = []
  for (let step = shape; step.parent !== undefined; step = step.parent) {
    keys.push(step.key)
    tokens.push(step.token)
  }
  return [keys.reverse(), tokens.reverse()]
}

/** How the members of one shape are laid out canonically. */
export class Layout {
  private positions: ReadonlyMap<string, number> | undefined = undefined

  constructor(
    /** Distinct keys, sorted by Unicode code point. */
    readonly keys: ReadonlyArray<string>,
    /** `"key":` of each key. */
    readonly tokens: ReadonlyArray<string>,
    /** Which member on the wire each key takes: the last of that name. Undefined: the wire's order as it is. */
    readonly order: ReadonlyArray<number> | undefined
  ) {}

  indexOf(key: string): number | undefined {
    return (this.positions ??= new Map(this.keys.map((key, position) => [key, position]))).get(key)
  }
}

/** The layout of an object with these keys on the wire, `tokens` being their `"key":`. */
export const layoutOfKeys = (keys: ReadonlyArray<string>, tokens: ReadonlyArray<string>): Layout => {
  if (keys.every((key, index) => index === 0 || compareCodePoints(keys[index - 1]!, key) < 0)) {
    return new Layout(keys, tokens, undefined)
  }
  const last = new Map<string, number>()
  for (let index = 0; index < keys.length; index++) last.set(keys[index]!, index)
  const sorted = sortKeys([...last.keys()])
  // The assertion: `sorted` has the keys of `last`.
  const order = sorted.map((key) => last.get(key)!)
  return new Layout(sorted, order.map((index) => tokens[index]!), order)
}

/** Below U+D800, where most keys are, JavaScript's own order is that of the code points, and sorts twice as fast. */
const sortKeys = (keys: Array<string>): Array<string> =>
  keys.every((key) => !/[\ud800-\uffff]/.test(key)) ? keys.sort() : keys.sort(compareCodePoints)

/** By Unicode code point: JavaScript's own order puts U+E000 to U+FFFF after the characters beyond them. */
export const compareCodePoints = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length)
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index)
    const b = right.charCodeAt(index)
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}

/** Moves surrogates, with which the characters from U+10000 are written, behind all other UTF-16 units. */
const rank = (unit: number): number => unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800

/** Each shape caches its most recently used successors. The tree is cleared at its size limit. */
const MAX_SUCCESSORS = 16
const MAX_SHAPES = 4096
/** Longer keys and objects of more keys hold data rather than names: not worth remembering. */
const MAX_KEY_LENGTH = 64
export const MAX_KEYS = 64

/** The tree of known shapes. It grows by what is read, so its size is bounded. */
export class ShapeTree {
  root = new Shape(undefined, "")
  private size = 0

  /** The known shape after one more key, whose `"key":` begins at `index`; undefined if it has to be learnt. */
  findNext(shape: Shape, units: Uint16Array, index: number): Shape | undefined {
    const first = shape.child
    if (first === undefined || matches(first.units, units, index)) return first
    for (let previous = first, next = first.sibling; next !== undefined; previous = next, next = next.sibling) {
      if (matches(next.units, units, index)) {
        previous.sibling = next.sibling
        next.sibling = first
        return shape.child = next
      }
    }
    return undefined
  }

  /** The shape after one more key, remembered. `key` must not share memory with the text it was read from. */
  insertNext(shape: Shape, key: string): Shape {
    const next = new Shape(shape, key)
    if (key.length > MAX_KEY_LENGTH || next.size > MAX_KEYS) return next
    if (++this.size > MAX_SHAPES) {
      this.root = new Shape(undefined, "")
      this.size = 0
      return next
    }
    next.sibling = shape.child
    shape.child = next
    let last = next
    for (let count = 1; count < MAX_SUCCESSORS && last.sibling !== undefined; count++) last = last.sibling
    last.sibling = undefined
    return next
  }
}

const matches = (token: Uint16Array, units: Uint16Array, index: number): boolean => {
  for (let i = 1; i < token.length; i++) { // the opening quote was seen already
    if (token[i] !== units[index + i]) return false
  }
  return true
}
