import { Effect, Option, Schema } from "effect"
import type { ConsumerFact } from "../../../domain/agents/Consumers.ts"
import {
  agentProcessMetadata,
  groupOfWorker,
  type PoolReport,
  Worker,
  WorkerDetail
} from "../../../domain/agents/Worker.ts"
import type { ProjectId, WorkerId } from "../../../domain/kernel/Id.ts"
import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"

const storedFields = {
  queues: JsonColumn(Schema.Array(Schema.String)),
  load_average: Schema.NullOr(JsonColumn(Schema.Array(Schema.Number)))
}
const decodeWorker = Schema.decodeUnknownSync(Schema.Struct({ ...Worker.fields, ...storedFields }))
const decodeDetail = Schema.decodeUnknownSync(
  Schema.Struct({ ...WorkerDetail.fields, ...storedFields, metadata: JsonColumn(WorkerDetail.fields.metadata.from) })
)

/** Which workers of a project; undefined: any. */
export interface WorkersFilter {
  readonly state?: string | undefined
  readonly search?: string | undefined
}

interface Row {
  readonly engine: string
  readonly name: string
  readonly metadata: string
  readonly active_tasks: number
}

interface ActivityRow {
  readonly engine: string
  readonly name: string
  readonly state: string
  readonly last_heartbeat: Timestamp | null
  readonly metadata: string
}

/** What a heartbeat writes into a worker's metadata (`Presence/AdapterHealth.ts`). */
interface HeartbeatMetadata {
  readonly active_task_ids?: ReadonlyArray<string> | null
  readonly described_at?: Timestamp | null
  readonly prefetch_count?: number | null
  readonly process_ids?: ReadonlyArray<number> | null
  readonly conf?: { readonly worker_prefetch_multiplier?: number | null }
}

interface LoadRow extends Row {
  readonly concurrency: number | null
  readonly queues: string
}

/** Maximum workers of an engine whose load is read. */
const maxLoads = 500

/** Maximum started tasks that are counted for a list of workers. A project has few, unless ends are lost. */
const maxStartedTasks = 10_000

/** Heartbeats describe a worker, and events alone leave this. */
const emptyMetadata = "{}"

