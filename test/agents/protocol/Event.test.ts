import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { readEvent, readEvents } from "../../../src/agents/protocol/Event.ts"
import { MAX_EVENT_NODES, MAX_FRAME_NODES, MAX_KEYS } from "../../../src/agents/protocol/Payload.ts"
import * as Json from "../../../src/domain/CanonicalJson.ts"
import { vectorText } from "./Vectors.ts"

const good = {
  id: "3f6bbaea-967e-4f7c-8876-50682160449a",
  kind: "task.succeeded",
  engine: "celery",
  task_id: "8f4fa933-d691-4897-9dcf-388ffd14a917",
  occurred_at: "2026-11-21T06:56:27.769769+00:00",
  data: { task_name: "a.b", result: null }
}

const parsed = (text: string): Json.JsonNode => {
  const node = Json.parse(text)
  if (node instanceof Json.ParseFailure) throw new Error(node.reason)
  return node
}

const read = (event: unknown) => readEvent(parsed(JSON.stringify(event)))

const readGood = (node: Json.JsonNode) => {
  const event = readEvent(node)
  if (typeof event === "string") throw new Error(event)
  return event
}

describe("readEvent", () => {
  const sequences = readdirSync(new URL("vectors/sequences/", import.meta.url))
  it.each(sequences)("reads every event of %s", (file) => {
    const recorded = parsed(vectorText(`sequences/${file}`))
    assert.instanceOf(recorded, Json.JsonArray)
    for (const item of recorded.items) {
      assert.instanceOf(item, Json.JsonObject)
      const node = item.get("event")!
      const { data, ...rest } = readGood(node)
      const event = JSON.parse(Json.canonicalTextOf(node))
      assert.deepEqual<unknown>(rest, {
        id: event.id,
        kind: event.kind,
        engine: event.engine,
        taskId: event.task_id,
        occurredAt: event.occurred_at.replace("+00:00", "Z")
      })
      const fields: Record<string, unknown> = {}
      data.forEach((json, field) => {
        fields[field] = JSON.parse(json)
      })
      assert.deepStrictEqual(fields, event.data)
    }
  })

  const kwargs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
  const withKwargs = (count: number) => ({ ...good, data: { kwargs: kwargs(count) } })

  it("refuses an object of too many keys, at any depth", () => {
    assert.isObject(read(withKwargs(MAX_KEYS)))
    assert.strictEqual(read(withKwargs(MAX_KEYS + 1)), "too_many_keys")
    assert.strictEqual(read({ ...good, data: { args: [[[kwargs(MAX_KEYS + 1)]], { a: {} }] } }), "too_many_keys")
  })

  it("refuses an event of too many values; a snapshot may fill its frame", () => {
    const args = (count: number) => ({ ...good, data: { args: Array.from({ length: count }, () => [1]) } })
    assert.isObject(read(args(MAX_EVENT_NODES / 2 - 10)))
    assert.strictEqual(read(args(MAX_EVENT_NODES / 2)), "too_many_values")
    assert.isObject(read({ ...args(MAX_EVENT_NODES / 2), kind: "schedule.snapshot" }))
  })

  it("refuses the events that a frame has too many values with, and not those beside them", () => {
    const large = { ...good, data: { args: Array.from({ length: 18_000 }, () => 1) } }
    const events = parsed(JSON.stringify([good, large, large, large, large, large, large, good]))
    assert.instanceOf(events, Json.JsonArray)
    const reasons = readEvents({ events: events.items }).map((event) => (typeof event === "string" ? event : "taken"))
    assert.isBelow(5 * 18_000, MAX_FRAME_NODES)
    assert.deepStrictEqual(reasons, ["taken", "taken", "taken", "taken", "taken", "taken", "too_many_values", "taken"])
  })

  it("brings ids, engines and times to one form, and an unknown kind to unknown", () => {
    const { data: _, ...rest } = readGood(parsed(JSON.stringify({
      ...good,
      id: "3F6BBAEA967E4F7C887650682160449A",
      kind: "task.teleported",
      engine: "Celery",
      task_id: "",
      occurred_at: "2026-11-21T08:56:27+02:00"
    })))
    assert.deepEqual<unknown>(rest, {
      id: "3f6bbaea-967e-4f7c-8876-50682160449a",
      kind: "unknown",
      engine: "celery",
      taskId: "",
      occurredAt: "2026-11-21T06:56:27.000000Z"
    })
  })

  it.each([
    ["bad_id", { id: "3f6bbaea" }],
    ["bad_id", { id: 7 }],
    ["bad_id", { id: "3f6bbaea-967e-4f7c-8876-50682160449g" }],
    ["bad_id", { id: "3f6bbaea+967e-4f7c-8876-50682160449a" }],
    ["bad_id", { id: "3f6bbaea-967e-4f7c-8876-50682160449" }],
    ["bad_id", { id: "x".repeat(32) }],
    ["bad_kind", { kind: null }],
    ["bad_engine", { engine: null }],
    ["bad_engine", { engine: "x".repeat(41) }],
    ["bad_task_id", { task_id: 12 }],
    ["bad_task_id", { task_id: "x".repeat(201) }],
    ["bad_time", { occurred_at: "2026-11-21T06:56:27" }],
    ["bad_time", { occurred_at: 1795243586 }],
    ["bad_time", { occurred_at: "10000-01-01T00:00:00Z" }],
    ["absurd_time", { occurred_at: "0000-01-01T00:00:00Z" }],
    ["absurd_time", { occurred_at: "1999-12-31T23:59:59.999999Z" }],
    ["absurd_time", { occurred_at: "2200-01-01T00:00:00Z" }],
    ["bad_data", { data: null }],
    ["bad_data", { data: [] }],
    ["nul_character", { engine: "a\0" }],
    ["nul_character", { task_id: "a\0" }],
    ["nul_character", { data: { task_name: "a\0" } }],
    ["nul_character", { data: { queue: "\0" } }],
    ["nul_character", { data: { worker: "\0" } }]
  ])("%s: %j", (reason, wrong) => {
    assert.strictEqual<unknown>(read({ ...good, ...wrong }), reason)
  })

  it.each([null, 1, "x", []])("%j is no event", (event) => {
    assert.strictEqual(read(event), "not_an_object")
  })

  it("leaves a NUL inside the data alone, where it stays an escape", () => {
    assert.isObject(read({ ...good, data: { args: ["a\0"] } }))
  })
})
