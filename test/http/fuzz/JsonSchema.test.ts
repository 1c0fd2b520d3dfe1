import { assert, it } from "@effect/vitest"
import { type JsonSchema, validator } from "./JsonSchema.ts"

const { violations } = validator({
  Name: { type: "string", minLength: 1, maxLength: 3 },
  Shop: {
    type: "object",
    required: ["name"],
    properties: {
      name: { $ref: "#/components/schemas/Name" },
      size: { anyOf: [{ type: "integer", minimum: 1, maximum: 9 }, { type: "null" }] },
      tags: { type: "array", items: { enum: ["a", "b"] }, minItems: 1, maxItems: 3, uniqueItems: true },
      opened: { type: "string", format: "date-time" },
      rate: { type: "string", pattern: "^\\d+$" },
      any: {}
    },
    additionalProperties: false
  }
})

const violationsOf = (value: unknown, schema: JsonSchema = { $ref: "#/components/schemas/Shop" }) =>
  violations(schema, value).map(({ path, why }) => `${path.join(".")} ${why}`.trim())

it("what fits a schema has no violation, and what does not is named with its place", () => {
  assert.deepStrictEqual(
    violationsOf({
      name: "💩💩💩",
      size: null,
      tags: ["a"],
      opened: "2026-01-01T00:00:00.5+01:00",
      rate: "1",
      any: [{}]
    }),
    []
  )
  assert.deepStrictEqual(violationsOf([]), ["is no object"])
  assert.deepStrictEqual(violationsOf({ nam: 1 }), ["name is missing", "nam is not declared"])
  assert.deepStrictEqual(violationsOf({ name: "four", tags: ["c", "a", "a", "b"] }), [
    "name has 4 characters, not 1 to 3",
    "tags has 4 items, not 1 to 3",
    "tags has an item twice",
    "tags.0 is none of a,b"
  ])
  assert.deepStrictEqual(violationsOf({ name: "x", size: 10 }), ["size is not within 1 to 9"])
  assert.deepStrictEqual(violationsOf({ name: "x", opened: "today", rate: "1/s" }), [
    "opened is no date-time",
    "rate does not match ^\\d+$"
  ])
  assert.deepStrictEqual(violationsOf(Infinity, { type: "number" }), [
    `is not within ${-Number.MAX_VALUE} to ${Number.MAX_VALUE}`
  ])
})

it("a keyword or a format that is not understood is an error", () => {
  // what the type does not know, as a document would bring it
  assert.throws(() => violationsOf(1, { not: {} } as JsonSchema), /not is not understood/)
  assert.throws(() => violationsOf("x", { format: "ipv4" }), /ipv4 is not understood/)
})
