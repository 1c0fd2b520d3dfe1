import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import * as Json from "../../../src/domain/kernel/CanonicalJson.ts"

const vectors = new URL("../../protocol/vectors/", import.meta.url)
const readVectors = (name: string) => readFileSync(new URL(name, vectors), "utf8")

const parsed = (text: string, options?: { readonly maxDepth?: number }): Json.JsonNode => {
  const node = Json.parse(text, options)
  if (node instanceof Json.ParseFailure) throw new Error(`${node.reason} at ${node.index}`)
  return node
}
const canonicalOf = (text: string): string => Json.canonicalTextOf(parsed(text))
const reasonOf = (text: string, options?: { readonly maxDepth?: number }): string | undefined => {
  const node = Json.parse(text, options)
  return node instanceof Json.ParseFailure ? node.reason : undefined
}
const objectOf = (text: string): Json.JsonObject => {
  const node = parsed(text)
  assert.instanceOf(node, Json.JsonObject)
  return node
}

/** The printing rule as the protocol words it, from the digits of toExponential. */
const referenceFloat = (value: number): string => {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0"
  const [mantissa = "", power = ""] = Math.abs(value).toExponential().split("e")
  const digits = mantissa.replace(".", "")
  const exponent = Number(power)
  const sign = value < 0 ? "-" : ""
  if (exponent < -4 || exponent >= 16) {
    const fraction = digits.length > 1 ? `.${digits.slice(1)}` : ""
    return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0")
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`
}

const byCodePoint = (left: string, right: string): number => {
  const [a, b] = [Array.from(left), Array.from(right)]
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = a[i]!.codePointAt(0)! - b[i]!.codePointAt(0)!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** A document as a test sees it: numbers are their tokens, objects keep the order and the duplicates of the wire. */
type Document =
  | { readonly scalar: string; readonly canonical: string }
  | { readonly array: ReadonlyArray<Document> }
  | { readonly object: ReadonlyArray<readonly [string, Document]> }

const someString = fc.oneof(
  fc.string(),
  fc.fullUnicodeString(),
  fc.stringOf(fc.constantFrom("\"", "\\", "\n", "\u0000", "\u001f", "\u007f", "\u2028", "/", "é", "😀", "\uff5e", "a"))
)
const someFloat = fc.double({ noNaN: true, noDefaultInfinity: true })
const scalar: fc.Arbitrary<Document> = fc.oneof(
  fc.constantFrom("null", "true", "false").map((word) => ({ scalar: word, canonical: word })),
  fc.bigInt().map((value) => ({ scalar: String(value), canonical: String(value) })),
  someFloat.map((value) => ({
    scalar: /[.e]/.test(String(value)) ? String(value) : `${String(value)}.0`,
    // String(-0) is "0", so the token of minus zero is plain zero
    canonical: referenceFloat(value === 0 ? 0 : value)
  })),
  someString.map((value) => ({ scalar: JSON.stringify(value), canonical: JSON.stringify(value) }))
)
const someDocument: fc.Arbitrary<Document> = fc.letrec<{ node: Document }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.array(tie("node"), { maxLength: 5 }).map((array) => ({ array })),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom("id", "kind", "data", "a", "b"), someString), tie("node")), {
      maxLength: 6
    }).map((object) => ({ object }))
  )
})).node

const printed = (document: Document): string => {
  if ("scalar" in document) return document.scalar
  if ("array" in document) return `[${document.array.map(printed).join(",")}]`
  return `{${document.object.map(([key, value]) => `${JSON.stringify(key)}:${printed(value)}`).join(",")}}`
}

/** The same document in other clothes: white space everywhere, each character escaped. */
const dressed = (document: Document): string => {
  if ("scalar" in document) {
    return document.scalar.startsWith("\"") ? dressedString(JSON.parse(document.scalar)) : ` ${document.scalar}\n`
  }
  if ("array" in document) return `\t[ ${document.array.map(dressed).join(" , ")}]`
  return `\r\n{ ${document.object.map(([key, value]) => `${dressedString(key)} : ${dressed(value)}`).join(" ,")} }`
}
const dressedString = (value: string): string => {
  let text = ""
  for (let i = 0; i < value.length; i++) text += `\\u${value.charCodeAt(i).toString(16).toUpperCase().padStart(4, "0")}`
  return `"${text}"`
}

const reference = (document: Document): string => {
  if ("scalar" in document) return document.canonical
  if ("array" in document) return `[${document.array.map(reference).join(",")}]`
  const members = [...new Map(document.object)].sort(([left], [right]) => byCodePoint(left, right))
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${reference(value)}`).join(",")}}`
}

describe("numbers", () => {
  it("reads objects of many keys as those of few: sorted, of two the last, at any depth", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 4 }), fc.integer()), {
          minLength: 50,
          maxLength: 300
        }),
        (members) => {
          const text = `{${
            members.map(([key, value]) => `${JSON.stringify(key.toWellFormed())}: ${value}`).join(" ,")
          }}`
          const whole = `[{"a":${text}},${text}]`
          assert.strictEqual(canonicalOf(whole), Json.canonicalize(JSON.parse(whole)))
          const keys = new Map(members.map(([key, value]) => [key.toWellFormed(), value]))
          for (const [key, value] of keys) assert.strictEqual(objectOf(text).get(key), String(value))
        }
      ),
      { numRuns: 50 }
    )
  })

  it("counts the values of a container and the keys of its widest object", () => {
    const extent = (text: string) => {
      const { nodes, widest } = Json.extentOf(parsed(text))
      return { nodes, widest }
    }
    assert.deepStrictEqual(extent("1"), { nodes: 1, widest: 0 })
    assert.deepStrictEqual(extent("[]"), { nodes: 1, widest: 0 })
    assert.deepStrictEqual(extent(`{"a":[1,2,{"b":1,"c":{}}],"d":3}`), { nodes: 8, widest: 2 })
    assert.deepStrictEqual(extent(`[{"a":1,"b":2,"c":3},{"a":1}]`), { nodes: 7, widest: 3 })
    const inner = objectOf(`{"x":{"a":1,"b":2,"c":3},"y":{"a":1}}`).get("y")!
    assert.deepStrictEqual([Json.extentOf(inner).nodes, Json.extentOf(inner).widest], [2, 1])
  })

  const numbers: ReadonlyArray<{ token: string; kind: string; canonical: string }> = JSON.parse(
    readVectors("numbers.json")
  )
  it.each(numbers)("$token is the $kind $canonical", ({ canonical, kind, token }) => {
    assert.strictEqual(canonicalOf(token), canonical)
    assert.strictEqual(canonicalOf(`{"b":[${token}],"a":1}`), `{"a":1,"b":[${canonical}]}`)
    assert.strictEqual(/[.e]/.test(canonical) ? "float" : "int", kind)
  })

  it("prints every float as the reference does", () => {
    const bits = new DataView(new ArrayBuffer(8))
    const anyFloat = fc.oneof(
      someFloat,
      fc.bigUintN(64).map((value) => {
        bits.setBigUint64(0, value)
        return bits.getFloat64(0)
      }).filter(Number.isFinite),
      fc.tuple(fc.integer(), fc.integer({ min: -20, max: 20 })).map(([digits, power]) => Number(`${digits}e${power}`))
    )
    fc.assert(
      fc.property(anyFloat, (value) => {
        const token = Object.is(value, -0) ? "-0e0" : value.toExponential()
        assert.strictEqual(canonicalOf(token), referenceFloat(value))
        assert.strictEqual(Json.canonicalize(Json.float(value)), referenceFloat(value))
      }),
      { numRuns: 5000 }
    )
  })

  it.each(["1e400", "-1e400", "1.8e308"])("refuses %s, which binary64 cannot hold", (token) => {
    assert.strictEqual(reasonOf(token), "number_overflow")
  })

  it("keeps all digits of an integer of any length", () => {
    const digits = "9".repeat(100_000)
    assert.strictEqual(canonicalOf(`[-${digits}]`), `[-${digits}]`)
  })
})

describe("canonical text", () => {
  const digests = parsed(readVectors("schedule-digests.json"))
  assert.instanceOf(digests, Json.JsonArray)
  it.each(digests.items.map((item, index) => [index, item] as const))("schedule digest %i", (_, item) => {
    assert.instanceOf(item, Json.JsonObject)
    const digest = createHash("sha256").update(Json.canonicalTextOf(item.get("body")!)).digest("hex")
    assert.strictEqual(digest, Json.asString(item.get("digest")))
  })

  it("is what the reference prints, however the text is dressed", () => {
    fc.assert(fc.property(someDocument, (document) => {
      assert.strictEqual(canonicalOf(printed(document)), reference(document))
      assert.strictEqual(canonicalOf(dressed(document)), reference(document))
    }))
  })

  it("is JSON, and its own canonical text, at each node", () => {
    const check = (node: Json.JsonNode): void => {
      assert.strictEqual(canonicalOf(Json.canonicalTextOf(node)), Json.canonicalTextOf(node))
      JSON.parse(Json.canonicalTextOf(node))
      if (node instanceof Json.JsonArray) node.items.forEach(check)
      if (node instanceof Json.JsonObject) node.values.forEach(check)
    }
    fc.assert(fc.property(someDocument, (document) => check(parsed(printed(document)))))
  })

  it("sorts keys by code point where UTF-16 would not", () => {
    const keys = ["\u{1f600}", "\uff5e", "\ue000", "a", "Z", "", "aa", "é", "\u{10000}", "a\u{1f600}", "a\uffff"]
    const text = canonicalOf(`{${keys.map((key) => `${JSON.stringify(key)}:0`).join(",")}}`)
    assert.deepStrictEqual(Object.keys(JSON.parse(text)), [...keys].sort(byCodePoint))
  })

  it("takes the last of duplicate keys, however they are spelled", () => {
    assert.strictEqual(canonicalOf(`{"a":1,"b":2,"\\u0061":3}`), `{"a":3,"b":2}`)
    assert.strictEqual(canonicalOf(`{"a":1,"a":2}`), `{"a":2}`)
  })

  it("is right for more shapes of objects than are remembered", () => {
    for (let i = 0; i < 10_000; i++) {
      const [outer, inner] = [`b${i % 7000}`, `y${i % 50}`]
      const text = canonicalOf(`{"${outer}":{"z":1,"${inner}":2},"a":[]}`)
      assert.strictEqual(text, `{"a":[],"${outer}":{"${inner}":2,"z":1}}`)
    }
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${20_000 - i}`)
    const text = canonicalOf(`{${keys.map((key) => `"${key}":1`).join(",")}}`)
    assert.deepStrictEqual(Object.keys(JSON.parse(text)), keys.sort(byCodePoint))
  })
})

