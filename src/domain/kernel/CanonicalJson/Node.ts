import type { Layout } from "./Shape.ts"

/** Canonical JSON text that was encoded or validated earlier, to splice unchanged into a larger text. */
export class CanonicalText {
  constructor(readonly text: string) {}
}

/** A string whose text holds escapes; one without them is a plain text node. */
export class JsonString extends CanonicalText {
  constructor(text: string, readonly value: string) {
    super(text)
  }
}

/** How much a container holds, with all that is within it. */
export interface JsonSize {
  /** Values at any depth. */
  readonly nodes: number
  /** Keys of the object that has the most. */
  readonly widest: number
}

export class JsonArray extends CanonicalText {
  constructor(text: string, readonly items: ReadonlyArray<JsonNode>, readonly nodes: number, readonly widest: number) {
    super(text)
  }
}

/** `values[i]` belongs to `layout.keys[i]`: distinct keys in canonical order. */
export class JsonObject extends CanonicalText {
  constructor(
    text: string,
    private readonly layout: Layout,
    readonly values: ReadonlyArray<JsonNode>,
    readonly nodes: number,
    readonly widest: number
  ) {
    super(text)
  }

  get keys(): ReadonlyArray<string> {
    return this.layout.keys
  }

  /** The member of that name. */
  get(key: string): JsonNode | undefined {
    const index = this.layout.indexOf(key)
    return index === undefined ? undefined : this.values[index]
  }

  /** Each member's canonical text and key, in canonical order. */
  forEach(visit: (json: string, key: string) => void): void {
    for (let index = 0; index < this.values.length; index++) {
      const value = this.values[index]!
      visit(typeof value === "string" ? value : value.text, this.layout.keys[index]!)
    }
  }

  /** The member at a place of `keys` as canonical text, `"key":value`. */
  memberText(index: number): string {
    const value = this.values[index]!
    return this.layout.tokens[index]! + (typeof value === "string" ? value : value.text)
  }
}

/**
 * One value of a parsed text, without loss. A scalar without escapes is its own canonical text (`null`, `true`,
 * `-12`, `1e-07`, `"abc"` with its quotes), which costs no object. `.text` of the others is their canonical text.
 */
export type JsonNode = string | JsonString | JsonArray | JsonObject

const SCALAR: JsonSize = { nodes: 1, widest: 0 }

export const sizeOf = (
  node: JsonNode
): JsonSize => (node instanceof JsonObject || node instanceof JsonArray ? node : SCALAR)

/** A string node's value in memory of its own: a slice would keep the whole text it was read from alive. */
export const copyString = (node: JsonNode): string =>
  // The cast: a string node's text is a JSON string.
  JSON.parse(typeof node === "string" ? node : node.text) as string
