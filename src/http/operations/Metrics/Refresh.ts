import { Clock, Effect } from "effect"
import { Consumer } from "../../../domain/kernel/Consumer.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../../services/kernel/Ids.ts"
import { Metrics } from "../../../services/kernel/Metrics.ts"
import { Reader } from "../../../services/kernel/sql/Database.ts"

/** Prometheus times out after 10 s. */
const queryTimeout = "3 seconds"

/** Any number of scrapes within this time cost the database one refresh. */
const cacheMillis = 3000

/** An older report of a queue says nothing of its depth now; agents report every `SVC_AGENT_HEARTBEAT_SECONDS`. */
const maxDepthAgeSeconds = 300

/** The deepest queues have a series each. */
const maxQueues = 500
const maxProjects = 500
const maxEngines = 50

/**
 * Makes the refresh of the metrics that all replicas share: they are read from the database, and left out while it
 * does not respond.
 */
export const makeRefresh = Effect.gen(function*() {
  const metrics = yield* Metrics
  const read = yield* Reader
  let refreshedAtMillis = -Infinity

  const readRows = Effect.gen(function*() {
    const now = yield* Timestamp.now
    const agents = yield* read<{ online: number }>`SELECT count(*) AS online FROM agents WHERE state = 'online'`
    const states = yield* read<{ state: string; tasks: number }>`
      SELECT state, sum(tasks) AS tasks FROM task_counts GROUP BY state`
    const workers = yield* read<{ engine: string; online: number }>`
      SELECT engine, count(*) AS online FROM workers WHERE state = 'online'
      GROUP BY engine ORDER BY online DESC, engine LIMIT ${maxEngines}`
    const queues = yield* read<{ project: string; engine: string; queue: string; depth: number }>`
      SELECT projects.slug AS project, queues.engine, queues.name AS queue, queues.depth
      FROM queues JOIN projects ON projects.id = queues.project_id
      WHERE queues.depth IS NOT NULL AND queues.last_seen_at >= ${Timestamp.addSeconds(now, -maxDepthAgeSeconds)}
      ORDER BY queues.depth DESC, queues.id LIMIT ${maxQueues}`
    const oldest = yield* read<{ project: string; pending: string | null; received: string | null }>`
      SELECT slug AS project,
        (SELECT id FROM tasks WHERE project_id = projects.id AND state = 'pending' ORDER BY id LIMIT 1) AS pending,
        (SELECT id FROM tasks WHERE project_id = projects.id AND state = 'received' ORDER BY id LIMIT 1) AS received
      FROM projects ORDER BY id LIMIT ${maxProjects}`
    const outbox = yield* Effect.forEach(Consumer.literals, (consumer) =>
      Effect.map(
        read<{ created_at: Timestamp.Timestamp }>`SELECT created_at FROM trigger_events WHERE consumer = ${consumer}
          ORDER BY due_at LIMIT 1`,
        ([event]) => ({ consumer, since: event?.created_at ?? null })
      ))
    return { agents, oldest, outbox, queues, states, workers }
  })

  const reset = () => {
    metrics.agentsOnline.remove()
    const gauges = [
      metrics.tasksTotal,
      metrics.workersOnline,
      metrics.queueDepth,
      metrics.oldestWaitingTask,
      metrics.oldestTriggerEvent
    ]
    for (const metric of gauges) metric.reset()
  }

  const refresh = Effect.gen(function*() {
    const { agents, oldest, outbox, queues, states, workers } = yield* readRows
    const millis = yield* Clock.currentTimeMillis
    reset()
    metrics.agentsOnline.set(Number(agents[0]?.online ?? 0))
    for (const { state, tasks } of states) metrics.tasksTotal.set({ state }, Number(tasks)) // PostgreSQL sums int8 to numeric, which arrives as text
    for (const { engine, online } of workers) metrics.workersOnline.set({ engine }, Number(online))
    for (const { depth, ...labels } of queues) metrics.queueDepth.set(labels, Number(depth))
    for (const { pending, project, received } of oldest) {
      const since = Math.min(...[pending, received].map((id) => (id === null ? millis : Ids.millisOf(id))))
      metrics.oldestWaitingTask.set({ project }, Math.max(0, millis - since) / 1000)
    }
    for (const { consumer, since } of outbox) {
      const sinceMillis = since === null ? millis : Timestamp.toEpochMillis(since)
      metrics.oldestTriggerEvent.set({ consumer }, Math.max(0, millis - sinceMillis) / 1000)
    }
    refreshedAtMillis = millis
  }).pipe(
    Effect.timeout(queryTimeout),
    Effect.catchAll((error) =>
      Effect.zipRight(
        Effect.sync(() => {
          reset()
          metrics.swallowedExceptions.inc({ module: "metrics", site: "refresh" })
        }),
        Effect.logDebug("the database did not answer for the metrics", error)
      )
    )
  )

  return Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => (now - refreshedAtMillis < cacheMillis ? Effect.void : refresh)
  )
})
