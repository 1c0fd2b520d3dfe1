/**
 * Idle agents: the brain's memory and CPU with N agents that only send heartbeats, and the time until all are online.
 * Each has its own token and socket and sends a heartbeat and a status every 10 seconds, as the published agents do.
 * Connects come from many loopback addresses, since one address may make 600 a minute. One line of JSON.
 * Run: npm run bench bench/agents.ts sqlite|postgresql [agents=1000]
 */
import { Effect, Schedule } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { connectAgent, type TestAgent } from "../test/agent.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { databaseAndNumbersOf, report } from "./run.ts"

const restSeconds = 10
const measureSeconds = 30
const heartbeatMillis = 10_000
const connectsAtOnce = 64
const agentsOfAddress = 400
const clockTicksPerSecond = 100

const pidOf = (port: string): number =>
  Number(
    readdirSync("/proc").find((entry) => {
      if (!/^\d+$/.test(entry)) return false
      try {
        return readFileSync(`/proc/${entry}/cmdline`, "utf8").includes(`serve\0--port\0${port}\0`)
      } catch {
        return false // the process ended in between
      }
    })
  )

const rssKib = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

/** User and system time of the process so far, in seconds. */
const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ")
  return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond
}

const beat = (agent: TestAgent) => {
  const beatOnce = () => {
    agent.heartbeat({ "rq.broker_type": "redis", "rq.broker_connected": "True", "rq.queue_depths": "{}" })
    agent.status()
  }
  beatOnce()
  setTimeout(() => setInterval(beatOnce, heartbeatMillis), Math.random() * heartbeatMillis)
}

const { agents: count, database } = databaseAndNumbersOf("agents", { agents: 1000 })

report(Effect.gen(function*() {
  const program = yield* builtProgram
  const { brain, call, credentials } = yield* runningBrain(program, database, count)
  yield* brain.stop // what making the agents has left behind is not what they cost
  yield* brain.start
  const pid = pidOf(new URL(brain.url).port)
  yield* Effect.promise(() => sleep(restSeconds * 1000))
  const restKib = rssKib(pid)

  const cpuAtRest = cpuSeconds(pid)
  const begin = performance.now()
  const agents = yield* Effect.forEach(
    credentials,
    ({ hmacSecret, token }, index) =>
      Effect.promise(() =>
        connectAgent({
          base: brain.url,
          token,
          hmac_secret: hmacSecret,
          localAddress: `127.0.${1 + Math.floor(index / agentsOfAddress / 250)}.${
            1 + (Math.floor(index / agentsOfAddress) % 250)
          }`
        }).then((agent) => {
          beat(agent)
          return agent
        })
      ),
    { concurrency: connectsAtOnce }
  )
  const online = Effect.map(
    call("GET", "/projects/bench/agents"),
    ({ json }) => json.filter((agent: { readonly state: string }) => agent.state === "online").length
  )
  yield* Effect.repeat(online, {
    until: (onlineCount) => onlineCount === count,
    schedule: Schedule.spaced("200 millis")
  })
  const onlineSeconds = (performance.now() - begin) / 1000
  const connectCpu = cpuSeconds(pid) - cpuAtRest

  yield* Effect.promise(() => sleep(restSeconds * 1000))
  const cpuBefore = cpuSeconds(pid)
  yield* Effect.promise(() => sleep(measureSeconds * 1000))
  const cpu = (cpuSeconds(pid) - cpuBefore) / measureSeconds
  const kib = rssKib(pid)
  return {
    bench: "agents",
    database,
    agents: count,
    still_connected: agents.filter((agent) => agent.ws.readyState === agent.ws.OPEN).length,
    all_online_s: Number(onlineSeconds.toFixed(2)),
    connect_cpu_s: Number(connectCpu.toFixed(2)),
    cpu_share_of_a_core: Number(cpu.toFixed(4)),
    rest_mib: Math.round(restKib / 1024),
    rss_mib: Math.round(kib / 1024),
    kib_per_agent: Number(((kib - restKib) / count).toFixed(1))
  }
}))
