import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { inject } from "vitest"
import type { EngineEvent } from "../../../../src/agent/runtime/Engine.ts"
import { until } from "../../../until.ts"

/** The program of workerProcess.ts; what it says, line by line. */
export const workerProcess = (prefix: string, queue: string) =>
  Effect.gen(function*() {
    const events: Array<EngineEvent> = []
    let name: string | undefined
    const child = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess => {
        const program = join(inject("programs"), inject("bullmq") === 5 ? "bullmq-5-worker.js" : "bullmq-worker.js")
        const started = spawn(process.execPath, [program, prefix, queue], { stdio: ["ignore", "pipe", "inherit"] })
        createInterface({ input: started.stdout }).on("line", (line) => {
          const message = JSON.parse(line) as EngineEvent & { readonly ready?: string } // as the program writes them
          if (message.ready === undefined) events.push(message)
          else name = message.ready
        })
        return started
      }),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    yield* until(Effect.sync(() => name), (name) => name !== undefined)
    return {
      events,
      name: name ?? "",
      kill: Effect.sync(() => child.kill("SIGKILL")),
      stop: Effect.sync(() => child.kill("SIGSTOP")),
      goOn: Effect.sync(() => child.kill("SIGCONT")),
      awaitEvents: (taskId: string, kind: EngineEvent["kind"]) =>
        until(
          Effect.sync(() => events.filter((event) => event.taskId === taskId)),
          (eventsOfTask) => eventsOfTask.some((event) => event.kind === kind)
        )
    }
  })
