import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { type Engine, temporaryHome } from "../../databases.ts"
import { freePort } from "../../ports.ts"
import { migratedPostgres } from "../../postgres.ts"
import { until } from "../../until.ts"
import { ended, startProgram } from "../childProgram.ts"

/** The admin of the demo. */
export const email = "demo@example.com"

/** The plain demo's program and its arguments on this engine. */
const plainOn = (engine: Engine, port: number) => {
  const plain = [join(inject("programs"), "demo.js"), String(port)]
  return engine === "SQLite" ? Effect.succeed(plain) : Effect.map(migratedPostgres, ({ url }) => [...plain, url])
}

/**
 * A shop whose tasks begin, fail and end all the time; its API with the key of the demo, which may do everything. About
 * half of the dashboard's tests run on each engine: no page knows which one it is.
 */
export const shopOn = (engine: Engine, settings: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    const port = yield* freePort
    const program = yield* plainOn(engine, port)
    const start = Effect.gen(function*() {
      const env = { PATH: process.env.PATH ?? "", HOME: home, ...settings }
      const started = yield* startProgram(process.execPath, program, { env })
      yield* until(Effect.sync(started.log), (log) => log.includes("the shop is open"))
      return started
    })
    let running = yield* start
    const password = /password (\S+)/.exec(running.log())?.[1] ?? ""
    const key = /SVC_API_KEY=(\S+)/.exec(readFileSync(join(home, ".svc-demo/env"), "utf8"))?.[1] ?? ""
    const url = `http://127.0.0.1:${port}`
    const send = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      const text = await response.text()
      return { ok: response.ok, text, json: text === "" ? null : JSON.parse(text) }
    }
    const call = async (method: string, path: string, body?: unknown) => {
      const { json, ok, text } = await send(method, path, body)
      assert.isTrue(ok, text)
      return json
    }
    const invite = async (name: string, role: "viewer" | "auditor" | "operator" | "admin") => {
      const person = { email: `${name.toLowerCase()}@example.com`, password: "correct horse battery" }
      const { id } = await call("POST", "/users", { ...person, display_name: name })
      await call("POST", "/projects/shop/memberships", { user_id: id, role })
      return person
    }
    return {
      url,
      password,
      call,
      /** The response to a request that may be refused. */
      send,
      post: (path: string, body: unknown) => Effect.promise(() => call("POST", path, body)),
      /** A member of the shop with this role. */
      invite,
      /** A member of the shop who may only read. */
      inviteViewer: () => invite("Viewer", "viewer"),
      /** kill -9, and waits until it is gone. */
      kill: Effect.suspend(() => {
        running.child.kill("SIGKILL")
        return ended(running.child)
      }),
      /** Stops and continues the process: its connections stay open, and nothing comes over them. */
      freeze: Effect.sync(() => running.child.kill("SIGSTOP")),
      thaw: Effect.sync(() => running.child.kill("SIGCONT")),
      /** Starts it again on the same port, with the same data. */
      restart: Effect.map(start, (started) => {
        running = started
      })
    }
  })
