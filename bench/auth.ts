import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { seed } from "./auth/seed.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { percentile } from "./percentile.ts"
import { type Database, databaseAndNumbersOf, report } from "./run.ts"

/**
 * What it costs to know who asks, over HTTP with brain and client in processes of their own, in milliseconds: the bare
 * `/health` beside the same question by session and by API key (`GET /auth/policy`, which needs nothing else of the
 * database) and in a project (`GET /projects/bench`), with 100 000 sessions and as many keys in the tables. Then what other
 * requests notice of 50 and of 200 logins a second with wrong passwords, from many addresses, half of them for accounts
 * that exist: how the logins were answered, and what memory the brain took at most.
 * Prints one line of JSON. `npx vite-node bench/auth.ts sqlite|postgresql [sessions=100000]`
 */
const requests = 1500
const floodSeconds = 10
const warmUp = 5

const clientOf = (url: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1024 })
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) =>
    new Promise<number>((resolve, reject) => {
      const length = body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }
      const sending = request(
        `${url}/api/v1${path}`,
        { method, agent, headers: { ...headers, ...length } },
        (response) => {
          response.on("data", () => {}).on("end", () => resolve(response.statusCode ?? 0))
        }
      )
      sending.on("error", reject).end(body)
    })
  return { ask, close: () => agent.destroy() }
}

type Client = ReturnType<typeof clientOf>
type Asked = readonly [name: string, path: string, headers: (index: number) => Readonly<Record<string, string>>]

/** Each question in turn, so that what else the machine does meets all of them. */
const inTurn = async (client: Client, questions: ReadonlyArray<Asked>, until: (index: number) => boolean) => {
  const times = new Map(questions.map(([name]): [string, Array<number>] => [name, []]))
  for (let index = -warmUp; until(index); index++) {
    for (const [name, path, headers] of questions) {
      const began = performance.now()
      const status = await client.ask("GET", path, headers(Math.abs(index)))
      if (status !== 200) throw new Error(`${path}: ${status}`)
      if (index >= 0) times.get(name)?.push(performance.now() - began)
    }
  }
  return Object.fromEntries(
    [...times].map(([name, all]) => [name, { p50: percentile(all, 50), p99: percentile(all, 99) }])
  )
}

/** Resident memory of the process in MiB, as Linux counts it. */
const residentMib = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? NaN) / 1024)

const flooded = async (
  client: Client,
  pid: number,
  emails: ReadonlyArray<string>,
  perSecond: number,
  questions: ReadonlyArray<Asked>
) => {
  const statuses: Record<string, number> = {}
  const times: Array<number> = []
  const end = performance.now() + floodSeconds * 1000
  let mib = 0
  const login = async (index: number) => {
    const email = index % 2 === 0 ? emails[index % emails.length] : `nobody${index}@example.com`
    const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
    const began = performance.now()
    const body = JSON.stringify({ email, password: "not the password" })
    const status = await client.ask("POST", "/auth/login", { "x-forwarded-for": address }, body)
    statuses[status] = (statuses[status] ?? 0) + 1
    times.push(performance.now() - began)
  }
  const logins: Array<Promise<void>> = []
  const flood = async () => {
    const began = performance.now()
    for (let index = 0; performance.now() < end; index++) {
      logins.push(login(perSecond * 10_000 + index))
      mib = Math.max(mib, residentMib(pid))
      await sleep(Math.max(0, began + (1000 * (index + 1)) / perSecond - performance.now()))
    }
  }
  const [, others] = await Promise.all([flood(), inTurn(client, questions, () => performance.now() < end)])
  await Promise.all(logins)
  return { perSecond, others, logins: { statuses, p50: percentile(times, 50), p99: percentile(times, 99) }, mib }
}

const measure = (database: Database, sessions: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const { brain, call, site } = yield* runningBrain(program, database, 0, { SVC_TRUSTED_PROXIES: "127.0.0.1" })
    const { json: project } = yield* call("GET", "/projects/bench")
    const { people } = yield* seed(site.env, project.id, sessions)
    const person = (index: number) => people[(index * 7919) % people.length]!
    const bySession = (index: number) => ({ cookie: `svc_session=${person(index).session}` })
    const byKey = (index: number) => ({ authorization: `Bearer ${person(index).key}` })
    const questions: ReadonlyArray<Asked> = [
      ["health", "/health", () => ({})],
      ["session", "/auth/policy", bySession],
      ["key", "/auth/policy", byKey],
      ["project", "/projects/bench", byKey]
    ]
    return yield* Effect.promise(async () => {
      const client = clientOf(brain.url)
      const quiet = await inTurn(client, questions, (index) => index < requests)
      const mib = residentMib(brain.pid())
      const emails = people.map(({ email }) => email)
      const floods = []
      for (const perSecond of [50, 200]) floods.push(await flooded(client, brain.pid(), emails, perSecond, questions))
      client.close()
      return { bench: "auth", database, sessions, ...quiet, mib, floods }
    })
  })

const { database, sessions } = databaseAndNumbersOf("auth", { sessions: 100_000 })
report(measure(database, sessions))
