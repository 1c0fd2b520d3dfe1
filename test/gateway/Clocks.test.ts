import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonInput } from "../../src/domain/kernel/CanonicalJson.ts"
import { addSeconds, fromEpochMicros } from "../../src/domain/kernel/Timestamp.ts"
import { connected, event, freshAgent } from "../agent.ts"
import { baseUrl, freshProject, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

/** A whole number of seconds ago, by the clock of the brain. */
const beginning = Effect.sync(() => fromEpochMicros(Math.floor(Date.now() / 1000) * 1_000_000 - 60_000_000))

const rowsOf = (projectId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql<{ state: string; retry_count: number; started_at: string }>`
      SELECT state, retry_count, started_at FROM tasks WHERE project_id = ${projectId}`)

describe.each(laneEngines)("clocks that differ on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("of two workers' hosts by 10 s: a retry on the other host ends the task, whichever clock is ahead", () =>
      Effect.gen(function*() {
        const begin = yield* beginning
        for (const ahead of ["first", "second"] as const) {
          const project = yield* freshProject()
          const options = { project, base: yield* baseUrl, ...(yield* freshAgent(project)) }
          const first = yield* connected({ ...options, hello: { worker_id: "bare-1-1" } })
          const second = yield* connected({ ...options, hello: { worker_id: "bare-2-2" } })
          const sendEvent = (
            agent: typeof first,
            host: "first" | "second",
            kind: string,
            seconds: number,
            data: JsonInput = {}
          ) => {
            const skew = host === ahead ? 10_000 : 0
            const occurred_at = addSeconds(begin, seconds + skew / 1000).replace("Z", "+00:00")
            const sentEvent = event({ engine: "huey", task_id: "mail", kind, occurred_at, data })
            agent.signed("event_batch", { events: [sentEvent] }, { skew })
          }
          const named = { task_name: "shop.mail" }
          sendEvent(first, "first", "task.started", 0, named)
          sendEvent(first, "first", "task.retried", 1, named)
          yield* until(rowsOf(project.id), ([row]) => row?.retry_count === 1)
          sendEvent(second, "second", "task.started", 2, named)
          sendEvent(second, "second", "task.succeeded", 3, named)
          const [row] = yield* until(rowsOf(project.id), ([row]) => row?.state === "success")
          assert.strictEqual(row!.retry_count, 1)
          // as exact as the frame was fast
          assert.isAtLeast(Date.parse(row!.started_at), Date.parse(begin) + 2000)
        }
      }))
  })
})
