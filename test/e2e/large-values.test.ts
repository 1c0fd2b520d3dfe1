import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { AgentId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import * as TaskHistory from "../../src/domain/tasks/TaskHistory.ts"
import { engines } from "../databases.ts"
import { storedTask } from "../tasks.ts"
import { adminKey, type BrainProcess, type Call, signedIn } from "./brainProcess.ts"
import { mebibyte, memoryOf } from "./memory.ts"
import { site } from "./site.ts"
import { insertInto } from "./storedTasks.ts"
import { type Batch, streaming } from "./streaming.ts"

/** More than the heap below, and than `memoryLimit`. */
const stored = 320
/** Six times what may wait for the writer. */
const arriving = 100
const text = "x".repeat(1_000_000)
const kwargs = JSON.stringify({ blob: text })

/**
 * A heap with little room for garbage: what V8 leaves uncollected on a machine that is busy with other tests says nothing
 * about the brain. A brain that held the values would end here.
 */
const settings = { NODE_OPTIONS: "--max-old-space-size=160" }

const memoryLimit = 300 * mebibyte
/** A page has at most 4 MiB of values, and at least one row, which may be larger. */
const mostPage = 6 * mebibyte

/** As versions without a cap stored it: the value is in the row and in its history. */
const historyWithKwargs = () => {
  const history = TaskHistory.emptyHistory()
  TaskHistory.addEvent(history, {
    id: randomUUID(),
    kind: "task.received",
    engine: "celery",
    taskId: "t",
    occurredAt: Timestamp.fromEpochMicros(Date.now() * 1000),
    agentId: AgentId.make(randomUUID()),
    reporter: "test",
    data: new Map([["task_name", "\"shop.orders.ship\""], ["kwargs", kwargs]])
  })
  return TaskHistory.encode(history)
}

interface Reader {
  readonly brain: BrainProcess
  readonly token: string
  readonly slug: string
}

const openExport = ({ brain, slug, token }: Reader, query: string) =>
  fetch(`${brain.url}/api/v1/projects/${slug}/tasks?${query}`, { headers: { authorization: `Bearer ${token}` } })

/** Reads a file to its end and keeps none of it. */
const lengthOf = (reader: Reader, format: string) =>
  Effect.promise(async () => {
    const response = await openExport(reader, `format=${format}`)
    assert.strictEqual(response.status, 200)
    let bytes = 0
    if (response.body !== null) { for await (const chunk of response.body) bytes += chunk.length }
    return bytes
  })

/** All tasks of the project, asked for in the largest pages: `checkPage` gets the text of each page. */
const paged = (reader: Reader, checkPage: (items: string) => void) =>
  Effect.promise(async () => {
    for (let cursor = "";;) {
      const response = await openExport(reader, `limit=500${cursor}`)
      assert.strictEqual(response.status, 200)
      const body = await response.text()
      assert.isAtMost(body.length, mostPage)
      checkPage(body)
      const next = /"next_cursor":"([^"]+)"\}$/.exec(body.slice(-200))?.[1]
      if (next === undefined) return
      cursor = `&cursor=${encodeURIComponent(next)}`
    }
  })

const batchOf = (task_id: string): Batch => ({
  id: `ev_${randomUUID().replaceAll("-", "")}`,
  events: [{
    id: randomUUID(),
    kind: "task.received",
    engine: "celery",
    task_id,
    occurred_at: Timestamp.fromEpochMicros(Date.now() * 1000),
    data: { task_name: "shop.orders.ship", queue: "celery", args: [], kwargs: { blob: text } }
  }]
})

const projectAt = (call: Call, slug: string) =>
  Effect.map(call("POST", "/projects", { slug, name: slug }), ({ json }) => String(json.id))

describe.each(engines)("large values on %s", (engine) => {
  it.scopedLive(
    "of rows that were stored without a cap are paged and exported within 300 MiB",
    () =>
      Effect.gen(function*() {
        const { brain: start, env } = yield* site(engine, settings)
        const brain = yield* start
        const call = (yield* signedIn(brain))(brain)
        const reader = { brain, token: yield* adminKey(brain), slug: "old" }
        const project = yield* projectAt(call, "old")
        const history = historyWithKwargs()
        yield* insertInto(
          engine,
          env,
          Array.from(
            { length: stored },
            (_, index) => storedTask(project, Date.now() + index, index < 20 ? { kwargs, history } : { kwargs })
          )
        )

        const memory = yield* memoryOf(brain)
        let tasks = 0
        yield* paged(reader, (page) => (tasks += page.split(kwargs).length - 1))
        assert.strictEqual(tasks, stored)
        assert.isAbove(yield* lengthOf(reader, "csv"), stored * text.length)
        const unread = yield* Effect.promise(() => openExport(reader, "format=json"))
        yield* lengthOf(reader, "xlsx")
        yield* Effect.promise(() => unread.body?.cancel() ?? Promise.resolve())
        assert.isAtMost(memory.peakBytes(), memoryLimit)
      })
  )

  it.scopedLive(
    "that arrive are truncated, and all are stored, paged and exported within 300 MiB",
    () =>
      Effect.gen(function*() {
        const { brain: start } = yield* site(engine, settings)
        const brain = yield* start
        const call = (yield* signedIn(brain))(brain)
        const reader = { brain, token: yield* adminKey(brain), slug: "new" }
        yield* projectAt(call, "new")
        const { json: agent } = yield* call("POST", "/projects/new/agents", { name: "agent" })
        const credentials = { token: String(agent.token), hmac_secret: String(agent.hmac_secret) }

        const memory = yield* memoryOf(brain)
        const taskIds = Array.from({ length: arriving }, () => randomUUID())
        const { done, streamer } = yield* streaming(credentials, [brain.url], taskIds.map(batchOf), 100)
        yield* Effect.promise(() => done)
        assert.strictEqual(streamer.rejected, 0)
        const found: Array<string> = []
        yield* paged(reader, (page) => {
          for (const { kwargs: shown, task_id } of JSON.parse(page).items) {
            found.push(task_id)
            assert.strictEqual(shown.svc_truncated, true)
            assert.strictEqual(shown.bytes, kwargs.length)
            assert.isTrue(kwargs.startsWith(shown.begins))
          }
        })
        assert.deepStrictEqual(found.sort(), taskIds.sort())
        assert.isAbove(yield* lengthOf(reader, "csv"), arriving * 200_000)
        yield* lengthOf(reader, "xlsx")
        assert.isAtMost(memory.peakBytes(), memoryLimit)
      })
  )
})
