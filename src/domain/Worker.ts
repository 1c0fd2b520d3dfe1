import { Schema } from "effect"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/**
 * A worker of an engine, such as a Celery node (bodies: WorkerPublic). The counters are since the worker's start
 * where the engine reports them, else 0.
 */
export const Worker = Schema.Struct({
  id: Id,
  project_id: Id,
  engine: Schema.String,
  name: Schema.String,
  hostname: Schema.NullOr(Schema.String),
  pid: Schema.NullOr(Schema.Int),
  concurrency: Schema.NullOr(Schema.Int),
  queues: Schema.Array(Schema.String),
  state: Schema.String,
  last_heartbeat: Schema.NullOr(Timestamp),
  load_average: Schema.NullOr(Schema.Array(Schema.Number)),
  active_tasks: Schema.NullOr(Schema.Int).annotations({
    description: "as the agent reports it, else the started tasks that name the worker; null where neither is known"
  }),
  processed: Schema.Int,
  failed: Schema.Int,
  succeeded: Schema.Int,
  retried: Schema.Int,
  created_at: Timestamp
}).annotations({ identifier: "Worker" })
export type Worker = typeof Worker.Type

/** The same with what the engine tells about itself: registered task names, pool, settings (WorkerDetailPublic). */
export const WorkerDetail = Schema.Struct({
  ...Worker.fields,
  metadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  agent_id: Schema.NullOr(Id)
}).annotations({ identifier: "WorkerDetail" })
export type WorkerDetail = typeof WorkerDetail.Type

/** Engines whose events and heartbeats name no worker: an agent process that runs tasks stands for it. */
export const ENGINES_WITHOUT_WORKERS: ReadonlySet<string> = new Set(["huey", "arq", "taskiq"])

/** The stored metadata of a worker that is an agent process. */
export const agentProcess = JSON.stringify({ agent_process: true })
