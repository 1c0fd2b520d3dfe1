import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { svcHere } from "../cli/svcHere.ts"
import { freePort } from "../ports.ts"
import { until } from "../until.ts"
import { ended } from "./childProgram.ts"

export interface BrainProcess {
  readonly url: string
  /** kill -9, and waits until it is gone. */
  readonly kill: Effect.Effect<void>
  /** SIGSTOP: it is there, and does nothing any more. */
  readonly freeze: Effect.Effect<void>
  /** SIGCONT: it resumes. */
  readonly resume: Effect.Effect<void>
  /** SIGTERM; returns the exit code. */
  readonly stop: Effect.Effect<number | null>
  /** Starts it again on the same port, home and database, and waits until it is ready. */
  readonly start: Effect.Effect<void>
  readonly log: () => string
  readonly pid: () => number
}

/** A home and a database that outlive the brains started on them, with an admin already made. */
export interface Site {
  readonly env: Readonly<Record<string, string>>
  readonly brain: Effect.Effect<BrainProcess, never, Scope.Scope>
  /** A brain with settings of its own, such as a port, or of another program, such as another version. */
  readonly brainWith: (
    settings: Readonly<Record<string, string>>,
    program?: string
  ) => Effect.Effect<BrainProcess, never, Scope.Scope>
}

const password = "correct horse battery"
const email = "admin@example.com"

interface SiteOptions {
  /** The path of a SQLite database with all migrations, to begin with: to migrate a fresh one takes longer. */
  readonly migrated?: string
}

/**
 * A site of the program `svc` at this path, in a fresh home; on SQLite unless the settings name a database. Benches use it
 * too, so nothing here may import vitest.
 */
export const siteOf = (
  program: string,
  settings: Readonly<Record<string, string>> = {},
  { migrated = "" }: SiteOptions = {}
) =>
  Effect.gen(function*() {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-e2e-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
    )
    const env = {
      PATH: process.env.PATH ?? "",
      SVC_HOME: home,
      SVC_LOG_LEVEL: "warning",
      SVC_DATABASE_POOL_SIZE: "8",
      ...settings
    }
    const bootstrap = ["bootstrap-admin", "--email", email, "--display-name", "Admin", "--password-stdin"]
    if (migrated !== "") copyFileSync(migrated, join(home, "svc.db"))
    const { code, stderr } = yield* svcHere(bootstrap, env, { input: password })
    if (code !== 0) return yield* Effect.dieMessage(`bootstrap-admin ended with ${code}: ${stderr}`)

    return siteIn(program, env)
  })

/** The site of an existing home and database, which the settings name. `node`: the program that runs the brains. */
export const siteIn = (
  program: string,
  env: Readonly<Record<string, string>>,
  node: string = process.execPath
): Site => {
  const brainWith = (own: Readonly<Record<string, string>>, servedBy = program) =>
    Effect.gen(function*() {
      const port = yield* freePort
      const url = `http://127.0.0.1:${port}`
      let child: ChildProcess | undefined
      let log = ""
      const ready = Effect.promise(async () => {
        try {
          return (await fetch(`${url}/health/ready`)).status
        } catch {
          return 0
        }
      })
      const start = Effect.sync(() => {
        const started = spawn(node, [servedBy, "serve", "--port", String(port)], {
          env: { ...env, ...own },
          stdio: ["ignore", "pipe", "pipe"]
        })
        for (const stream of [started.stdout, started.stderr]) {
          stream.on("data", (chunk) => (log += String(chunk)))
        }
        child = started
      }).pipe(
        Effect.zipRight(until(ready, (status) => status === 200)),
        Effect.asVoid,
        Effect.tapError(() => Effect.log(log)),
        Effect.orDie
      )
      const signal = (name: NodeJS.Signals) =>
        Effect.suspend(() => {
          if (child === undefined) return Effect.succeed(null)
          const running = child
          running.kill(name)
          return Effect.map(ended(running), () => running.exitCode)
        })
      yield* Effect.acquireRelease(start, () => signal("SIGKILL"))
      return {
        url,
        start,
        kill: Effect.asVoid(signal("SIGKILL")),
        freeze: Effect.sync(() => child?.kill("SIGSTOP")),
        resume: Effect.sync(() => child?.kill("SIGCONT")),
        stop: signal("SIGTERM"),
        log: () => log,
        pid: () => child?.pid ?? 0
      } satisfies BrainProcess
    })
  return { env, brain: brainWith({}), brainWith }
}

export type Call = (method: string, path: string, body?: unknown) => Effect.Effect<{
  readonly status: number
  // tests read any member of the response
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}>

/** Signs in as the admin and makes an API key that may do all. */
export const adminKey = (brain: Pick<BrainProcess, "url">) =>
  Effect.promise(async () => {
    const login = await fetch(`${brain.url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password })
    })
    if (login.status !== 200) throw new Error(await login.text())
    const cookies = login.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "")
    const csrf = cookies.find((cookie) => cookie.includes("csrf"))?.split("=")[1] ?? ""
    const created = await fetch(`${brain.url}/api/v1/api-keys`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        cookie: cookies.join("; "),
        "x-csrf-token": decodeURIComponent(csrf)
      },
      body: JSON.stringify({ name: "e2e", scopes: ["admin:*"] })
    })
    if (created.status !== 201) throw new Error(await created.text())
    const { token } = (await created.json()) as { readonly token: string } // ApiKeyCreated of the contract
    return token
  })

/** Signs in as the admin, and returns REST calls under /api/v1 with a key of theirs, to any brain of the site. */
export const signedIn = (brain: BrainProcess) =>
  Effect.map(
    adminKey(brain),
    (token) => (at: BrainProcess): Call => (method, path, body) =>
      Effect.promise(async () => {
        const response = await fetch(`${at.url}/api/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        const text = await response.text()
        return { status: response.status, json: text === "" ? null : JSON.parse(text) }
      })
  )
