/**
 * The primary of a PostgreSQL pair is killed with -9, and its standby promoted behind the same address, while two brains
 * ingest, pass commands on and fire three schedules a second. `asynchronous`: the standby may lack the last rows; with
 * `cutSeconds` it gets nothing for so long before the kill. Seconds count from the kill. `lost`: acknowledged tasks that
 * are not stored. `gone`: accepted commands that the database does not know.
 * Prints one line of JSON. `npx vite-node bench/failover.ts [synchronous=1] [cutSeconds=0] [rate=200]`
 */
import { Array as Arr, Effect } from "effect"
import { execFile } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { adminKey, signedIn, siteOf } from "../test/e2e/brainProcess.ts"
import { serverPair } from "../test/e2e/faults/ServerPair.ts"
import { builtProgram } from "./brain.ts"
import { numbersOf, report } from "./run.ts"
import { type AgentKeys, Journal, nextBatch, socketAgent } from "./soak/agent.ts"
import { People } from "./soak/people.ts"

const eventsOfBatch = 9
const schedules = 3
const warmUpMillis = 10_000
const afterMillis = 20_000
const settleMillis = 60_000

/** Seconds from the kill until each first success. */
class Firsts {
  private killedAt = Number.POSITIVE_INFINITY
  readonly seconds: Record<string, number> = {}

  begin(): void {
    this.killedAt = performance.now()
  }

  /** Something that began at `since` succeeded. */
  note(name: string, since: number): void {
    if (since < this.killedAt || this.seconds[name] !== undefined) return
    this.seconds[name] = Number(((performance.now() - this.killedAt) / 1000).toFixed(1))
  }
}

