import { Effect } from "effect"
import { adminKey, signedIn, siteIn, siteOf } from "../test/e2e/brainProcess.ts"
import { nodeRelease, nodeReleases } from "../test/nodeReleases.ts"
import { builtProgram } from "./brain.ts"
import { ingestClient, send } from "./ingest/sending.ts"
import { clientOf } from "./list/client.ts"
import { median } from "./percentile.ts"
import { numbersOf, report } from "./run.ts"

/**
 * The drivers of SQLite beside each other in one run: this Node.js (20: better-sqlite3) and the later ones (node:sqlite).
 * Acknowledged events a second, 100 and 1 a frame, then milliseconds of reads (p50) of what was sent. The runtimes take
 * turns, and each figure is the median of the rounds. `npx vite-node bench/runtimes.ts [tasks=3000] [rounds=3]`
 */
const measure = ({ rounds, tasks }: { readonly tasks: number; readonly rounds: number }) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const sender = yield* ingestClient
    const nodes: ReadonlyArray<readonly [string, string]> = [
      [process.versions.node, process.execPath],
      ...yield* Effect.promise(() =>
        Promise.all(nodeReleases.map(async (release) => [release, await nodeRelease(release)] as const))
      )
    ]
    const measureOn = (node: string) =>
      Effect.scoped(Effect.gen(function*() {
        const { env } = yield* siteOf(program)
        const brain = yield* siteIn(program, env, node).brain
        const call = (yield* signedIn(brain))(brain)
        yield* call("POST", "/projects", { slug: "bench", name: "bench" })
        const { json } = yield* call("POST", "/projects/bench/agents", { name: "agent" })
        const agents = [
          { agentId: String(json.agent.id), token: String(json.token), hmacSecret: String(json.hmac_secret) }
        ]
        const job = { url: brain.url, agents, warmUpTasks: Math.ceil(tasks / 6), rate: null }
        const frame100 = yield* send(sender, { ...job, tasks, eventsPerFrame: 100, inFlight: 32 })
        const frame1 = yield* send(sender, { ...job, tasks: Math.ceil(tasks / 2), eventsPerFrame: 1, inFlight: 256 })
        const client = clientOf(brain.url, yield* adminKey(brain))
        const list = (query: string) => () => `/projects/bench/tasks${query}`
        const firstPage = yield* client.measure(300, list(""))
        const page500 = yield* client.measure(60, list("?limit=500"))
        const searchMisses = yield* client.measure(30, (index) => list(`?search=no${index}such`)())
        yield* client.close
        return {
          frame100: frame100.eventsPerSecond,
          frame1: frame1.eventsPerSecond,
          firstPage: firstPage.p50,
          page500: page500.p50,
          searchMisses: searchMisses.p50
        }
      }))
    type Figures = Effect.Effect.Success<ReturnType<typeof measureOn>>
    const all = new Map<string, Array<Figures>>()
    for (let round = 0; round < rounds; round++) {
      for (const [release, node] of nodes) {
        all.set(release, [...all.get(release) ?? [], yield* measureOn(node)])
      }
    }
    const figures = ["frame100", "frame1", "firstPage", "page500", "searchMisses"] as const
    return {
      bench: "runtimes",
      tasks,
      rounds,
      ...Object.fromEntries(
        [...all].map(([release, measured]) => [
          release,
          Object.fromEntries(figures.map((name) => [name, median(measured.map((one) => one[name]))]))
        ])
      )
    }
  })

report(measure(numbersOf("runtimes", { tasks: 3000, rounds: 3 })))
