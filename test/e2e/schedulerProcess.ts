import { assert } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import { cli } from "../../src/cli/scheduler/Command.ts"
import { svcHere } from "../cli/svcHere.ts"
import { until } from "../until.ts"
import { ended } from "./childProgram.ts"

const temporaryFolder = (prefix: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), prefix))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** The certificates of a brain on this machine and of schedulers, by `svc mint-scheduler-cert`: what it prints are settings. */
export const certificates = Effect.gen(function*() {
  const folder = yield* temporaryFolder("svc-ca-")
  const authority = ["--ca-cert", join(folder, "ca.pem"), "--ca-key", join(folder, "ca-key.pem")]
  const mint = (name: string, ...options: ReadonlyArray<string>) =>
    Effect.map(
      svcHere(
        ["mint-scheduler-cert", "--name", name, "--out-dir", folder, ...authority, ...options],
        {}
      ),
      ({ code, stderr, stdout }) => {
        assert.strictEqual(code, 0, stderr)
        return Object.fromEntries(
          stdout.split("\n").filter((line) => line.startsWith("SVC_")).map((line) => line.split("=", 2))
        ) as Readonly<Record<string, string>> // each line has a name and a value
      }
    )
  const brain = yield* mint("brain", "--server-hosts", "localhost,127.0.0.1")
  return { brain: { ...brain, SVC_SCHEDULER_GRPC_BIND: "127.0.0.1" }, scheduler: yield* mint("scheduler-1") }
})

/** The part of `status --json` that tests read. */
interface Status {
  readonly running: boolean
  readonly connected: boolean
  readonly waiting_fires: number
  readonly projects: ReadonlyArray<{ readonly slug: string; readonly role: "fires" | "stands_by" }>
}

export interface SchedulerProcess {
  readonly kill: Effect.Effect<void>
  /** SIGSTOP: it is there, and does nothing any more. */
  readonly freeze: Effect.Effect<void>
  /** SIGCONT: it resumes. */
  readonly resume: Effect.Effect<void>
  /** SIGTERM; returns the exit code. */
  readonly stop: Effect.Effect<number | null>
  readonly start: Effect.Effect<void>
  /** Runs `svc-scheduler` with these arguments beside it, in this process: tests ask for the status again and again. */
  readonly run: (
    ...args: ReadonlyArray<string>
  ) => Effect.Effect<{ readonly code: number | null; readonly text: string }>
  readonly status: Effect.Effect<Status>
  readonly log: () => string
}

/** A scheduler in a home folder of its own, started; killed with the scope. */
export const schedulerProcess = (
  settings: Readonly<Record<string, string>>
): Effect.Effect<SchedulerProcess, never, Scope.Scope> =>
  Effect.gen(function*() {
    const program = join(dirname(inject("program")), "svc-scheduler.js")
    const env = {
      PATH: process.env.PATH ?? "",
      SVC_SCHEDULER_HOME: yield* temporaryFolder("svc-scheduler-"),
      ...settings
    }
    let child: ChildProcess | undefined
    let log = ""
    const start = Effect.sync(() => {
      const started = spawn(process.execPath, [program, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] })
      for (const stream of [started.stdout, started.stderr]) stream.on("data", (chunk) => (log += String(chunk)))
      child = started
    })
    const signal = (name: NodeJS.Signals) =>
      Effect.suspend(() => {
        if (child === undefined) return Effect.succeed(null)
        const running = child
        running.kill(name)
        return Effect.map(ended(running), () => running.exitCode)
      })
    const run = (...args: ReadonlyArray<string>) =>
      Effect.map(svcHere(args, env, { cli }), ({ code, stderr, stdout }) => ({ code, text: stdout + stderr }))
    yield* Effect.acquireRelease(start, () => signal("SIGKILL"))
    return {
      start,
      run,
      // what the program prints is its own contract
      status: Effect.flatMap(run("status", "--json"), ({ text }) => {
        const line = text.split("\n").find((one) => one.startsWith("{"))
        return line === undefined ? Effect.dieMessage(text) : Effect.succeed(JSON.parse(line) as Status)
      }),
      kill: Effect.asVoid(signal("SIGKILL")),
      freeze: Effect.sync(() => child?.kill("SIGSTOP")),
      resume: Effect.sync(() => child?.kill("SIGCONT")),
      stop: signal("SIGTERM"),
      log: () => log
    }
  })

/** Waits until it fires (`fires`) or is a standby. */
export const untilRole = (scheduler: SchedulerProcess, role: "fires" | "stands_by") =>
  until(scheduler.status, ({ connected, projects }) => connected && projects.some((project) => project.role === role))
