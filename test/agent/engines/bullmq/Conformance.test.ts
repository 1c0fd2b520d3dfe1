import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { hostname } from "node:os"
import { bullmq, bullmqFromOutside } from "../../../../src/agent/engines/bullmq/BullMQ.ts"
import type { Engine } from "../../../../src/agent/runtime/Engine.ts"
import { has } from "../../../needs.ts"
import { until } from "../../../until.ts"
import { conforms } from "../conformance.ts"
import { add, bull, connection } from "./world.ts"

const ready = await has("Redis")

/** Tasks have their queue's name, which is what BullMQ can limit the rate of. */
const subject = (mode: "beside" | "outside") =>
  Effect.gen(function*() {
    const { prefix, queue, worker } = yield* bull
    const mail = yield* queue("mail")
    const fails = new Set<string>()
    const runs = yield* worker("mail", async (job, _token, signal) => {
      if (fails.has(job.id ?? "")) throw new Error("no box")
      if (job.data.endless === true) {
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("told to stop"))))
      }
    }, { autorun: false, name: "mailer", maximumRateLimitDelay: 100 })
    yield* Effect.promise(() => runs.waitUntilReady())
    const engine: Engine = mode === "beside"
      ? bullmq({ workers: [runs], queues: [mail] })
      : bullmqFromOutside({ queues: ["mail"], connection, prefix })
    const busy = Effect.promise(() => mail.getJobCountByTypes("waiting", "active", "prioritized"))
    return {
      engine,
      taskName: "mail",
      queue: "mail",
      worker: mode === "beside" ? `mailer-${process.pid}@${hostname()}` : "mailer",
      enqueue: (outcome: "success" | "failure" | "endless") =>
        Effect.map(
          add(
            mail,
            "mail",
            { endless: outcome === "endless" },
            outcome === "failure" ? { jobId: `fails-${fails.size}` } : {}
          ),
          ({ id = "" }) => {
            if (outcome === "failure") fails.add(id)
            return `mail:${id}`
          }
        ),
      schedule: (key: string) =>
        Effect.as(
          Effect.promise(() =>
            mail.upsertJobScheduler(key, { pattern: "0 0 1 1 *" }, {
              name: "mail",
              data: { to: "ada", token: "hunter2" }
            })
          ),
          `mail:${key}`
        ),
      begin: Effect.promise(async () => runs.resume()),
      work: Effect.gen(function*() {
        yield* Effect.promise(async () => runs.resume())
        yield* until(busy, (count) => count === 0)
        yield* Effect.promise(() => runs.pause())
      }).pipe(Effect.orDie)
    }
  })

describe.skipIf(!ready)("BullMQ", () => {
  conforms("BullMQ, beside", subject("beside"))
  conforms("BullMQ, from outside", subject("outside"))
})
