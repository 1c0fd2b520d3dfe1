/**
 * A day's events (a million, of which three make a task) at full speed through an agent into a real brain that is
 * killed and started again meanwhile. Prints one line of JSON: events a second, processor time an event of the process
 * with the agent in it, its memory (at the start, after each restart, at the end, and the highest), the longest time
 * for which its event loop stood still, and fails when an event is missing. Run: npx vite-node bench/agent-day.ts
 * sqlite|postgresql [events] [restarts]
 */
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { startAgent } from "../src/agent/runtime/startAgent.ts"
import { MemoryEngine } from "../test/agent/engines/memory.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { databaseAndNumbersOf, report } from "./run.ts"

const { database, events, restarts } = databaseAndNumbersOf("agent-day", { events: 1_000_000, restarts: 10 })
const tasks = Math.ceil(events / 3)
/** Tasks between two reads of the buffer. */
const step = 500

setFlagsFromString("--expose-gc")
// The cast: what the flag adds to a new context.
const collectGarbage = runInNewContext("gc") as () => void

/** Of the process, and of its live objects. */
const megabytes = () => {
  collectGarbage()
  const { heapUsed, rss } = process.memoryUsage()
  return { rss: Math.round(rss / 1_048_576), heap: Math.round(heapUsed / 1_048_576) }
}

const measure = Effect.gen(function*() {
  const { brain, call, credentials } = yield* runningBrain(yield* builtProgram, database, 1)
  const home = mkdtempSync(join(tmpdir(), "svc-bench-agent-day-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(home, { recursive: true, force: true })))
  const shop = new MemoryEngine()
  const { hmacSecret = "", token = "" } = credentials[0] ?? {}
  const agent = yield* Effect.acquireRelease(
    Effect.promise(() => startAgent({ brainUrl: brain.url, token, hmacSecret, engines: [shop.engine], home })),
    (agent) => Effect.promise(() => agent.close())
  )
  const memory = [megabytes()]
  let peak = 0
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const cpu = process.cpuUsage()
  const begun = performance.now()
  for (let done = 0, restarted = 0; done < tasks; done += step) {
    for (let n = done; n < Math.min(done + step, tasks); n++) {
      const id = shop.enqueue({ args: [n] })
      shop.work(id)
      shop.jobs.delete(id)
    }
    // as fast as the buffer has room: this measures the way, not the loss
    do yield* Effect.sleep(1)
    while (agent.status().buffer.events > 50_000)
    peak = Math.max(peak, process.memoryUsage.rss())
    if (restarted < restarts && done >= ((restarted + 0.5) * tasks) / restarts) {
      restarted++
      yield* brain.kill
      yield* Effect.fork(brain.start)
      memory.push(megabytes())
    }
  }
  while (agent.status().buffer.events > 0 || agent.status().state !== "online") yield* Effect.sleep("50 millis")
  const seconds = (performance.now() - begun) / 1000
  const { system, user } = process.cpuUsage(cpu)
  memory.push(megabytes())
  const counts = { received: 0, started: 0, succeeded: 0 }
  const pageAfter = (cursor: string) =>
    Effect.map(
      call("GET", `/projects/bench/tasks?limit=500${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`),
      ({ json }) => json
    )
  let cursor: string | null = ""
  while (cursor !== null) {
    const json: Effect.Effect.Success<ReturnType<typeof pageAfter>> = yield* pageAfter(cursor)
    for (const { received_at, started_at, state } of json.items) {
      if (received_at !== null) counts.received++
      if (started_at !== null) counts.started++
      if (state === "success") counts.succeeded++
    }
    cursor = json.next_cursor
  }
  const { lostEvents } = agent.status()
  if (Object.values(counts).some((count) => count !== tasks) || lostEvents !== 0) {
    throw new Error(`of ${tasks} tasks there are ${JSON.stringify(counts)}, and ${lostEvents} events were lost`)
  }
  return {
    bench: "agent-day",
    database,
    events: tasks * 3,
    restarts,
    seconds: Math.round(seconds),
    eventsPerSecond: Math.round((tasks * 3) / seconds),
    cpuMicrosAnEvent: Number(((system + user) / (tasks * 3)).toFixed(1)),
    lost: lostEvents,
    rssMegabytes: { start: memory[0]?.rss, peak: Math.round(peak / 1_048_576), end: memory.at(-1)?.rss },
    megabytes: memory,
    loopDelayP99Millis: Number((delay.percentile(99) / 1e6).toFixed(1)),
    loopDelayMaxMillis: Number((delay.max / 1e6).toFixed(1))
  }
})

report(measure)
