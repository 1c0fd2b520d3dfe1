import { Deferred, Effect, Fiber } from "effect"
import { spawn } from "node:child_process"
import { bundled } from "../bundled.ts"
import type { Job, Outcome } from "./Job.ts"

/** The client of the ingest bench, as a program. */
export const ingestClient = bundled("ingest/client")

const run = (program: string, job: Job, begun: Deferred.Deferred<void>) =>
  Effect.async<Outcome>((resume) => {
    const child = spawn(process.execPath, [program, JSON.stringify(job)], { stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    child.stdout.on("data", (chunk) => {
      text += String(chunk)
      if (text.startsWith("begun\n")) Deferred.unsafeDone(begun, Effect.void)
    })
    child.on("exit", (code) =>
      resume(
        code === 0
          ? Effect.sync(() => JSON.parse(text.slice("begun\n".length)))
          : Effect.dieMessage(`ingest client: ${code}`)
      ))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Sends events until the job is done. */
export const send = (program: string, job: Job) =>
  Effect.flatMap(Deferred.make<void>(), (begun) => run(program, job, begun))

/** Sends events in the background until the fiber is interrupted; resolves when the warm-up is over. */
export const sending = (program: string, job: Job) =>
  Effect.gen(function*() {
    const begun = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkScoped(run(program, job, begun))
    yield* Effect.raceFirst(Deferred.await(begun), Effect.asVoid(Fiber.join(fiber)))
    return fiber
  })
