import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../../ports.ts"
import { until } from "../../../until.ts"

/** A Redis of a test's own, which it may kill. `keeps`: whether its data is there again after `kill`. */
export const redisServer = ({ keeps }: { readonly keeps: boolean }) =>
  Effect.gen(function*() {
    const port = yield* freePort
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-redis-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
    const durability = keeps ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"]
    const options = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...durability]
    let server: ChildProcess | undefined
    const start = Effect.gen(function*() {
      server = spawn("redis-server", options, { stdio: "ignore" })
      yield* until(Effect.promise(() => listens(port)), (there) => there)
    })
    const kill = Effect.promise(async () => {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, "exit")
      server.kill("SIGKILL")
      await ended
    })
    yield* Effect.addFinalizer(() => kill)
    yield* start
    // comes back sooner than BullMQ's own second
    const connection = { host: "127.0.0.1", port, retryStrategy: () => 50 }
    return { connection, kill, start }
  })

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false)).once("connect", () =>
      socket.destroy())
  })
