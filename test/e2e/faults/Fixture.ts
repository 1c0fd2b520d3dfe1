import { Effect, Scope } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { until } from "../../until.ts"
import { type BrainProcess, type Call, signedIn } from "../brainProcess.ts"
import type { Gate, Job, Report } from "./Protocol.ts"
import { type Proxy, proxyTo } from "./Proxy.ts"

/** A running process of an agent. */
export interface AgentProcess {
  readonly workerId: string
  /** Waits until it has reported this, that often. */
  readonly waitForReport: (what: Report["report"], times?: number) => Effect.Effect<void>
  /** Opens its gate, whichever it waits at. */
  readonly openGate: Effect.Effect<void>
  /** kill -9, and waits until it is gone. */
  readonly kill: Effect.Effect<void>
}

/** One agent with a proxy before the brain, and one command to it. */
export interface Actor {
  readonly agentId: string
  readonly proxy: Proxy
  /** Starts a process of the agent, through the proxy; or to another brain, without it. */
  readonly start: (hold: Gate | null, brain?: BrainProcess) => Effect.Effect<AgentProcess>
  readonly issue: Effect.Effect<string>
}

export interface Ending {
  readonly status: string
  readonly error: string | null
  /** Worker ids, one each time the command was executed. */
  readonly executions: ReadonlyArray<string>
}

/** What the tests of failures share: a project at this brain, agents, and a journal of what was executed. */
export const makeFixture = (brain: BrainProcess) =>
  Effect.gen(function*() {
    const program = join(inject("programs"), "fault-agent.js")
    const scope = yield* Effect.scope
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-journal-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const journal = join(folder, "journal")
    writeFileSync(journal, "")
    const callAs = yield* signedIn(brain)
    const call: Call = callAs(brain)
    yield* call("POST", "/projects", { slug: "faults", name: "faults" })
    let processes = 0

    const startProcess = (job: Omit<Job, "worker_id" | "journal">) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const workerId = `bare-${process.pid}-${++processes}`
          const child: ChildProcess = fork(program, [
            JSON.stringify({ ...job, worker_id: workerId, journal } satisfies Job)
          ], { execArgv: [] })
          const reports: Array<string> = []
          child.on("message", (message) => reports.push((message as Report).report)) // it sends nothing else
          return { child, heard: reports, workerId }
        }),
        ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
      ).pipe(
        Effect.map(({ child, heard: reports, workerId }): AgentProcess => ({
          workerId,
          waitForReport: (what, times = 1) =>
            Effect.asVoid(
              Effect.orDie(until(
                Effect.sync(() => reports.filter((report) => report === what).length),
                (count) => count >= times
              ))
            ),
          openGate: Effect.sync(() => child.send("open")),
          kill: Effect.async((resume) => {
            child.once("exit", () => resume(Effect.void))
            child.kill("SIGKILL")
          })
        })),
        Effect.provideService(Scope.Scope, scope)
      )

    const actor = Effect.gen(function*() {
      const { json } = yield* call("POST", "/projects/faults/agents", { name: randomUUID() })
      const agentId = String(json.agent.id)
      const { port, proxy } = yield* proxyTo({ host: "127.0.0.1", port: Number(new URL(brain.url).port) })
      const secrets = { token: String(json.token), hmac_secret: String(json.hmac_secret) }
      const created: Actor = {
        agentId,
        proxy,
        start: (hold, other) => startProcess({ ...secrets, base: other?.url ?? `http://127.0.0.1:${port}`, hold }),
        issue: Effect.flatMap(
          call("POST", "/projects/faults/commands/cancel-task", { agent_id: agentId, engine: "celery", task_id: "t" }),
          (
            { json, status }
          ) => (status === 202 ? Effect.succeed(String(json.id)) : Effect.dieMessage(`not accepted: ${status}`))
        )
      }
      return created
    })

    const statusOf = (id: string) =>
      Effect.map(call("GET", `/projects/faults/commands/${id}`), ({ json }) => String(json.status))
    const waitForStatus = (id: string, ...wanted: ReadonlyArray<string>) =>
      Effect.asVoid(Effect.orDie(until(statusOf(id), (status) => wanted.includes(status))))

    /** How the command came out in the end. */
    const endingOf = (id: string) =>
      Effect.gen(function*() {
        yield* waitForStatus(id, "completed", "failed", "timeout", "cancelled")
        const { json } = yield* call("GET", `/projects/faults/commands/${id}`)
        const lines = readFileSync(journal, "utf8").split("\n").filter((line) => line.startsWith(id))
        return {
          status: json.status,
          error: json.error,
          executions: lines.map((line) => line.split(" ")[1] ?? "")
        } satisfies Ending
      })

    /** Waits until the brain knows that the process is gone. */
    const waitForOffline = (process: AgentProcess) =>
      Effect.asVoid(Effect.orDie(until(call("GET", "/projects/faults/agent-workers"), ({ json }) =>
        json.some(({ state, worker_id }: { state: string; worker_id: string }) =>
          worker_id === process.workerId && state === "offline"
        ))))

    return { call, actor, waitForStatus, endingOf, waitForOffline, journal } as const
  })
