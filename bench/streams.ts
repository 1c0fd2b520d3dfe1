import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { adminKey, type BrainProcess } from "../test/e2e/brainProcess.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { bundled } from "./bundled.ts"
import type { Outcome } from "./ingest/Job.ts"
import { ingestClient, send } from "./ingest/sending.ts"
import { median, percentile } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * What live streams cost the ingest: acknowledged events a second with no, 100 and 1 000 open streams of the project
 * that the events are for, as fast as one agent can send them (100 a frame); the brain's CPU time for 1 000 events, its
 * memory and the 99th percentile of `GET /health` meanwhile, and what one stream got. `paced` repeats it at a rate that the
 * streams can follow. Brain, agent, readers and this program are processes of their own. The three are measured in
 * turn, `rounds` times, each on a fresh brain; the middle round counts, and for `cpuShare` the one with the least CPU time.
 * `npx vite-node bench/streams.ts sqlite|postgresql [tasks=20000] [rounds=3] [rate=600], events a second when paced`
 */
const counts = [0, 100, 1000]

/** Ticks of 10 ms that the process has used of a core. */
const cpuTicks = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return Number(fields[11]) + Number(fields[12])
}

const residentMiB = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024)

const nextLine = (child: ChildProcess) =>
  Effect.async<string>((resume) => {
    const lines = createInterface({ input: child.stdout! })
    lines.once("line", (line) => {
      lines.close()
      resume(Effect.succeed(line))
    })
  })

const readers = (program: string, brain: BrainProcess, token: string, count: number) =>
  Effect.gen(function*() {
    const child = spawn(process.execPath, [program, brain.url, token, "bench", String(count)], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    yield* nextLine(child)
    const ask = Effect.suspend(() => {
      const line = nextLine(child)
      child.stdin.write("\n")
      return Effect.map(
        line,
        (text): { readonly bytes: number; readonly ended: number; readonly tasks: number; readonly resets: number } =>
          JSON.parse(text)
      )
    })
    return { ask, pid: child.pid ?? 0 }
  })

/** Asks `/health` every 20 ms until the scope ends, and adds the milliseconds of each answer. */
const askingHealth = (brain: BrainProcess, waits: Array<number>, memory: Array<number>) =>
  Effect.promise(async () => {
    const begun = performance.now()
    await (await fetch(`${brain.url}/health`)).text()
    waits.push(performance.now() - begun)
    memory.push(residentMiB(brain.pid()))
  }).pipe(Effect.zipRight(Effect.sleep("20 millis")), Effect.forever, Effect.forkScoped)

interface Measured {
  readonly eventsPerSecond: number
  readonly ackP99: number
  /** Milliseconds of a core that the brain used for 1 000 events: unlike the rate, other programs on the machine hardly change it. */
  readonly brainCpuMillis: number
  readonly readerCores: number
  readonly maxMiB: number
  readonly healthP99: number
  readonly tasksRead: number
  readonly resetsRead: number
  readonly mibPerSecond: number
}

const measure = (database: Database, tasks: number, rounds: number, rate: number) =>
  Effect.gen(function*() {
    const client = yield* ingestClient
    const reader = yield* bundled("streams/readers")
    const program = yield* builtProgram

    const once = (count: number, paced: boolean) =>
      Effect.scoped(Effect.gen(function*() {
        const settings = { SVC_LIVE_STREAMS: "2000", SVC_LIVE_STREAMS_PER_USER: "1000" }
        const { brain, credentials } = yield* runningBrain(program, database, 1, settings)
        const { ask, pid } = yield* readers(reader, brain, yield* adminKey(brain), count)
        const waits: Array<number> = []
        const memory: Array<number> = []
        yield* askingHealth(brain, waits, memory)
        yield* ask
        const begun = performance.now()
        const [before, readersBefore] = [cpuTicks(brain.pid()), cpuTicks(pid)]
        const job = paced
          ? { tasks: rate * 4, warmUpTasks: rate, eventsPerFrame: 3, inFlight: 64, rate }
          : { tasks, warmUpTasks: Math.ceil(tasks / 6), eventsPerFrame: 100, inFlight: 32, rate: null }
        const outcome: Outcome = yield* send(client, { url: brain.url, agents: credentials, ...job })
        const seconds = (performance.now() - begun) / 1000
        const cores = (from: number, to: number) => Number(((to - from) / 100 / seconds).toFixed(2))
        const { bytes, ended, resets, tasks: tasksRead } = yield* ask
        if (ended > 0) throw new Error(`${ended} streams ended`)
        return {
          eventsPerSecond: outcome.eventsPerSecond,
          ackP99: outcome.ackP99,
          brainCpuMillis: Number(((cpuTicks(brain.pid()) - before) * 10 / (outcome.events * 7 / 6) * 1000).toFixed(1)),
          readerCores: cores(readersBefore, cpuTicks(pid)),
          maxMiB: Math.max(...memory),
          healthP99: percentile(waits, 99),
          tasksRead,
          resetsRead: resets,
          mibPerSecond: Number((bytes / 1_048_576 / seconds).toFixed(1))
        } satisfies Measured
      }))

    const turns = (paced: boolean) =>
      Effect.gen(function*() {
        const all = counts.map((): Array<Measured> => [])
        for (let round = 0; round < rounds; round++) {
          for (const [at, count] of counts.entries()) all[at]?.push(yield* once(count, paced))
        }
        const middle = (of: ReadonlyArray<Measured>) =>
          of.find(({ eventsPerSecond }) => eventsPerSecond === median(of.map((one) => one.eventsPerSecond)))
        const leastCpu = (of: ReadonlyArray<Measured>) => Math.min(...of.map(({ brainCpuMillis }) => brainCpuMillis))
        const alone = middle(all[0] ?? [])?.eventsPerSecond ?? NaN
        return Object.fromEntries(counts.map((count, at) => {
          const one = middle(all[at] ?? [])
          const cpuShare = Number((leastCpu(all[0] ?? []) / leastCpu(all[at] ?? [])).toFixed(2))
          return [`streams${count}`, {
            share: Number(((one?.eventsPerSecond ?? NaN) / alone).toFixed(2)),
            cpuShare,
            ...one
          }]
        }))
      })

    return { bench: "streams", database, tasks, rounds, full: yield* turns(false), paced: yield* turns(true) }
  })

const { database, rate, rounds, tasks } = databaseAndNumbersOf("streams", { tasks: 20_000, rounds: 3, rate: 600 })
report(measure(database, tasks, rounds, rate))