describe("parse", () => {
  /** What JSON.parse would take though the line refuses it. */
  const stricter = new Set(["too_deep", "lone_surrogate", "number_overflow"])

  /** Reads `-0` as `0`, which the canonical form makes of the integer. */
  const unsigned = (text: string): unknown => JSON.parse(text, (_, value) => value === 0 ? 0 : value)

  const disagreement = (text: string): string | undefined => {
    const node = Json.parse(text)
    let expected: string | undefined
    try {
      expected = JSON.stringify(unsigned(text))
    } catch {
      expected = undefined
    }
    if (node instanceof Json.ParseFailure) {
      return expected === undefined || stricter.has(node.reason) ? undefined : `refused as ${node.reason}`
    }
    if (expected === undefined) return "taken"
    return sorted(unsigned(Json.canonicalTextOf(node))) === sorted(JSON.parse(expected)) ? undefined : "another value"
  }

  // The cast: both callers pass what JSON.parse has made.
  const sorted = (value: unknown): string => Json.canonicalize(value as Json.JsonInput)

  it("takes and refuses what JSON.parse does, for any change of a text", () => {
    const noise = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\"",
      "\\",
      "\\u",
      "\\ud800",
      "\ud800",
      "0",
      "-",
      "+",
      ".",
      "e",
      "E",
      "1",
      "null",
      "tru",
      "NaN",
      "Infinity",
      " ",
      "\n",
      "\u0000",
      "\u00a0",
      "\ufeff",
      "//",
      "'",
      "\\x",
      "\\u00e9"
    )
    const change = fc.record({ index: fc.nat(), remove: fc.nat(3), insert: fc.array(noise, { maxLength: 2 }) })
    fc.assert(
      fc.property(someDocument, fc.array(change, { maxLength: 3 }), (document, changes) => {
        let text = printed(document)
        for (const { index, insert, remove } of changes) {
          const from = index % (text.length + 1)
          text = text.slice(0, from) + insert.join("") + text.slice(from + remove)
        }
        assert.isUndefined(disagreement(text))
      }),
      { numRuns: 3000 }
    )
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 8 }), (pieces) => {
        assert.isUndefined(disagreement(pieces.join("")))
      }),
      { numRuns: 3000 }
    )
  })

  it.each([
    "",
    " ",
    "{",
    "[",
    "\"",
    "\"\\",
    "\"\\u12",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1,",
    "{\"a\":1,}",
    "[1,]",
    "[,1]",
    "{,}",
    "01",
    "-",
    "-01",
    "1.",
    ".5",
    "1e",
    "1e+",
    "+1",
    "0x10",
    "NaN",
    "-Infinity",
    "nul",
    "'a'",
    "[1] 2",
    "\ufeff{}",
    "\"\n\"",
    "\"\\x41\"",
    "{a:1}",
    "{1:1}",
    "\u00a01",
    "\"a\u0000b\"",
    "\u0000",
    "[1\u0000]",
    "{} \u0000"
  ])("refuses %j", (text) => {
    assert.strictEqual(reasonOf(text), "syntax")
  })

  it("does not read what an earlier, longer text has left behind", () => {
    parsed(`"${"x".repeat(100)}"`)
    for (const text of ["\"", "\"\\", "\"ab\\", "tru", "1.", "[1", "{\"x"]) assert.strictEqual(reasonOf(text), "syntax")
  })

  it.each(["\"\ud83d\"", "\"\ude00\"", "\"\\ud83d\"", "\"\\ude00\\ud83d\"", "{\"\\ud800\":1}", "\"\ud83dx\""])(
    "refuses the lone surrogate in %j",
    (text) => {
      assert.strictEqual(reasonOf(text), "lone_surrogate")
    }
  )

  it("takes 128 containers within each other and not 129", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`
    const mixed = (depth: number) => `${"{\"a\":[".repeat(depth / 2)}${"]}".repeat(depth / 2)}`
    assert.strictEqual(canonicalOf(nested(128)), nested(128))
    assert.strictEqual(canonicalOf(mixed(128)), mixed(128))
    assert.strictEqual(reasonOf(nested(129)), "too_deep")
    assert.strictEqual(reasonOf("[".repeat(1_000_000)), "too_deep")
    assert.strictEqual(reasonOf("{\"a\":".repeat(200_000)), "too_deep")
    assert.strictEqual(reasonOf("[[]]", { maxDepth: 1 }), "too_deep")
    assert.strictEqual(reasonOf(`[${"[],".repeat(1000)}[]]`, { maxDepth: 2 }), undefined)
  })

  it("takes megabytes in one string, many members and many items", () => {
    const long = "é\\n😀x".repeat(500_000)
    assert.strictEqual(canonicalOf(`{"b":"${long}","a":1}`), `{"a":1,"b":"${long}"}`)
    const wide = `[${"{\"b\":1,\"a\":[2.50]},".repeat(100_000)}0]`
    assert.strictEqual(canonicalOf(wide), `[${"{\"a\":[2.5],\"b\":1},".repeat(100_000)}0]`)
  })
})

describe("nodes", () => {
  it("find members by name and read scalars", () => {
    const node = objectOf(`{"s":"a","e":"\\u0000\\"","i":-12,"f":1.0,"big":9007199254740993,"n":null,"__proto__":7}`)
    assert.deepStrictEqual(node.keys, ["__proto__", "big", "e", "f", "i", "n", "s"])
    assert.strictEqual(Json.asString(node.get("s")), "a")
    assert.strictEqual(Json.asString(node.get("e")), "\u0000\"")
    assert.strictEqual(Json.ownString(node.get("e")!), "\u0000\"")
    assert.strictEqual(Json.ownString(node.get("s")!), "a")
    assert.isUndefined(Json.asString(node.get("i")))
    assert.isUndefined(Json.asString(node.get("missing")))
    assert.strictEqual(Json.asInt(node.get("i")), -12)
    for (const key of ["f", "big", "n", "s", "e", "missing"]) assert.isUndefined(Json.asInt(node.get(key)))
    assert.strictEqual(node.get("n"), "null")
    assert.isUndefined(node.get("toString"))
  })

  it("become plain values", () => {
    const value = Json.toValue(parsed(`{"a":[1,2.50,null,true,false,"x","\\n",9007199254740993],"__proto__":{"b":-0}}`))
    assert.deepStrictEqual(Object.keys(value as object), ["__proto__", "a"])
    assert.deepStrictEqual((value as { a: unknown }).a, [1, 2.5, null, true, false, "x", "\n", 9007199254740993n])
    assert.strictEqual(Object.getPrototypeOf(value), Object.prototype)
  })
})

