import { Effect } from "effect"
import type { Timestamp } from "../../domain/Timestamp.ts"
import { Reader } from "../Database.ts"

/** A task that started and has not ended, as far as events tell. */
export interface StartedTask {
  readonly id: string
  readonly project_id: string
  readonly engine: string
  readonly task_id: string
  readonly worker_name: string | null
  readonly started_at: Timestamp
}

interface WorkerRow {
  readonly engine: string
  readonly name: string
  readonly state: string
  readonly last_heartbeat: Timestamp | null
  readonly metadata: string
}

/** What a heartbeat left in a worker's metadata (`Presence/AdapterHealth.ts`). */
interface WorkerMetadata {
  readonly active_task_ids?: ReadonlyArray<string> | null
  readonly described_at?: Timestamp | null
}

/** A process or an agent, with its engines as the gateway wrote them: a JSON array of names. */
interface ServingRow {
  readonly engines: string
}

const parseEngines = <A extends ServingRow>(rows: ReadonlyArray<A>) =>
  rows.map((row): Omit<A, "engines"> & { readonly engines: ReadonlyArray<string> } => ({ ...row, engines: JSON.parse(row.engines) }))

/** The reads of `TaskReconciliation`. */
export class ReconcileRepo extends Effect.Service<ReconcileRepo>()("svc/ReconcileRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    const listProjectIds = Effect.map(
      read<{ readonly id: string }>`SELECT id FROM projects ORDER BY id`,
      (rows) => rows.map(({ id }) => id)
    )

    /** Tasks started before `before`, oldest first, after the id `after`. */
    const listStarted = (projectId: string, after: string | null, before: Timestamp, limit: number) =>
      read<StartedTask>`SELECT id, project_id, engine, task_id, worker_name, started_at FROM tasks WHERE ${
        read.and([
          read`project_id = ${projectId}`,
          read`state = 'started'`,
          ...(after === null ? [] : [read`id > ${after}`]),
          read`started_at < ${before}`
        ])
      } ORDER BY id LIMIT ${limit}`

    /** The workers of these names, with the tasks that each runs where a heartbeat told. */
    const listWorkers = Effect.fnUntraced(function*(projectId: string, names: ReadonlyArray<string>) {
      if (names.length === 0) return []
      const rows = yield* read<WorkerRow>`SELECT engine, name, state, last_heartbeat, metadata FROM workers
        WHERE project_id = ${projectId} AND name IN ${read.in(names)}`
      return rows.map(({ metadata, ...row }) => {
        const { active_task_ids = null, described_at = null }: WorkerMetadata = JSON.parse(metadata) // what Presence wrote
        return { ...row, active: active_task_ids === null ? null : new Set(active_task_ids), described_at }
      })
    })

    /** The project's online agent processes: since when each is there, and its engines. */
    const listProcesses = (projectId: string) =>
      Effect.map(
        read<ServingRow & { readonly since: Timestamp }>`SELECT coalesce(started_at, created_at) AS since, engines
          FROM agent_workers WHERE project_id = ${projectId} AND state = 'online'`,
        parseEngines
      )

    /** The project's online agents, the one seen last first. */
    const listAgents = (projectId: string) =>
      Effect.map(
        read<ServingRow & { readonly id: string }>`SELECT id, engine_adapters AS engines FROM agents
          WHERE project_id = ${projectId} AND state = 'online' ORDER BY last_seen_at DESC`,
        parseEngines
      )

    /** Those of the commands that have ended. */
    const listAnswers = (ids: ReadonlyArray<string>) =>
      ids.length === 0
        ? Effect.succeed([])
        : read<{ readonly id: string; readonly status: string; readonly result: string | null }>`
          SELECT id, status, result FROM commands WHERE id IN ${read.in(ids)} AND completed_at IS NOT NULL`

    return { listProjectIds, listStarted, listWorkers, listProcesses, listAgents, listAnswers } as const
  })
}) {
  static readonly layer = this.Default
}