export class WorkersRepo extends Effect.Service<WorkersRepo>()("svc/WorkersRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader

    /** The number of tasks that run at each worker according to events, by engine and name. */
    const countStarted = (projectId: ProjectId) =>
      Effect.map(
        read<{ readonly engine: string; readonly worker_name: string; readonly tasks: number }>`
          SELECT engine, worker_name, CAST(COUNT(*) AS INTEGER) AS tasks FROM (
            SELECT engine, worker_name FROM tasks WHERE project_id = ${projectId} AND state = 'started'
            ORDER BY id DESC LIMIT ${maxStartedTasks}
          ) AS running WHERE worker_name IS NOT NULL GROUP BY engine, worker_name`,
        (rows) => new Map(rows.map(({ engine, tasks, worker_name }) => [`${engine} ${worker_name}`, tasks]))
      )

    /** The rows with their active tasks: as the agent reports them, else counted. No event names an agent process. */
    const addActiveTasks = Effect.fnUntraced(function*<A extends Row>(projectId: ProjectId, rows: ReadonlyArray<A>) {
      const counts = rows.some(({ metadata }) => metadata === emptyMetadata)
        ? yield* countStarted(projectId)
        : new Map<string, number>()
      return rows.map((row) => {
        const group = groupOfWorker(row.name)
        if (row.metadata === agentProcessMetadata) return { ...row, group, active_tasks: null }
        return row.metadata === emptyMetadata
          ? { ...row, group, active_tasks: counts.get(`${row.engine} ${row.name}`) ?? 0 }
          : { ...row, group }
      })
    })

    return {
      /** The engines that have a worker of this name. */
      listEngines: (projectId: ProjectId, name: string) =>
        Effect.map(
          read<
            { readonly engine: string }
          >`SELECT engine FROM workers WHERE project_id = ${projectId} AND name = ${name}`,
          (rows) => rows.map(({ engine }) => engine)
        ),
      /** The workers of these names, with the tasks that each one runs where a heartbeat lists them. */
      listActivity: Effect.fnUntraced(function*(projectId: ProjectId, names: ReadonlyArray<string>) {
        if (names.length === 0) return []
        const rows = yield* read<ActivityRow>`SELECT engine, name, state, last_heartbeat, metadata FROM workers
          WHERE project_id = ${projectId} AND name IN ${read.in(names)}`
        return rows.map(({ metadata, ...row }) => {
          const { active_task_ids = null, described_at = null }: HeartbeatMetadata = JSON.parse(metadata) // what Presence wrote
          return { ...row, active: active_task_ids === null ? null : new Set(active_task_ids), described_at }
        })
      }),
      /** The pool of a worker as its last report has it; null: no such worker. */
      findPool: (projectId: ProjectId, engine: string, name: string) =>
        Effect.map(
          read<{ readonly concurrency: number | null; readonly metadata: string }>`
            SELECT concurrency, metadata FROM workers
            WHERE project_id = ${projectId} AND engine = ${engine} AND name = ${name}`,
          ([row]): PoolReport | null => {
            if (row === undefined) return null
            const { process_ids = null }: HeartbeatMetadata = JSON.parse(row.metadata) // what Presence wrote
            return { concurrency: row.concurrency, process_ids }
          }
        ),
      /**
       * Which queues the workers of an engine take from, online ones first: they decide. Workers that take from the same
       * ones count once. None where not all that are online were read: they would prove what is not so.
       */
      listConsumers: (projectId: ProjectId, engine: string) =>
        Effect.map(
          read<{ readonly online: number; readonly queues: string }>`
            SELECT DISTINCT CASE WHEN state = 'online' THEN 1 ELSE 0 END AS online, queues FROM workers
            WHERE project_id = ${projectId} AND engine = ${engine} ORDER BY online DESC LIMIT ${maxLoads + 1}`,
          (rows) =>
            rows[maxLoads]?.online === 1 ? [] : rows.map(({ online, queues }): ConsumerFact => ({
              isOnline: online === 1,
              queues: JSON.parse(queues) as ReadonlyArray<string> // what Presence wrote
            }))
        ),
      /** The online workers of an engine, with their load as their last report has it. */
      listLoads: (projectId: ProjectId, engine: string) =>
        Effect.map(
          read<LoadRow>`SELECT engine, name, queues, concurrency, active_tasks, metadata FROM workers
            WHERE project_id = ${projectId} AND engine = ${engine} AND state = 'online' LIMIT ${maxLoads}`,
          (rows) =>
            rows.map(({ metadata, queues, ...row }) => {
              const { active_task_ids = null, conf = {}, described_at = null, prefetch_count = null }:
                HeartbeatMetadata = JSON.parse(metadata) // what Presence wrote
              return {
                ...row,
                queues: JSON.parse(queues) as ReadonlyArray<string>, // the same
                active: active_task_ids === null ? null : new Set(active_task_ids),
                described_at,
                prefetch_count,
                prefetch_multiplier: conf.worker_prefetch_multiplier ?? null
              }
            })
        ),
      /** The online workers with the settings that their engine reports, newest first. */
      listConfs: (projectId: ProjectId, limit: number) =>
        Effect.map(
          read<{ worker_id: WorkerId; worker_name: string; engine: string; hostname: string | null; metadata: string }>`
            SELECT id AS worker_id, name AS worker_name, engine, hostname, metadata FROM workers
            WHERE project_id = ${projectId} AND state = 'online' ORDER BY id DESC LIMIT ${limit}`,
          (rows) =>
            rows.map(({ metadata, ...worker }) => {
              const { conf = {} }: { conf?: Readonly<Record<string, unknown>> } = JSON.parse(metadata) // what Presence wrote
              return { ...worker, conf }
            })
        ),
      /** The newest `limit`, those older than the worker `start` if it is given. */
      list: (projectId: ProjectId, start: string | null, { search, state }: WorkersFilter, limit: number) => {
        const pattern = `%${(search ?? "").toLowerCase().replace(/[\\%_]/g, "\\$&")}%`
        const conditions = [
          read`project_id = ${projectId}`,
          ...(start === null ? [] : [read`id < ${start}`]),
          ...(state === undefined ? [] : [read`state = ${state}`]),
          ...(search === undefined
            ? []
            : [read`lower(name || ' ' || coalesce(hostname, '')) LIKE ${pattern} ESCAPE '\\'`])
        ]
        return read<Row>`SELECT * FROM workers WHERE ${read.and(conditions)} ORDER BY id DESC LIMIT ${limit}`.pipe(
          Effect.flatMap((rows) => addActiveTasks(projectId, rows)),
          Effect.map((rows) => rows.map((row) => decodeWorker(row)))
        )
      },
      findById: (projectId: ProjectId, id: WorkerId) =>
        read<Row>`SELECT * FROM workers WHERE project_id = ${projectId} AND id = ${id}`.pipe(
          Effect.flatMap((rows) => addActiveTasks(projectId, rows)),
          Effect.map(([row]) => Option.map(Option.fromNullable(row), (row) => decodeDetail(row)))
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
