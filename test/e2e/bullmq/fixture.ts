import type { HttpServer } from "@effect/platform"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { type ApiResponse, freshKey, freshProject, request } from "../../brain.ts"
import { until } from "../../until.ts"

/** A project with an agent, and REST calls in it by an admin's key. */
export const prepareFixture = Effect.gen(function*() {
  const project = yield* freshProject()
  const admin = yield* freshKey({ isAdmin: true })
  const call = (method: string, path: string, body?: unknown) =>
    request(
      method,
      `/projects/${project.slug}${path}`,
      body === undefined ? { token: admin.token } : { token: admin.token, body }
    )
  const created = yield* call("POST", "/agents", { name: "shop" })
  assert.strictEqual(created.status, 201)
  const { agent, hmac_secret: hmacSecret, token } = created.json
  const task = (id: string) => Effect.map(call("GET", `/tasks/bullmq/${encodeURIComponent(id)}`), ({ json }) => json)
  const waitForState = (id: string, ...states: ReadonlyArray<string>) =>
    until(task(id), ({ state }) => states.includes(state))
  const command = (action: string, body: object) =>
    Effect.gen(function*() {
      const posted = yield* call("POST", `/commands/${action}`, { agent_id: agent.id, ...body })
      assert.strictEqual(posted.status, 202, posted.text)
      return yield* until(
        Effect.map(call("GET", `/commands/${posted.json.id}`), ({ json }) => json),
        ({ status }) => !["pending", "dispatched"].includes(status)
      )
    })
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-bullmq-"))),
    (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
  )
  return { call, command, home, hmacSecret, waitForState, token }
})

export const twoWorkers = (
  call: (method: string, path: string) => Effect.Effect<ApiResponse, never, HttpServer.HttpServer>
) =>
  until(
    Effect.map(
      call("GET", "/workers"),
      ({ json }) => json as ReadonlyArray<{ readonly name: string; readonly pid: number }>
    ),
    (workers) => workers.filter(({ pid }) => pid !== null).length === 2
  )

/** The program of worker.ts beside this file. */
export const workerProcess = (...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const program = join(inject("programs"), "bullmq-app.js")
      return spawn(process.execPath, [program, ...args], { stdio: ["ignore", "ignore", "inherit"] })
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
