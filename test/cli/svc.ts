import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { inject } from "vitest"
import { freePort } from "../ports.ts"

/** The result of one run of the real program. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type Settings = Readonly<Record<string, string>>

const start = (args: ReadonlyArray<string>, settings: Settings, uid?: number): ChildProcess =>
  spawn(process.execPath, [inject("program"), ...args], {
    env: { PATH: process.env.PATH ?? "", ...settings },
    stdio: "pipe",
    ...(uid !== undefined && { uid, gid: uid })
  })

/** Runs `svc` with these arguments and settings to its end; `input` goes to its standard input. */
export const svc = (
  args: ReadonlyArray<string>,
  settings: Settings,
  options: { readonly input?: string; readonly uid?: number } = {}
): Effect.Effect<Ran> =>
  Effect.async<Ran>((resume) => {
    const child = start(args, settings, options.uid)
    let stdout = ""
    let stderr = ""
    child.stdout?.on("data", (chunk) => (stdout += String(chunk)))
    child.stderr?.on("data", (chunk) => (stderr += String(chunk)))
    child.stdin?.end(options.input ?? "")
    child.on("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

export interface Running {
  readonly stdout: () => string
  readonly stderr: () => string
  /** The exit code, once it ends by itself. */
  readonly exit: Effect.Effect<number | null>
  /** Sends the signal and returns the exit code. */
  readonly stop: (signal: NodeJS.Signals) => Effect.Effect<number | null>
}

/** `svc` with these arguments, which runs until it is stopped; killed with the scope. */
export const running = (args: ReadonlyArray<string>, settings: Settings): Effect.Effect<Running, never, Scope.Scope> =>
  Effect.gen(function*() {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => start(args, settings)),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    let stdout = ""
    let stderr = ""
    child.stdout?.on("data", (chunk) => (stdout += String(chunk)))
    child.stderr?.on("data", (chunk) => (stderr += String(chunk)))
    const exit = new Promise<number | null>((resolve) => child.on("close", resolve))
    return {
      stdout: () => stdout,
      stderr: () => stderr,
      exit: Effect.promise(() => exit),
      stop: (signal) =>
        Effect.promise(() => {
          child.kill(signal)
          return exit
        })
    }
  })

/**
 * `svc` on a terminal of its own (script of util-linux), where a person types `typed` once `prompt` is shown, and what
 * comes `next`. Returns what the terminal showed.
 */
export const onTerminal = (
  args: ReadonlyArray<string>,
  settings: Settings,
  { prompt = "", next = [], typed = "" }: {
    readonly prompt?: string
    readonly typed?: string
    readonly next?: ReadonlyArray<{ readonly prompt: string; readonly typed: string }>
  } = {}
): Effect.Effect<{ readonly code: number | null; readonly shown: string }> =>
  Effect.async((resume) => {
    const quoted = [process.execPath, inject("program"), ...args].map((word) => `'${word}'`).join(" ")
    const child = spawn("script", ["-qec", quoted, "/dev/null"], {
      env: { PATH: process.env.PATH ?? "", TERM: "xterm", ...settings }
    })
    let shown = ""
    const waiting = [...(prompt === "" ? [] : [{ prompt, typed }]), ...next]
    child.stdout.on("data", (chunk) => {
      shown += String(chunk)
      const [due] = waiting
      if (due === undefined || !shown.includes(due.prompt)) return
      waiting.shift()
      child.stdin.write(due.typed)
    })
    child.on("close", (code) => resume(Effect.succeed({ code, shown })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

export interface Serving {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Sends the signal and returns the exit code. */
  readonly stop: (signal: NodeJS.Signals) => Effect.Effect<number | null>
}

/** `svc serve` on a free port, ready; ended with the scope. Dies with what it printed when it ends before. */
export const serving = (
  settings: Settings,
  args: ReadonlyArray<string> = []
): Effect.Effect<Serving, never, Scope.Scope> =>
  Effect.gen(function*() {
    const port = yield* freePort
    let stdout = ""
    let stderr = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => start(["serve", "--port", String(port), ...args], settings)),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const exit = new Promise<number | null>((resolve) => child.on("close", resolve))
    child.stdout?.on("data", (chunk) => (stdout += String(chunk)))
    yield* Effect.promise(() =>
      new Promise<void>((resolve, reject) => {
        child.stderr?.on("data", (chunk) => {
          stderr += String(chunk)
          if (stderr.includes("is ready at")) resolve()
        })
        void exit.then((code) => reject(new Error(`it ended with ${code}: ${stderr}${stdout}`)))
      })
    )
    return {
      url: `http://127.0.0.1:${port}`,
      port,
      pid: child.pid ?? 0,
      stdout: () => stdout,
      stderr: () => stderr,
      stop: (signal) =>
        Effect.promise(() => {
          child.kill(signal)
          return exit
        })
    }
  })