describe("canonicalize", () => {
  it("prints plain values as parsing their JSON would", () => {
    // JSON.stringify writes integers from 1e21 on as floats, canonicalize does not.
    const values = fc.jsonValue({ noUnicodeString: false }).filter((value) => !/\d[eE]/.test(JSON.stringify(value)))
    fc.assert(fc.property(values, (value) => {
      // The cast: fast-check types its JSON values as unknown.
      assert.strictEqual(Json.canonicalize(value as Json.JsonInput), canonicalOf(JSON.stringify(value)))
    }))
  })

  it("prints large integers with the digits that JSON.stringify gives them", () => {
    for (const value of [38978120780683370, 2 ** 53, -(2 ** 60), 123456789012345680000]) {
      assert.strictEqual(Json.canonicalize(value), JSON.stringify(value))
    }
  })

  it("prints holes, and keys that UTF-8 cannot distinguish, as JSON can have them", () => {
    assert.strictEqual(Json.canonicalize(Object.assign([1], { 2: 3 })), "[1,null,3]")
    assert.strictEqual(Json.canonicalize({ "\ud800": 1, "\u{10000}": 2, "\udc00": 3 }), `{"\ufffd":3,"\u{10000}":2}`)
  })

  it("keeps integers integers, floats floats, and text what it was", () => {
    const input = {
      z: 1,
      big: 12345678901234567890n,
      huge: 1e21,
      zero: -0,
      half: 0.5,
      small: 1e-7,
      one: Json.float(1),
      nan: Number.NaN,
      inf: Json.float(Number.POSITIVE_INFINITY),
      none: undefined,
      "\ud800": "\udc00",
      array: [true, null, "\u007f\n"],
      spliced: Json.toCanonicalText(parsed("\"1.0\"")),
      args: parsed("[1.0,{\"b\":1,\"a\":2}]") as Json.JsonArray
    }
    assert.strictEqual(
      Json.canonicalize(input),
      "{\"args\":[1.0,{\"a\":2,\"b\":1}],\"array\":[true,null,\"\u007f\\n\"],\"big\":12345678901234567890," +
        "\"half\":0.5,\"huge\":1000000000000000000000,\"inf\":null,\"nan\":null,\"one\":1.0,\"small\":1e-07," +
        "\"spliced\":\"1.0\",\"z\":1,\"zero\":0,\"\ufffd\":\"\ufffd\"}"
    )
  })
})
