import { Effect, Layer } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { percentilesOf } from "../../domain/tasks/Rollup/Histogram.ts"
import type { FindStats, Stats as ProjectStats } from "../../domain/tasks/Rollup/Stats.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { Rollups } from "./Rollups.ts"
import { countsOf, failureRateOf } from "./Rollups/Counts.ts"

const maxQueues = 100

/** A report that is older says nothing of the depth now. */
const maxDepthAgeSeconds = 300
const deepQueue = 1000

/** As subscriptions to task.failure_rate, unless their filters say otherwise. */
export const highFailureRate = 0.2
export const minRatedTasks = 20

interface Count {
  readonly key: string
  readonly n: number | string
}

const toCounts = (rows: ReadonlyArray<Count>): Readonly<Record<string, number>> =>
  Object.fromEntries(rows.map(({ key, n }) => [key, Math.max(0, Number(n))]))

/** A project at a glance (bodies: stats). */
export class Stats extends Effect.Service<Stats>()("svc/Stats", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const rollups = yield* Rollups

    const countTasks = (id: ProjectId) =>
      read<Count>`SELECT state AS key, sum(tasks) AS n FROM task_counts WHERE project_id = ${id} GROUP BY state`
    const countAgents = (id: ProjectId) =>
      read<Count>`SELECT state AS key, count(*) AS n FROM agents WHERE project_id = ${id} GROUP BY state`
    const countWorkers = (id: ProjectId) =>
      read<Count>`SELECT state AS key, count(*) AS n FROM workers WHERE project_id = ${id} GROUP BY state`

    /** By status; those that ended only if they were issued in the window. Ids are in the order of their time. */
    const countCommands = (id: ProjectId, since: Timestamp.Timestamp) =>
      read<Count>`SELECT status AS key, count(*) AS n FROM commands
        WHERE project_id = ${id} AND status IN ('completed', 'failed', 'timeout')
          AND id >= ${Ids.minIdAt(Timestamp.toEpochMillis(since))} GROUP BY status
        UNION ALL SELECT 'open' AS key, count(*) AS n FROM commands
        WHERE project_id = ${id} AND status IN ('pending', 'dispatched')`

    const listQueues = (id: ProjectId) =>
      read<{
        name: string
        engine: string
        pending_count: number
        broker_type: string | null
        last_seen_at: Timestamp.Timestamp | null
      }>`SELECT name, engine, depth AS pending_count, broker_type, last_seen_at FROM queues
        WHERE project_id = ${id} AND depth IS NOT NULL ORDER BY depth DESC, engine, name LIMIT ${maxQueues}`

    const get = Effect.fn("Stats.get")(function*({ hours = 24 }: FindStats) {
      const { id } = yield* CurrentProject
      const now = yield* Timestamp.now
      const totals = yield* rollups.sumProject(hours)
      const states = toCounts(yield* countTasks(id))
      const agents = toCounts(yield* countAgents(id))
      const workers = toCounts(yield* countWorkers(id))
      const commands = toCounts(yield* countCommands(id, Timestamp.addSeconds(now, -hours * 3600)))
      const queues = yield* listQueues(id)
      const counts = countsOf(totals)
      const failureRate = failureRateOf(totals)
      const reportedSince = Timestamp.addSeconds(now, -maxDepthAgeSeconds)
      const agents_all_online = others(agents, "online") === 0
      const queue_depth_ok = !queues.some(({ last_seen_at, pending_count }) =>
        pending_count >= deepQueue && last_seen_at !== null && last_seen_at >= reportedSince
      )
      const failure_rate_ok = failureRate < highFailureRate || counts.success + counts.failure < minRatedTasks
      const stats: ProjectStats = {
        window_hours: hours,
        tasks_by_state: {
          pending: states["pending"] ?? 0,
          received: states["received"] ?? 0,
          started: states["started"] ?? 0,
          success: states["success"] ?? 0,
          failure: states["failure"] ?? 0,
          retry: states["retry"] ?? 0,
          revoked: states["revoked"] ?? 0,
          rejected: states["rejected"] ?? 0,
          unknown: states["unknown"] ?? 0
        },
        tasks_total: others(states, ""),
        tasks_failed_24h: counts.failure,
        tasks_succeeded_24h: counts.success,
        failure_rate_24h: failureRate,
        runtime_ms: percentilesOf(totals.runtimes),
        wait_ms: percentilesOf(totals.waits),
        agents_online: agents["online"] ?? 0,
        agents_offline: others(agents, "online"),
        workers_online: workers["online"] ?? 0,
        workers_offline: others(workers, "online"),
        commands_pending: commands["open"] ?? 0,
        commands_completed_24h: commands["completed"] ?? 0,
        commands_failed_24h: commands["failed"] ?? 0,
        commands_timeout_24h: commands["timeout"] ?? 0,
        queue_depths: queues,
        system_health: {
          status: agents_all_online && queue_depth_ok && failure_rate_ok ? "healthy" : "degraded",
          agents_all_online,
          queue_depth_ok,
          failure_rate_ok,
          brain_db_ok: true
        }
      }
      return stats
    }, orDieOnSql)

    return { get } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(Rollups.layer))
}

/** The sum of the counts but that one. */
const others = (counts: Readonly<Record<string, number>>, state: string): number =>
  Object.entries(counts).reduce((sum, [key, n]) => key === state ? sum : sum + n, 0)
