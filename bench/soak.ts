/**
 * Mixed load for long, on brains that are killed: memory, file handles and tables over time, and what was lost or doubled.
 * Agents send tasks at `rate` events a second (two on WebSockets, one by long-poll) and execute commands and fires of five
 * schedules; failures are notified to a receiver; people read, sign in, follow live streams, issue commands and export.
 * The brain keeps rows for minutes (`soak/brain.ts`). On SQLite it is killed at random in the first half of the run, and
 * lives through the second. On PostgreSQL there are two: one is killed at random until the end, the other one lives.
 * Trends are those of the brain that lives: means of the first and the last third, and the slope for each minute.
 * `lost`, `doubled`: acknowledged tasks that are not stored, and those that the rollups counted more than once.
 * Prints one line of JSON. `npx vite-node bench/soak.ts sqlite|postgresql [minutes=60] [rate=100] [seed=1]`
 */
import { Array as Arr, Effect } from "effect"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { adminKey, type BrainProcess, signedIn, siteOf } from "../test/e2e/brainProcess.ts"
import { randomOf } from "../test/e2e/notifications/receiver.ts"
import { portOf } from "../test/ports.ts"
import { builtPart, freshPostgres } from "./brain.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { type AgentKeys, Journal, nextBatch, pollAgent, type SoakAgent, socketAgent } from "./soak/agent.ts"
import { filesOf, type Observer, postgresObserver, sqliteObserver, type TableSize } from "./soak/database.ts"
import { People } from "./soak/people.ts"
import { type Point, type ProcessSample, sampleProcess, trendOf } from "./soak/samples.ts"

const settings = {
  SVC_NOTIFICATIONS_WEBHOOK_ALLOW_HTTP: "true",
  SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8:*",
  SVC_COMMAND_TIMEOUT_SECONDS: "20",
  SVC_SCHEDULE_CATCH_UP_MAX: "1000",
  SVC_SCHEDULE_REPLAY_PER_SECOND: "1000"
}
const eventsOfBatch = 9
const schedules = 5
const tickSeconds = 5
const sampleMillis = 10_000
const tablesMillis = 30_000
const checkMillis = 20_000
/** Acknowledged tasks are read back after this long, which is far within their retention. */
const checkAfterMillis = 10_000
/** Pause between two kills: from, and up to as much more. */
const killPauseMillis = [20_000, 60_000] as const

/** A webhook's receiver that takes everything; posts by the id of their delivery. */
const receiver = Effect.gen(function*() {
  const posts = new Map<string, number>()
  const port = yield* portOf(createServer((request, response) => {
    const id = String(request.headers["webhook-id"])
    posts.set(id, (posts.get(id) ?? 0) + 1)
    request.resume().on("end", () => response.end("ok"))
  }))
  return { posts, url: `http://127.0.0.1:${port}/` }
})

interface Fire {
  readonly schedule: string
  readonly tick: number
  status: string
}

/** Reads the database from outside: sizes, acknowledged tasks that are not there, fires. */
class Checks {
  readonly sizes = new Map<string, Array<Point>>()
  readonly bytes = new Map<string, Array<Point>>()
  readonly fires = new Map<string, Fire>()
  readonly lost: Array<string> = []
  checked = 0

  constructor(private readonly observer: Observer, private readonly journal: Journal) {}

  async measure(minute: number): Promise<void> {
    const add = (points: Map<string, Array<Point>>, name: string, value: number) => {
      const known = points.get(name) ?? []
      known.push([minute, value])
      points.set(name, known)
    }
    const tables: ReadonlyMap<string, TableSize> = await this.observer.tables()
    for (const [name, { bytes, rows }] of tables) {
      add(this.sizes, name, rows)
      add(this.bytes, name, bytes)
    }
  }

  async check(): Promise<void> {
    const before = Date.now() - checkAfterMillis
    const due = [...this.journal.acked].filter(([, { at }]) => at < before)
    for (let from = 0; from < due.length; from += 500) {
      const batch = due.slice(from, from + 500)
      const ids = batch.map(([id]) => `'${id}'`).join()
      const rows = await this.observer.query(`SELECT task_id, state FROM tasks WHERE task_id IN (${ids})`)
      const states = new Map(rows.map(({ state, task_id }) => [task_id, state]))
      for (const [id, { state }] of batch) {
        this.journal.acked.delete(id)
        if (states.get(id) !== state) this.lost.push(`${id}: ${String(states.get(id))} instead of ${state}`)
      }
      this.checked += batch.length
    }
    const fires = await this.observer.query("SELECT id, schedule_id, scheduled_for, status FROM schedule_fires")
    for (const { id, schedule_id, scheduled_for, status } of fires) {
      const at = scheduled_for instanceof Date ? scheduled_for.getTime() : Date.parse(String(scheduled_for))
      this.fires.set(String(id), { schedule: String(schedule_id), tick: at / 1000, status: String(status) })
    }
  }

