import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../src/domain/kernel/CanonicalJson.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { connectAgent, type Options, type TestAgent } from "../agent.ts"
import type { Call } from "./brainProcess.ts"

type Event = Readonly<Record<string, JsonInput>>

/** What an agent keeps until it is acknowledged. */
export interface Batch {
  readonly id: string
  readonly events: ReadonlyArray<Event>
}

/** The tasks of a run, and what their agent reports of them. */
export interface Run {
  readonly taskIds: ReadonlyArray<string>
  /** Ids of events by task. */
  readonly eventIds: ReadonlyMap<string, ReadonlyArray<string>>
  readonly batches: ReadonlyArray<Batch>
}

/** Tasks that are under way at the same time. */
const together = 40

/** `count` tasks that are received, started and succeed, `size` events a batch. */
export const runOf = (count: number, size: number): Run => {
  const begun = Date.now()
  const taskIds = Array.from({ length: count }, () => randomUUID())
  const eventIds = new Map<string, Array<string>>(taskIds.map((id) => [id, []]))
  const events: Array<Event> = []
  const addEvent = (task_id: string, kind: string, data: Event) => {
    const id = randomUUID()
    eventIds.get(task_id)?.push(id)
    const occurred_at = Timestamp.fromEpochMicros((begun + events.length) * 1000)
    const common = { task_name: "shop.pay", queue: "celery", worker: "w@box", priority: "normal" }
    events.push({ id, kind, engine: "celery", task_id, occurred_at, data: { ...common, ...data } })
  }
  for (let index = 0; index < count; index += together) {
    const ids = taskIds.slice(index, index + together)
    for (const id of ids) addEvent(id, "task.received", { args: [index], kwargs: {} })
    for (const id of ids) addEvent(id, "task.started", {})
    for (const id of ids) addEvent(id, "task.succeeded", { result: index, runtime_ms: 12 })
  }
  const batches: Array<Batch> = []
  for (let index = 0; index < events.length; index += size) {
    batches.push({ id: `ev_${randomUUID().replaceAll("-", "")}`, events: events.slice(index, index + size) })
  }
  return { taskIds, eventIds, batches }
}

const pause = (millis: number) => new Promise<void>((resolve) => setTimeout(resolve, millis))

/**
 * An agent that sends batches as the published ones do: some in flight, each kept until its ack, and all that is
 * without one sent again on the next connection, for ever.
 */
export class Streamer {
  private readonly unacked: Map<string, Batch>
  private readonly watchers = new Set<() => void>()
  private agent: TestAgent | null = null
  private over = false
  connections = 0
  acked = 0
  rejected = 0

  /** `bases`: the brains, by turns, one more each time it connects. `window`: batches in flight. */
  constructor(
    private readonly options: Omit<Options, "base">,
    private readonly bases: ReadonlyArray<string>,
    batches: ReadonlyArray<Batch>,
    private readonly window: number
  ) {
    this.unacked = new Map(batches.map((batch) => [batch.id, batch]))
  }

  /** Runs until all is acknowledged, or until it is ended. */
  async run(): Promise<void> {
    while (this.unacked.size > 0 && !this.over) {
      const base = this.bases[this.connections % this.bases.length] ?? ""
      const agent = await connectAgent({ ...this.options, base }).catch(() => null)
      if (agent === null) {
        await pause(50)
        continue
      }
      this.connections++
      this.agent = agent
      await Promise.race([this.drain(agent), agent.closed])
      await agent.terminate()
    }
  }

  /** Resolves when that many batches are acknowledged. */
  when(count: number): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.acked < count) return
        this.watchers.delete(check)
        resolve()
      }
      this.watchers.add(check)
      check()
    })
  }

  /** Ends the connection without a word. */
  cut(): void {
    this.agent?.ws.terminate()
  }

  end(): void {
    this.over = true
    this.cut()
  }

  private drain(agent: TestAgent): Promise<void> {
    const waiting = [...this.unacked.values()]
    return new Promise((resolve) => {
      const sendNext = () => {
        const batch = waiting.shift()
        if (batch === undefined) return
        agent.sendEvents(batch.events, batch.id).then(({ ackedId, rejected }) => {
          this.unacked.delete(ackedId)
          this.acked++
          this.rejected += rejected
          for (const check of this.watchers) check()
          if (this.unacked.size === 0) resolve()
          else sendNext()
        }, () => {}) // sent again on the next connection
      }
      for (let sent = 0; sent < this.window; sent++) sendNext()
    })
  }
}

/** The streamer at work, ended with the scope. */
export const streaming = (...options: ConstructorParameters<typeof Streamer>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const streamer = new Streamer(...options)
      return { streamer, done: streamer.run() }
    }),
    ({ done, streamer }) => Effect.promise(() => (streamer.end(), done))
  )

const pageSize = 500

const allTasks = (call: Call, project: string) =>
  Effect.gen(function*() {
    const found: Array<
      { readonly task_id: string; readonly state: string; readonly retry_count: number; readonly result: unknown }
    > = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`
      const page = yield* call("GET", `/projects/${project}/tasks?limit=${pageSize}${query}`)
      found.push(...page.json.items)
      cursor = page.json.next_cursor
    }
    return found
  })

/** That the brain has all of the run exactly once: rows, states, counts and every event in its task's timeline. */
export const expectStoredOnce = (call: Call, project: string, ...runs: ReadonlyArray<Run>) =>
  Effect.gen(function*() {
    const taskIds = runs.flatMap((run) => run.taskIds)
    const rows = yield* allTasks(call, project)
    assert.deepStrictEqual(rows.map(({ task_id }) => task_id).sort(), [...taskIds].sort())
    assert.deepStrictEqual(
      new Set(rows.map(({ retry_count, state }) => `${state} ${retry_count}`)),
      new Set(["success 0"])
    )
    for (const filter of ["", "&state=success"]) {
      const { json } = yield* call("GET", `/projects/${project}/tasks?limit=1&include_total=true${filter}`)
      assert.strictEqual(json.total_count, taskIds.length, filter)
    }
    const mismatches = yield* Effect.forEach(runs.flatMap((run) => [...run.eventIds]), ([taskId, eventIds]) =>
      Effect.map(call("GET", `/projects/${project}/events?engine=celery&task_id=${taskId}`), ({ json }) => {
        const stored = json.items.map(({ id }: { readonly id: string }) =>
          id
        )
        return stored.join() === eventIds.join() ? [] : [`${taskId}: ${stored.join()} instead of ${eventIds.join()}`]
      }), { concurrency: 8 })
    assert.deepStrictEqual(mismatches.flat(), [])
    const workers = yield* call("GET", `/projects/${project}/workers`)
    assert.deepStrictEqual(
      workers.json.map((
        { name, succeeded }: { readonly name: string; readonly succeeded: number }
      ) => [name, succeeded]),
      [["w@box", taskIds.length]]
    )
  })
