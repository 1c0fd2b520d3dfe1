import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readdirSync } from "node:fs"
import * as Json from "../../src/domain/kernel/CanonicalJson.ts"
import type { EventData } from "../../src/domain/kernel/TaskEvent.ts"
import { readEvent, readEvents } from "../../src/protocol/Event.ts"
import { MAX_EVENT_NODES, MAX_FRAME_NODES, MAX_KEYS } from "../../src/protocol/Payload.ts"
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

/** When the frames of these tests arrived. */
const arrivedAt = Date.UTC(2026, 10, 27, 12)

const read = (event: unknown) => readGood(parsed(JSON.stringify(event)))

const fieldsOf = (data: EventData): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  data.forEach((json, field) => {
    fields[field] = JSON.parse(json)
  })
  return fields
}

const readGood = (node: Json.JsonNode) => {
  const event = readEvent(node, arrivedAt)
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
      assert.deepStrictEqual(fieldsOf(data), event.data)
    }
  })

  const kwargs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
  const withKwargs = (count: number) => ({ ...good, data: { kwargs: kwargs(count) } })

  const tooWide = `[an object of more than ${MAX_KEYS} keys: left out]`
  const tooMany = `[more than ${MAX_EVENT_NODES} values: left out]`

  it("replaces the field with an object of too many keys, at any depth", () => {
    assert.deepStrictEqual(fieldsOf(read(withKwargs(MAX_KEYS)).data), { kwargs: kwargs(MAX_KEYS) })
    const args = [[[kwargs(MAX_KEYS + 1)]], { a: {} }]
    const data = { task_name: "a.b", args, kwargs: kwargs(MAX_KEYS + 1), result: 1 }
    assert.deepStrictEqual(fieldsOf(read({ ...good, data }).data), {
      task_name: "a.b",
      args: tooWide,
      kwargs: tooWide,
      result: 1,
      svc_altered: ["args", "kwargs"]
    })
  })

  it("replaces the largest fields of an event of too many values", () => {
    const list = (count: number) => Array.from({ length: count }, () => [1])
    assert.deepStrictEqual(fieldsOf(read({ ...good, data: { args: list(MAX_EVENT_NODES / 2 - 10) } }).data), {
      args: list(MAX_EVENT_NODES / 2 - 10)
    })
    const data = { args: list(5000), kwargs: { a: list(2) }, result: list(MAX_EVENT_NODES / 2) }
    assert.deepStrictEqual(fieldsOf(read({ ...good, data }).data), {
      args: list(5000),
      kwargs: { a: list(2) },
      result: tooMany,
      svc_altered: ["result"]
    })
  })

  it("keeps what a task shows of data with too many keys, and nothing beside an event's own members", () => {
    const node = parsed(
      JSON.stringify({ ...good, data: { ...kwargs(MAX_KEYS + 1), queue: "mail" }, more: kwargs(2000) })
    )
    const { data, ...rest } = readGood(node)
    assert.deepStrictEqual(fieldsOf(data), { queue: "mail", svc_altered: ["data"] })
    const { data: _, ...plain } = read(good)
    assert.deepStrictEqual(rest, plain)
  })

  it("refuses a publication of schedules with too many keys; a snapshot may fill its frame", () => {
    const snapshot = { ...good, kind: "schedule.snapshot" }
    const reasonOf = (data: unknown) => readEvent(parsed(JSON.stringify({ ...snapshot, data })), arrivedAt)
    assert.isObject(reasonOf({ args: Array.from({ length: MAX_EVENT_NODES }, () => [1]) }))
    assert.strictEqual(reasonOf({ kwargs: kwargs(MAX_KEYS + 1) }), "too_many_keys")
  })

  it("replaces values of the events that a frame has too many values with, and not of those beside them", () => {
    const large = { ...good, data: { args: Array.from({ length: 18_000 }, () => 1), queue: "mail" } }
    const events = parsed(JSON.stringify([good, large, large, large, large, large, large, good]))
    assert.instanceOf(events, Json.JsonArray)
    const altered = readEvents({ events: events.items }, arrivedAt).map((event) =>
      typeof event === "string" ? event : fieldsOf(event.data)["svc_altered"]
    )
    assert.isBelow(5 * 18_000, MAX_FRAME_NODES)
    const none = undefined
    assert.deepStrictEqual(altered, [none, none, none, none, none, none, ["args"], none])
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

  const name = "x".repeat(501)
  const truncateName = (most: number, text = name) =>
    `${text.slice(0, most - 14)}[${createHash("sha256").update(text, "utf16le").digest("hex").slice(0, 12)}]`

  it.each<[field: string, invalid: object, read: object]>([
    ["engine", { engine: null }, { engine: "unknown" }],
    ["engine", { engine: name }, { engine: truncateName(40) }],
    ["engine", { engine: "a\0" }, { engine: `a\ufffd[${truncateName(14, "a\0").slice(-13)}` }],
    ["task_id", { task_id: name }, { taskId: truncateName(200) }],
    ["task_id", { task_id: "a\0" }, { taskId: `a\ufffd[${truncateName(14, "a\0").slice(-13)}` }],
    ["kind", { kind: null }, { kind: "unknown" }],
    ["occurred_at", { occurred_at: "2026-11-21T06:56:27" }, { occurredAt: "2026-11-27T12:00:00.000000Z" }],
    ["occurred_at", { occurred_at: 1795243586 }, { occurredAt: "2026-11-27T12:00:00.000000Z" }],
    ["occurred_at", { occurred_at: "10000-01-01T00:00:00Z" }, { occurredAt: "2026-11-27T12:00:00.000000Z" }],
    ["occurred_at", { occurred_at: "1999-12-31T23:59:59.999999Z" }, { occurredAt: "2026-11-27T12:00:00.000000Z" }],
    ["occurred_at", { occurred_at: "2200-01-01T00:00:00Z" }, { occurredAt: "2026-11-27T12:00:00.000000Z" }]
  ])("changes %s alone: %j", (field, invalid, changed) => {
    const { data, ...rest } = read({ ...good, ...invalid })
    const { data: _, ...plain } = read(good)
    assert.deepEqual<unknown>(rest, { ...plain, ...changed })
    assert.deepStrictEqual(fieldsOf(data), { ...good.data, svc_altered: [field] })
  })

  it.each<[field: string, value: unknown, read: unknown]>([
    ["task_name", name, truncateName(500)],
    ["queue", name, truncateName(200)],
    ["worker", "w\0", `w\ufffd[${truncateName(14, "w\0").slice(-13)}`],
    ["parent_task_id", name, truncateName(200)],
    ["root_task_id", name, truncateName(200)],
    ["eta", "+275760-09-13T00:00:00.000Z", null],
    ["eta", "0001-01-01T00:00:00Z", null],
    ["eta", 8.64e15, null],
    ["runtime_ms", 1e308, null]
  ])("changes data.%s alone: %j", (field, value, changed) => {
    const { data } = read({ ...good, data: { ...good.data, [field]: value } })
    assert.deepStrictEqual(fieldsOf(data), { ...good.data, [field]: changed, svc_altered: [field] })
  })

  it("keeps names of the greatest length, whatever their characters", () => {
    const names = { task_name: "\"".repeat(500), queue: "\u{1f4a5}".repeat(100), worker: "\u0001".repeat(200) }
    assert.deepStrictEqual(fieldsOf(read({ ...good, data: names }).data), names)
  })

  it("reads a number as a task id, and any other value as none", () => {
    assert.deepInclude(read({ ...good, task_id: 12 }), { taskId: "12" })
    assert.deepInclude(read({ ...good, task_id: null }), { taskId: "" })
  })

  it.each([
    "3f6bbaea",
    7,
    "3f6bbaea-967e-4f7c-8876-50682160449g",
    "3f6bbaea+967e-4f7c-8876-50682160449a",
    "x".repeat(32)
  ])(
    "gives an event with the id %j one that is the same when it is sent again",
    (id) => {
      const event = read({ ...good, id })
      assert.match(event.id, /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/)
      assert.strictEqual(read({ ...good, id }).id, event.id)
      assert.notStrictEqual(read({ ...good, id, task_id: "other" }).id, event.id)
    }
  )

  it("adds to the fields that the agent has changed", () => {
    const data = { queue: name, svc_altered: ["args", 7, name] }
    assert.deepStrictEqual(fieldsOf(read({ ...good, data }).data)["svc_altered"], ["args", "queue", truncateName(64)])
  })

  it.each([null, 1, "x", []])("%j is no event", (event) => {
    assert.strictEqual(readEvent(parsed(JSON.stringify(event)), arrivedAt), "not_an_object")
  })

  it("leaves a NUL inside the data alone, where it stays an escape", () => {
    assert.isObject(read({ ...good, data: { args: ["a\0"] } }))
  })
})
