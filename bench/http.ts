import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { adminKey } from "../test/e2e/brainProcess.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { bundled } from "./bundled.ts"
import { type Load, load, type Request } from "./http/load.ts"
import { seed } from "./list/seed.ts"
import { median } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * What the brain adds between a request and its response: requests a second and CPU time a request, with 1 and 16
 * connections, beside a bare `node:http` server that reads the same rows of the same database (`http/bare.ts`). Both take
 * turns in blocks of `blockMillis`, so that what else the machine does meets both. `share` is the brain's requests a second
 * as a share of the bare server's, the middle one of its pairs of blocks; `cpuShare` the bare server's CPU time a request as
 * a share of the brain's, which a busy machine changes less.
 * Prints one line of JSON. `npx vite-node bench/http.ts sqlite|postgresql [tasks=20000] [pairs=4] [blockMillis=500]`
 */
interface Server {
  readonly port: number
  readonly pid: number
}

const warmUpSeconds = 2

const bareServer = (projectId: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const program = yield* bundled("http/bare", "external")
    const home = env["SVC_HOME"] ?? ""
    const files = [projectId, env["SVC_DATABASE_URL"] ?? join(home, "svc.db"), join(home, "bare.db")]
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [program, ...files], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const [line] = yield* Effect.promise(() => once(child.stdout, "data"))
    return { port: Number(String(line)), pid: child.pid ?? 0 } satisfies Server
  })

const perSecond = ({ requests, seconds }: Load) => requests / seconds

const summarize = (blocks: ReadonlyArray<Load>) => {
  const requests = blocks.reduce((sum, block) => sum + block.requests, 0)
  const cpuSeconds = blocks.reduce((sum, block) => sum + block.cpuSeconds, 0)
  return { perSecond: Math.round(median(blocks.map(perSecond))), cpuMicros: Math.round((cpuSeconds / requests) * 1e6) }
}

const compare = async (
  brain: Server,
  bare: Server,
  connections: number,
  options: Options,
  requestOf: (index: number) => Request
) => {
  const blocks: { brain: Array<Load>; bare: Array<Load> } = { brain: [], bare: [] }
  for (let pair = 0; pair < options.pairs; pair++) {
    blocks.brain.push(await load(brain, connections, options.blockMillis / 1000, requestOf))
    blocks.bare.push(await load(bare, connections, options.blockMillis / 1000, requestOf))
  }
  const shares = blocks.brain.map((block, index) => perSecond(block) / perSecond(blocks.bare[index] ?? block))
  const [ours, theirs] = [summarize(blocks.brain), summarize(blocks.bare)]
  return {
    brain: ours,
    bare: theirs,
    share: Number(median(shares).toFixed(2)),
    cpuShare: Number((theirs.cpuMicros / ours.cpuMicros).toFixed(2))
  }
}

interface Options {
  readonly pairs: number
  readonly blockMillis: number
}

const measure = (database: Database, tasks: number, options: Options) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const { brain, call, credentials, site } = yield* runningBrain(program, database, 1)
    const { json: project } = yield* call("GET", "/projects/bench")
    const operator = yield* adminKey(brain) // before the seeding, which takes longer than a connection is kept
    const { samples, token } = yield* seed(site.env, project.id, tasks)
    const bare = yield* bareServer(project.id, site.env)
    const ours: Server = { port: Number(new URL(brain.url).port), pid: brain.pid() }

    const path = "/api/v1/projects/bench"
    const command = JSON.stringify({ agent_id: credentials[0]?.agentId, engine: "celery", task_id: "bench" })
    const kinds: Readonly<Record<string, (index: number) => Request>> = {
      health: () => ({ method: "GET", path: "/health", token }),
      detail: (index) => ({
        method: "GET",
        path: `${path}/tasks/celery/${samples[(index * 7919) % samples.length]?.task_id}`,
        token
      }),
      list: () => ({ method: "GET", path: `${path}/tasks`, token }),
      command: () => ({ method: "POST", path: `${path}/commands/cancel-task`, token: operator, body: command })
    }
    return yield* Effect.promise(async () => {
      const results: Record<string, unknown> = {}
      for (const [kind, requestOf] of Object.entries(kinds)) {
        for (const server of [ours, bare]) await load(server, 16, warmUpSeconds, requestOf)
        results[kind] = {
          connections1: await compare(ours, bare, 1, options, requestOf),
          connections16: await compare(ours, bare, 16, options, requestOf)
        }
      }
      return { bench: "http", database, tasks, ...results }
    })
  })

const { database, tasks, ...options } = databaseAndNumbersOf("http", { tasks: 20_000, pairs: 4, blockMillis: 500 })
report(measure(database, tasks, options))