const measure = (synchronous: boolean, cutSeconds: number, rate: number) =>
  Effect.gen(function*() {
    const program = yield* builtProgram
    const servers = yield* serverPair(synchronous)
    const place = yield* siteOf(program, { SVC_DATABASE_URL: servers.url, SVC_COMMAND_TIMEOUT_SECONDS: "20" })
    const brains = [yield* place.brain, yield* place.brain] as const
    const urls = brains.map(({ url }) => url)
    const call = (yield* signedIn(brains[0]))(brains[0])
    const { json: project } = yield* call("POST", "/projects", { slug: "bench", name: "bench" })
    const keys: Array<AgentKeys> = []
    for (const name of ["first", "second"]) {
      const { json } = yield* call("POST", "/projects/bench/agents", { name })
      keys.push({ agent_id: json.agent.id, token: json.token, hmac_secret: json.hmac_secret, project_id: project.id })
    }
    for (let at = 0; at < schedules; at++) {
      yield* call("POST", "/projects/bench/schedules", {
        name: `every second ${at}`,
        engine: "celery",
        kind: "interval",
        expression: "1",
        task_name: "shop.tick",
        catch_up: "fire_all_missed"
      })
    }
    const token = yield* adminKey(brains[0])

    return yield* Effect.promise(async () => {
      const journal = new Journal()
      const agents = keys.map((key, at) => socketAgent(key, urls, journal, at))
      const people = new People(urls, token, keys.map(({ agent_id }) => agent_id))
      const firsts = new Firsts()
      const accepted: Array<string> = []
      let isOver = false

      const loop = async (millis: number, act: () => Promise<void>) => {
        while (!isOver) {
          await act()
          await sleep(millis)
        }
      }
      let turn = 0
      const sending = loop(1000 * eventsOfBatch / rate, async () => agents[turn++ % agents.length]?.offer(nextBatch()))
      const commanding = loop(100, async () => {
        const since = performance.now()
        const body = { agent_id: keys[accepted.length % keys.length]?.agent_id, engine: "celery", task_id: "t" }
        const { json, status } = await people.ask("POST", "/projects/bench/commands/cancel-task", body)
        if (status !== 202) return
        accepted.push(json.id)
        firsts.note("command", since)
      })
      const reading = loop(100, async () => {
        const since = performance.now()
        if ((await people.ask("GET", "/projects/bench/tasks?limit=10")).status === 200) firsts.note("read", since)
      })
      let lastAcked = 0
      let lastFires = 0
      const watching = loop(20, async () => {
        if (journal.ackedTasks > lastAcked) firsts.note("event", performance.now())
        if (journal.fires.size > lastFires) firsts.note("fire", performance.now())
        lastAcked = journal.ackedTasks
        lastFires = journal.fires.size
      })

      await sleep(warmUpMillis)
      if (cutSeconds > 0) {
        await Effect.runPromise(servers.cutReplication)
        await sleep(cutSeconds * 1000)
      }
      const ackedBefore = journal.ackedTasks
      const connectionsBefore = journal.connections
      await Effect.runPromise(servers.killPrimary)
      await sleep(100) // acks that were under way
      firsts.begin()
      const began = performance.now()
      await Effect.runPromise(Effect.zipRight(servers.promote, servers.turnToStandby))
      const promoteSeconds = Number(((performance.now() - began) / 1000).toFixed(1))
      await sleep(afterMillis)

      // what a brain says of itself, and what a person does about a log that was rewound
      const stateOf = async () => {
        const [ready, change] = await Promise.all([
          fetch(`${urls[0]}/health/ready`).then((response) => response.text()),
          people.ask("PATCH", "/projects/bench", { description: "after" })
        ])
        return { ready: JSON.parse(ready), change: change.json?.code ?? change.status }
      }
      const state = await stateOf()
      // the address of the servers is in this process, which must not block
      const svc = (...words: ReadonlyArray<string>) =>
        new Promise<{ readonly status: number; readonly text: string }>((resolve) => {
          const child = execFile(process.execPath, [program, ...words], { env: place.env }, (_error, stdout, stderr) =>
            resolve({ status: child.exitCode ?? 1, text: stdout + stderr }))
        })
      const forked = state.ready.reason === "audit_log" ? await svc("audit", "fork-cleanup") : null
      if (forked !== null) {
        await sleep(afterMillis / 2)
      }
      const end = forked === null ? state : await stateOf()
      isOver = true
      await Promise.all([sending, commanding, reading, watching])
      for (const { id } of (await people.ask("GET", "/projects/bench/schedules")).json.items) {
        await people.ask("POST", `/projects/bench/schedules/${id}/disable`)
      }

      for (
        let at = 0;
        at < settleMillis && agents.some((agent) =>
          agent.waiting() > 0
        );
        at += 100
      ) {
        await sleep(100)
      }
      await sleep(22_000) // commands that are open time out
      const stored = await Effect.runPromise(servers.onStandby("SELECT task_id, state FROM tasks"))
      const states = new Map(stored.map(({ state, task_id }) => [task_id, state]))
      const lost = [...journal.acked].filter(([id, task]) =>
        states.get(id) !== task.state
      ).length
      const commands = await Effect.runPromise(
        servers.onStandby("SELECT id, status FROM commands WHERE action = 'cancel_task'")
      )
      const statuses = new Map(commands.map(({ id, status }) => [id, String(status)]))
      const fires = await Effect.runPromise(
        servers.onStandby(
          "SELECT schedule_id, extract(epoch FROM scheduled_for::timestamptz)::int AS tick, status FROM schedule_fires"
        )
      )
      const missed = Object.values(Arr.groupBy(fires, ({ schedule_id }) => String(schedule_id))).map((some) => {
        const ticks = some.map(({ tick }) => Number(tick))
        return Math.max(...ticks) - Math.min(...ticks) + 1 - new Set(ticks).size
      })
      const count = (values: ReadonlyArray<string>) =>
        Object.fromEntries(
          Object.entries(Arr.groupBy(values, (value) => value)).map(([name, all]) => [name, all.length])
        )
      const twice = (counts: ReadonlyMap<string, number>) => [...counts.values()].filter((n) => n > 1).length
      for (const agent of agents) agent.end()
      const verified = await svc("audit", "verify")
      return {
        bench: "failover",
        synchronous,
        cutSeconds,
        rate,
        promoteSeconds,
        firstSeconds: firsts.seconds,
        tasks: {
          ackedBefore,
          sent: journal.sentTasks,
          acked: journal.ackedTasks,
          stored: stored.length,
          lost,
          reconnects: journal.connections - connectionsBefore
        },
        commands: {
          accepted: accepted.length,
          ...count(accepted.map((id) => statuses.get(id) ?? "gone")),
          executed: journal.commands.size,
          executedTwice: twice(journal.commands)
        },
        fires: {
          rows: fires.length,
          ...count(fires.map(({ status }) => String(status))),
          missed: missed.reduce((sum, n) => sum + n, 0),
          executed: journal.fires.size,
          executedTwice: twice(journal.fires)
        },
        repetitions: journal.repetitions,
        brain: state,
        forkCleanup: forked === null ? null : { ...forked, afterwards: end },
        answers: Object.fromEntries(people.answers),
        audit: verified.status === 0 ? "verified" : verified.text
      }
    })
  })

const { cutSeconds, rate, synchronous } = numbersOf("failover", { synchronous: 1, cutSeconds: 0, rate: 200 })
report(measure(synchronous === 1, cutSeconds, rate))
