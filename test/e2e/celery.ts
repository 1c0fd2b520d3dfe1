import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** A real Celery worker with the published agent beside it, in a virtual environment that is made once. */
const folder = join(import.meta.dirname, "celery")
const requirements = join(folder, "requirements.txt")
const environment = join(import.meta.dirname, "../../node_modules/.cache/svc-e2e-celery")

/** Makes the virtual environment unless it has these requirements. One process of the tests does it; others wait. */
const virtualEnvironment = Effect.promise(async () => {
  await mkdir(dirname(environment), { recursive: true })
  await promisify(execFile)("flock", [
    `${environment}.lock`,
    "sh",
    "-euc",
    `cmp -s "$1" "$2/requirements.txt" && exit
    rm -rf "$2"
    python3 -m venv "$2"
    "$2/bin/pip" install --quiet --disable-pip-version-check -r "$1"
    cp "$1" "$2/requirements.txt"`,
    "sh",
    requirements,
    environment
  ])
  return join(environment, "bin")
})

export interface Celery {
  /** Enqueues one of the shop's tasks by the name in `shop.py`; answers the task ids. */
  readonly send: (what: string) => Effect.Effect<ReadonlyArray<string>>
  /** What worker and agent have printed. */
  readonly log: () => string
}

/**
 * Starts `celery worker -E` (prefork, two processes) on the given Redis database, with the agent set up for the brain
 * at `brainUrl`. The worker and the folder of the agent's buffer are gone with the scope.
 */
export const celeryWorker = (options: {
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
  /** File of the certificate to trust, for an https brain. */
  readonly authority?: string
}) =>
  Effect.gen(function*() {
    const bin = yield* virtualEnvironment
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
      SHOP_BROKER: broker,
      Z4J_HOME: home,
      Z4J_BRAIN_URL: options.brainUrl,
      Z4J_PROJECT_ID: options.project,
      Z4J_AGENT_ID: options.agentId,
      Z4J_TOKEN: options.token,
      Z4J_HMAC_SECRET: options.hmacSecret,
      Z4J_TRANSPORT: options.transport ?? "ws",
      Z4J_WORKER_ROLE: "task",
      ...(options.authority === undefined ? {} : { SSL_CERT_FILE: options.authority }),
      Z4J_CELERY_LOCAL_HOSTNAME: options.node
    }
    yield* Effect.promise(() =>
      promisify(execFile)(join(bin, "python"), ["-c", `import redis; redis.Redis.from_url("${broker}").flushdb()`], {
        env
      })
    )
    let log = ""
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(
          join(bin, "celery"),
          [
            "-A",
            "shop",
            "worker",
            "-E",
            "--concurrency",
            "2",
            "--hostname",
            options.node,
            "--queues",
            "celery",
            "--loglevel",
            "INFO"
          ],
          { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] }
        )
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += String(chunk)))
        return child
      }),
      (child) =>
        Effect.async<void>((resume) => {
          if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
          child.once("exit", () => resume(Effect.void))
          child.kill("SIGTERM")
        }).pipe(
          Effect.interruptible,
          Effect.timeoutOption("8 seconds"),
          Effect.zipRight(Effect.sync(() => child.kill("SIGKILL")))
        )
    )
    const send = (what: string) =>
      Effect.promise(async () => {
        const { stdout } = await promisify(execFile)(join(bin, "python"), ["-m", "shop", what], {
          cwd: home,
          env: { ...env, Z4J_DISABLED: "1" }
        })
        return (stdout.trim().split("\n").at(-1) ?? "").split(" ")
      })
    return { send, log: () => log } satisfies Celery
  })
