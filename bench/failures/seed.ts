import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { insertTasks, storedTask } from "../../test/tasks.ts"
import { viewerKey } from "../list/seed.ts"
import { databaseOf } from "../services.ts"

/** Within the retention of 30 days: none is swept while the bench runs. */
const span = 25 * 86_400_000
const batch = 20_000

/** One in ten failures succeeded later; every third group has recovered. */
const hasRecovered = (index: number, group: number) => group % 3 === 0 || Math.floor(index / 2) % 10 === 3

/** Half of the failures are of ten groups. */
const groupOf = (index: number, groups: number) => Math.floor(index / 2) % (index % 2 === 0 ? 10 : groups)

export const fingerprintAt = (group: number) => (group * 2_654_435_761 + 12_345).toString(16).padStart(16, "0")

/** Fills the project of a brain's database with failures of the last 25 days, and their groups. */
export const seed = (env: Readonly<Record<string, string>>, projectId: string, failures: number, groups: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const end = yield* Effect.map(Timestamp.now, Timestamp.toEpochMillis)
    const at = (index: number) => Math.floor(end - span + (span * index) / failures)
    const stored = Array.from({ length: groups }, (_, group) => ({
      project_id: projectId,
      fingerprint: fingerprintAt(group),
      engine: group % 5 === 0 ? "rq" : "celery",
      task_name: `shop.task_${group % 200}`,
      sample_task_id: "",
      sample_exception: "ConnectionError: Error 111 connecting to 10.0.0.7:6379. Connection refused.",
      first_seen_at: "",
      last_seen_at: "",
      occurrences: 0,
      open_count: 0,
      recovered_count: 0
    }))
    for (let from = 0; from < failures; from += batch) {
      yield* insertTasks(Array.from({ length: Math.min(batch, failures - from) }, (_, offset) => {
        const index = from + offset
        const number = groupOf(index, groups)
        const group = stored[number]!
        const finished_at = Timestamp.fromEpochMicros(at(index) * 1000)
        const recovered = hasRecovered(index, number)
        const task_id = randomUUID()
        if (group.first_seen_at === "") group.first_seen_at = finished_at
        Object.assign(group, { last_seen_at: finished_at, sample_task_id: task_id })
        group.occurrences += 1
        if (recovered) group.recovered_count += 1
        else group.open_count += 1
        const task = storedTask(projectId, at(index), {
          task_id,
          engine: group.engine,
          name: group.task_name,
          state: recovered ? "success" : "failure",
          queue: `queue-${index % 10}`,
          worker_name: `celery@worker-${index % 20}`,
          exception: recovered ? null : group.sample_exception,
          finished_at
        })
        return { ...task, fingerprint: group.fingerprint }
      }))
    }
    const hours = stored.flatMap(({ fingerprint }) =>
      Array.from({ length: 24 }, (_, hour) => ({
        project_id: projectId,
        fingerprint,
        hour: Timestamp.fromEpochMicros((end - hour * 3_600_000) * 1000).slice(0, 13),
        occurrences: 3
      }))
    )
    for (let from = 0; from < stored.length; from += 500) {
      yield* sql`INSERT INTO failure_groups ${sql.insert(stored.slice(from, from + 500))}`
    }
    for (let from = 0; from < hours.length; from += 2000) {
      yield* sql`INSERT INTO failure_group_hours ${sql.insert(hours.slice(from, from + 2000))}`
    }
    return yield* viewerKey([projectId])
  }).pipe(Effect.provide(databaseOf(env)))