  /** Ticks without a fire between the first and the last one of each schedule, and fires of the same tick. */
  ticks() {
    const bySchedule = Object.values(Arr.groupBy([...this.fires.values()], ({ schedule }) => schedule))
    let missed = 0
    let doubled = 0
    for (const fires of bySchedule) {
      const ticks = new Set(fires.map(({ tick }) => tick))
      doubled += fires.length - ticks.size
      missed += (Math.max(...ticks) - Math.min(...ticks)) / tickSeconds + 1 - ticks.size
    }
    return { missed, doubled }
  }
}

const countBy = (values: Iterable<string>) => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const repeated = (counts: ReadonlyMap<string, number>) => [...counts.values()].filter((count) => count > 1).length

const every = async (millis: number, isOver: () => boolean, action: () => Promise<unknown>) => {
  for (let next = Date.now() + millis; !isOver(); next += millis) {
    await sleep(Math.max(0, next - Date.now()))
    await action()
  }
}

const waitFor = async (isThere: () => Promise<boolean>, seconds: number) => {
  for (let index = 0; index < seconds; index++) {
    if (await isThere()) return
    await sleep(1000)
  }
}

const measure = (database: "sqlite" | "postgresql", minutes: number, rate: number, seed: number) =>
  Effect.gen(function*() {
    const program = join(yield* builtPart("soak"), "svc.js")
    const url = database === "postgresql" ? (yield* freshPostgres).url : null
    const place = yield* siteOf(program, { ...settings, ...(url === null ? {} : { SVC_DATABASE_URL: url }) })
    const home = place.env.SVC_HOME ?? ""
    const soaked = place.brainWith({}, program.replace("svc.js", "soak-brain.js"))
    const steady: BrainProcess = yield* soaked
    const victim: BrainProcess = url === null ? steady : yield* soaked
    const brains = [...new Set([steady, victim])]
    const urls = brains.map((brain) => brain.url)
    const call = (yield* signedIn(steady))(steady)
    const { posts, url: receiverUrl } = yield* receiver

    const { json: project } = yield* call("POST", "/projects", { slug: "bench", name: "bench" })
    const keys: Array<AgentKeys> = []
    for (const name of ["first", "second", "poll"]) {
      const { json } = yield* call("POST", "/projects/bench/agents", { name })
      keys.push({ agent_id: json.agent.id, token: json.token, hmac_secret: json.hmac_secret, project_id: project.id })
    }
    const base = "/projects/bench/notifications"
    const channel = yield* call("POST", `${base}/channels`, {
      name: "c",
      type: "webhook",
      config: { url: receiverUrl }
    })
    const subscription = yield* call("POST", `${base}/defaults`, {
      trigger: "task.failed",
      project_channel_ids: [channel.json.id],
      grouping: null,
      in_app: true
    })
    if (subscription.status !== 201) return yield* Effect.dieMessage(JSON.stringify(subscription.json))
    const rule = yield* call("POST", "/projects/bench/automation/rules", {
      name: "tell",
      trigger: "task.failed",
      actions: [{ type: "notify", channel_ids: [], in_app: true }],
      dry_run: false,
      max_executions_per_window: 100_000
    })
    if (rule.status !== 201) return yield* Effect.dieMessage(JSON.stringify(rule.json))
    for (let index = 0; index < schedules; index++) {
      yield* call("POST", "/projects/bench/schedules", {
        name: `every ${tickSeconds} s, ${index}`,
        engine: "celery",
        kind: "interval",
        expression: String(tickSeconds),
        task_name: "shop.tick",
        catch_up: "fire_all_missed"
      })
    }

    const journal = new Journal()
    const [first, second, third] = keys as [AgentKeys, AgentKeys, AgentKeys] // three were created
    const agents: ReadonlyArray<SoakAgent> = [
      socketAgent(first, urls, journal, 0),
      socketAgent(second, urls, journal, 1),
      pollAgent(third, urls, journal)
    ]
    const observer = yield* Effect.acquireRelease(
      Effect.promise(async () => url === null ? sqliteObserver(join(home, "svc.db")) : await postgresObserver(url)),
      (observer) => Effect.promise(() => observer.close())
    )
    const token = yield* adminKey(steady)
    const metricsToken = readFileSync(join(home, "metrics.token"), "utf8").trim()

    return yield* Effect.promise(async () => {
      const begun = Date.now()
      const minute = () => (Date.now() - begun) / 60_000
      const isOver = () => minute() >= minutes
      const people = new People(urls, token, [first.agent_id, second.agent_id])
      const checks = new Checks(observer, journal)
      const samples: Array<readonly [number, ProcessSample]> = []
      const connections: Array<Point> = []
      let kills = 0
      let startMillis = 0
      let livesSince = 0

      people.start()
      let batchNumber = 0
      const sending = every(1000 * eventsOfBatch / rate, isOver, async () => {
        agents[batchNumber++ % agents.length]?.offer(nextBatch())
      })
      const sampling = every(sampleMillis, isOver, async () => {
        const sample = await sampleProcess(steady.pid(), steady.url, metricsToken)
        if (sample !== null) samples.push([minute(), sample])
        connections.push([minute(), await observer.connections()])
      })
      const measuring = every(tablesMillis, isOver, () => checks.measure(minute()))
      const checking = every(checkMillis, isOver, async () => {
        await checks.check()
        const last = samples.at(-1)?.[1]
        console.error(
          `${
            minute().toFixed(1)
          } min: ${journal.ackedTasks} of ${journal.sentTasks} tasks, ${checks.lost.length} lost, ` +
            `${posts.size} of ${journal.failedTasks} posts, ${kills} kills, ${JSON.stringify(last)}`
        )
      })
      const random = randomOf(seed)
      const killUntil = victim === steady ? minutes / 2 : minutes - 1
      const killing = (async () => {
        while (true) {
          const pause = killPauseMillis[0] + random() * killPauseMillis[1]
          if (minute() + pause / 60_000 >= killUntil) return
          await sleep(pause)
          await Effect.runPromise(victim.kill)
          await sleep(random() * 3000)
          const before = Date.now()
          await Effect.runPromise(victim.start)
          startMillis += Date.now() - before
          kills++
          if (victim === steady) livesSince = minute()
        }
      })()
      await Promise.all([sending, sampling, measuring, checking, killing])
      await people.end()
      for (const { id } of (await people.ask("GET", "/projects/bench/schedules")).json.items) {
        await people.ask("POST", `/projects/bench/schedules/${id}/disable`)
      }

      const countRows = async (statement: string) => (await observer.query(statement)).length
      await waitFor(async () => agents.every((agent) => agent.waiting() === 0), 60)
      await waitFor(
        async () => await countRows("SELECT id FROM commands WHERE status IN ('pending', 'dispatched') LIMIT 1") === 0,
        60
      )
      await waitFor(
        async () => await countRows("SELECT id FROM deliveries WHERE status = 'pending' LIMIT 1") === 0,
        120
      )
      await waitFor(async () => await countRows("SELECT id FROM rollup_deltas LIMIT 1") === 0, 60)
      await sleep(checkAfterMillis + 1000)
      await checks.check()
      const { json: trends } = await people.ask("GET", "/projects/bench/trends?window=24h&bucket=1h")
      const ended: ReadonlyArray<{ readonly success: number; readonly failure: number }> = trends.series
      const counted = ended.reduce((sum, { failure, success }) => sum + success + failure, 0)
      const commands = await observer.query("SELECT status FROM commands WHERE action = 'cancel_task'")
      for (const agent of agents) agent.end()
      const verified = spawnSync(process.execPath, [program, "audit", "verify"], { env: place.env, encoding: "utf8" })

      const living = samples.filter(([at]) => at >= livesSince)
      const trend = (name: keyof ProcessSample) => trendOf(living.map(([at, sample]) => [at, sample[name]]))
      const grown = [...checks.sizes].flatMap(([name, points]) => {
        const rows = trendOf(points)
        const bytes = trendOf((checks.bytes.get(name) ?? []).map(([at, value]) => [at, value / 1024]))
        return rows === null || rows.highest < 20 ? [] : [[name, { rows, kib: bytes }] as const]
      })
      return {
        bench: "soak",
        database,
        minutes,
        rate,
        seed,
        kills,
        startSeconds: Number((startMillis / 1000 / Math.max(1, kills)).toFixed(1)),
        livedMinutes: Number((minutes - livesSince).toFixed(1)),
        process: Object.fromEntries(
          (["rss", "heap", "handles", "threads", "lag"] as const).map((name) => [name, trend(name)])
        ),
        databaseConnections: trendOf(connections),
        files: filesOf(home),
        tables: Object.fromEntries(grown),
        tasks: {
          sent: journal.sentTasks,
          acked: journal.ackedTasks,
          checked: checks.checked,
          lost: checks.lost.length,
          doubled: counted - journal.ackedTasks,
          connections: journal.connections
        },
        commands: {
          issued: people.commands.length,
          executed: journal.commands.size,
          executedTwice: repeated(journal.commands),
          lastMinutes: countBy(commands.map(({ status }) => String(status)))
        },
        fires: {
          ...checks.ticks(),
          executed: journal.fires.size,
          executedTwice: repeated(journal.fires),
          ...countBy([...checks.fires.values()].map(({ status }) => status))
        },
        deliveries: { failedTasks: journal.failedTasks, ids: posts.size, postedTwice: repeated(posts) },
        answers: Object.fromEntries(people.statusCounts),
        streamChunks: people.streams,
        audit: verified.status === 0 ? "verified" : verified.stdout + verified.stderr,
        lost: checks.lost.slice(0, 5)
      }
    })
  })

const { database, minutes, rate, seed } = databaseAndNumbersOf("soak", { minutes: 60, rate: 100, seed: 1 })
report(measure(database, minutes, rate, seed))
