import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as Timestamp from "../src/domain/kernel/Timestamp.ts"
import { insertTasks, storedTask } from "../test/tasks.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { bundled } from "./bundled.ts"
import { ingestClient, send } from "./ingest/sending.ts"
import { clientOf } from "./list/client.ts"
import { seed, viewerKey } from "./list/seed.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"
import { databaseOf } from "./services.ts"

/**
 * What one viewer who reads as much as they can (`fair-share/attacker.ts`) leaves to others: milliseconds of their first
 * page, of a search that finds nothing, and of `/health`, p50 and p99, and acknowledged events a second; each undisturbed and
 * disturbed. Brain, attacker and clients are processes of their own.
 * Prints one line of JSON. `npx vite-node bench/fair-share.ts sqlite|postgresql [tasks=100000] [reads=500] [events=30000]`
 */
const largeTasks = 300
const kwargs = JSON.stringify({ blob: "x".repeat(250_000) })

const seedLarge = (projectId: string) =>
  Effect.gen(function*() {
    const now = yield* Effect.map(Timestamp.now, Timestamp.toEpochMillis)
    for (let offset = 0; offset < largeTasks; offset += 50) {
      yield* insertTasks(
        Array.from({ length: 50 }, (_, index) => storedTask(projectId, now - offset - index, { kwargs }))
      )
    }
  })

const measure = (database: Database, { events, reads, tasks }: Record<"tasks" | "reads" | "events", number>) =>
  Effect.gen(function*() {
    const attacker = yield* bundled("fair-share/attacker")
    const sender = yield* ingestClient
    const program = yield* builtProgram
    const { brain, call, credentials, site } = yield* runningBrain(program, database, 1)
    const { json: project } = yield* call("GET", "/projects/bench")
    const { json: large } = yield* call("POST", "/projects", { slug: "large", name: "large" })
    const { token } = yield* seed(site.env, project.id, tasks)
    const attackerToken = yield* Effect.provide(
      Effect.zipRight(seedLarge(large.id), viewerKey([large.id, project.id], "attacker")),
      databaseOf(site.env)
    )
    const client = clientOf(brain.url, token)
    const health = clientOf(brain.url, token, "")
    const job = {
      url: brain.url,
      agents: credentials,
      warmUpTasks: 2000,
      eventsPerFrame: 100,
      inFlight: 32,
      rate: null
    }

    const measureRound = Effect.gen(function*() {
      const list = yield* client.measure(reads, () => "/projects/bench/tasks")
      const search = yield* client.measure(40, (index) => `/projects/bench/tasks?search=nothing-${index}-like-it`)
      const alive = yield* health.measure(reads, () => "/health")
      const { ackP99, eventsPerSecond } = yield* send(sender, { ...job, tasks: Math.ceil(events / 3) })
      return { list, search, health: alive, ingest: { eventsPerSecond, ackP99 } }
    })
    const undisturbed = yield* measureRound
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [attacker, brain.url, attackerToken, "large", "bench"], { stdio: "inherit" })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    yield* Effect.sleep("3 seconds")
    const disturbed = yield* measureRound
    return {
      bench: "fair-share",
      database,
      tasks,
      undisturbed,
      disturbed,
      ingestShare: Number((disturbed.ingest.eventsPerSecond / undisturbed.ingest.eventsPerSecond).toFixed(2))
    }
  })

const { database, ...numbers } = databaseAndNumbersOf("fair-share", { tasks: 100_000, reads: 500, events: 30_000 })
report(measure(database, numbers))
