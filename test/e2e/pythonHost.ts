import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { startProgram } from "./childProgram.ts"
import { virtualEnvironment } from "./virtualEnvironment.ts"

export interface PythonProcess {
  /** What the process has printed. */
  readonly log: () => string
  /** Ends it without a chance to clean up, as the kernel does when memory runs out. */
  readonly kill: Effect.Effect<void>
  /** Asks it to end, as a deployment does: a worker ends its tasks first. */
  readonly stop: Effect.Effect<void>
}

export interface PythonOptions {
  readonly brainUrl: string
  readonly project: string
  readonly agentId: string
  readonly token: string
  readonly hmacSecret: string
  readonly redisDatabase: number
  /** Of a Redis of the test's own. */
  readonly redisPort?: number
  readonly transport?: "ws" | "longpoll"
  /** File of the certificate to trust, for an https brain. */
  readonly authority?: string
}

/**
 * A host with the virtual environment of `folder`'s requirements, a home for the agents' files, an empty Redis database,
 * and environment variables that set the agents up for the brain at `brainUrl`. Modules are found in `app`, or in
 * `folder`. Its processes and its home are gone with the scope.
 */
export const pythonHost = (
  { app, environment, folder, options }: {
    readonly environment: string
    readonly folder: string
    readonly app?: string | undefined
    readonly options: PythonOptions
  }
) =>
  Effect.gen(function*() {
    const bin = yield* virtualEnvironment(environment, join(folder, "requirements.txt"))
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), `svc-${environment}-`))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
    )
    const broker = `redis://127.0.0.1:${options.redisPort ?? 6379}/${options.redisDatabase}`
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: home,
      PYTHONPATH: app ?? folder,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONUNBUFFERED: "1",
      SHOP_BROKER: broker,
      Z4J_HOME: home,
      Z4J_BRAIN_URL: options.brainUrl,
      Z4J_PROJECT_ID: options.project,
      Z4J_AGENT_ID: options.agentId,
      Z4J_TOKEN: options.token,
      Z4J_HMAC_SECRET: options.hmacSecret,
      Z4J_TRANSPORT: options.transport ?? "ws",
      ...(options.authority === undefined ? {} : { SSL_CERT_FILE: options.authority })
    }

    /** Runs a Python module without an agent; returns what it printed. */
    const python = (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
      Effect.promise(async () => {
        const { stdout } = await promisify(execFile)(join(bin, "python"), [...args], {
          cwd: home,
          env: { ...env, ...more, Z4J_DISABLED: "1" }
        })
        return stdout.trim()
      })

    /** Starts a program of the environment beside its agent. */
    const start = (
      program: string,
      args: ReadonlyArray<string>,
      role: "task" | "scheduler",
      more: Readonly<Record<string, string>> = {}
    ) =>
      Effect.map(
        startProgram(join(bin, program), args, { cwd: home, env: { ...env, ...more, Z4J_WORKER_ROLE: role } }),
        ({ child, log }): PythonProcess => ({
          log,
          kill: Effect.sync(() => void child.kill("SIGKILL")),
          stop: Effect.sync(() => void child.kill("SIGTERM"))
        })
      )

    yield* python(["-c", `import redis; redis.Redis.from_url("${broker}").flushdb()`])
    return { python, start, env, home } as const
  })
