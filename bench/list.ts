import { Effect, Fiber } from "effect"
import { encodeCursor } from "../src/domain/kernel/Page.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { ingestClient, send, sending } from "./ingest/sending.ts"
import { clientOf } from "./list/client.ts"
import { seed } from "./list/seed.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * How long reads of a large project take, over HTTP, brain and client in processes of their own: milliseconds, p50 and
 * p99. `beside` is the first page while another connection searches for what is not there; `ingesting` is measured
 * while an agent sends half of the events a second that the brain can take.
 * Prints one line of JSON. `npx vite-node bench/list.ts sqlite|postgresql [tasks=1000000]`
 */
const measure = (database: Database, tasks: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const { brain, call, credentials, site } = yield* runningBrain(program, database, 1)
    const { json: project } = yield* call("GET", "/projects/bench")
    const { samples, token } = yield* seed(site.env, project.id, tasks)
    const client = clientOf(brain.url, token)

    const list = (query: string) => `/projects/bench/tasks${query}`
    const sample = (index: number) => samples[(index * 7919) % samples.length]!
    const inTrees = samples.filter(({ inTree }) => inTree)
    const detail = (index: number) => list(`/celery/${sample(index).task_id}`)
    const missing = (index: number) => list(`?search=${index % 2 === 0 ? "nothing like it" : `abcdef${index}0123`}`)

    const quick = {
      firstPage: yield* client.measure(1000, () => list("")),
      state: yield* client.measure(1000, (index) => list(`?state=${index % 2 === 0 ? "failure" : "success"}`)),
      name: yield* client.measure(1000, (index) => list(`?name=task_${index % 200}`)),
      queue: yield* client.measure(1000, (index) => list(`?queue=queue-${index % 10}`)),
      worker: yield* client.measure(1000, (index) => list(`?worker=celery%40worker-${index % 20}`)),
      deepCursor: yield* client.measure(1000, (index) => list(`?cursor=${encodeCursor("tasks", [sample(index).id])}`)),
      detail: yield* client.measure(1000, detail),
      tree: yield* client.measure(
        1000,
        (index) => `${list(`/celery/${inTrees[index % inTrees.length]!.task_id}`)}/tree`
      ),
      page500: yield* client.measure(200, () => list("?limit=500")),
      total: yield* client.measure(
        500,
        (index) => list(`?include_total=true${index % 2 === 0 ? "" : "&state=failure"}`)
      )
    }
    const searchHits = yield* client.measure(500, (index) => list(`?search=TASK_${index % 200}`))
    const searchRare = yield* client.measure(60, (index) => list(`?search=${sample(index).task_id}`))
    const searchMisses = yield* client.measure(100, missing)
    const combined = yield* client.measure(
      60,
      (index) => list(`?state=failure&search=TASK_${index % 200}&priority=normal`)
    )

    const searching = yield* Effect.fork(Effect.forever(client.measure(1, missing)))
    const beside = yield* client.measure(500, () => list(""))
    yield* Fiber.interrupt(searching)

    const sender = yield* ingestClient
    const job = { url: brain.url, agents: credentials, warmUpTasks: 5000, eventsPerFrame: 100, inFlight: 32 }
    const { eventsPerSecond } = yield* send(sender, { ...job, tasks: 30_000, rate: null })
    const half = yield* sending(sender, { ...job, inFlight: 256, tasks: 10_000_000, rate: eventsPerSecond / 2 })
    const ingesting = {
      eventsPerSecond: Math.round(eventsPerSecond / 2),
      firstPage: yield* client.measure(1000, () => list("")),
      state: yield* client.measure(500, (index) => list(`?state=${index % 2 === 0 ? "failure" : "success"}`)),
      deepCursor: yield* client.measure(500, (index) => list(`?cursor=${encodeCursor("tasks", [sample(index).id])}`)),
      detail: yield* client.measure(500, detail),
      searchHits: yield* client.measure(200, (index) => list(`?search=TASK_${index % 200}`))
    }
    yield* Fiber.interrupt(half)
    yield* client.close
    return {
      bench: "list",
      database,
      tasks,
      ...quick,
      searchHits,
      searchRare,
      searchMisses,
      combined,
      beside,
      ingesting
    }
  })

const { database, tasks } = databaseAndNumbersOf("list", { tasks: 1_000_000 })
report(measure(database, tasks))
