import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { startProgram } from "./childProgram.ts"
import { virtualEnvironment } from "./virtualEnvironment.ts"

/** A real Celery worker with the published agent beside it, in a virtual environment that is made once. */
const folder = join(import.meta.dirname, "celery")
const requirements = join(folder, "requirements.txt")

export interface CeleryProcess {
  /** What the process has printed. */
  readonly log: () => string
  /** Ends it without a chance to clean up, as the kernel does when memory runs out. */
  readonly kill: Effect.Effect<void>
  /** Asks it to end, as a deployment does: a worker ends its tasks first. */
  readonly stop: Effect.Effect<void>
}

export interface CeleryOptions {
  readonly brainUrl: string
  readonly project: string
  readonly agentId: string
  readonly token: string
  readonly hmacSecret: string
  readonly redisDatabase: number
  readonly node: string
  readonly transport?: "ws" | "longpoll"
  /** Where `shop.py` is, when it is another one than the tests' own. */
  readonly app?: string
  /** Whether the worker reports starts and ends (`-E`); true unless given. */
  readonly events?: boolean
  /** File of the certificate to trust, for an https brain. */
  readonly authority?: string
}

/**
 * A host with the virtual environment, a home for the agents' files, an empty Redis database, and environment variables
 * that set the agents up for the brain at `brainUrl`. Its processes and its home are gone with the scope.
 */
export const celeryHost = (options: CeleryOptions) =>
  Effect.gen(function*() {
    const bin = yield* virtualEnvironment("celery", requirements)
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-celery-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
    )
    const broker = `redis://127.0.0.1:6379/${options.redisDatabase}`
    const env = {
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: home,
      PYTHONPATH: options.app ?? folder,
      PYTHONDONTWRITEBYTECODE: "1",
      PYTHONUNBUFFERED: "1",
      SHOP_BROKER: broker,
      SHOP_DATABASE: join(home, "shop.sqlite"),
      SHOP_LOG: join(home, "shop.log"),
      SHOP_EVENTS: options.events === false ? "off" : "on",
      Z4J_HOME: home,
      Z4J_BRAIN_URL: options.brainUrl,
      Z4J_PROJECT_ID: options.project,
      Z4J_AGENT_ID: options.agentId,
      Z4J_TOKEN: options.token,
      Z4J_HMAC_SECRET: options.hmacSecret,
      Z4J_TRANSPORT: options.transport ?? "ws",
      ...(options.authority === undefined ? {} : { SSL_CERT_FILE: options.authority }),
      Z4J_CELERY_LOCAL_HOSTNAME: options.node
    }

    /** Runs a Python module without an agent; answers what it printed. */
    const python = (...args: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const { stdout } = await promisify(execFile)(join(bin, "python"), [...args], {
          cwd: home,
          env: { ...env, Z4J_DISABLED: "1" }
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
        ({ child, log }): CeleryProcess => ({
          log,
          kill: Effect.sync(() => void child.kill("SIGKILL")),
          stop: Effect.sync(() => void child.kill("SIGTERM"))
        })
      )

    yield* python("-c", `import redis; redis.Redis.from_url("${broker}").flushdb()`)
    return { python, start, env }
  })

/** A host with `celery worker` (prefork, two processes), with `-E` unless `events` is false. */
export const celeryWorker = (options: CeleryOptions) =>
  Effect.gen(function*() {
    const { python, start } = yield* celeryHost(options)
    const { log } = yield* start(
      "celery",
      [
        "-A",
        "shop",
        "worker",
        ...(options.events === false ? [] : ["-E"]),
        "--concurrency",
        "2",
        "--hostname",
        options.node,
        "--queues",
        "celery",
        "--loglevel",
        "INFO"
      ],
      "task"
    )
    /** Enqueues one of the shop's tasks by the name in `shop.py`; answers the task ids. */
    const send = (what: string) =>
      Effect.map(python("-m", "shop", what), (output) => (output.split("\n").at(-1) ?? "").split(" "))
    return { send, log, start, python } as const
  })
