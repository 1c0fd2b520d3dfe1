import { Schema } from "effect"
import { describe, exampleId, exampleTime, named } from "./Describe.ts"
import { Id } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"

/**
 * A worker of an engine, such as a Celery node (bodies: WorkerPublic). The counters are since the worker's start
 * where the engine reports them, else 0.
 */
export const Worker = Schema.Struct({
  id: describe(Id, "Its id.", exampleId),
  project_id: describe(Id, "The project's id.", exampleId),
  engine: describe(Schema.String, "The engine, in lower case.", "celery"),
  name: describe(Schema.String, "Its name, as the engine has it.", "celery@box-1"),
  hostname: describe(Schema.NullOr(Schema.String), "The machine's name.", "box-1"),
  pid: describe(Schema.NullOr(Schema.Int), "The process id.", 4711),
  concurrency: describe(Schema.NullOr(Schema.Int), "Processes or threads of its pool.", 8),
  queues: describe(Schema.Array(Schema.String), "The queues that it consumes.", ["default"]),
  state: describe(Schema.String, "`online` or `offline`.", "online"),
  last_heartbeat: describe(Schema.NullOr(Timestamp), "When it was last heard of.", exampleTime),
  load_average: describe(Schema.NullOr(Schema.Array(Schema.Number)), "The machine's load over 1, 5 and 15 minutes.", [0.5, 0.4, 0.3]),
  active_tasks: describe(
    Schema.NullOr(Schema.Int),
    "As the agent reports it, else the started tasks that name the worker; null where neither is known.",
    3
  ),
  processed: describe(Schema.Int, "Tasks that it took.", 1200),
  failed: describe(Schema.Int, "Of these, how many failed.", 7),
  succeeded: describe(Schema.Int, "Of these, how many succeeded.", 1190),
  retried: describe(Schema.Int, "Of these, how many are to be retried.", 3),
  created_at: describe(Timestamp, "When it was created.", exampleTime)
}).annotations(named("Worker", "A worker of an engine, such as a Celery node. Counters are since its start, 0 where the engine does not report them."))
export type Worker = typeof Worker.Type

/** The same with what the engine tells about itself: registered task names, pool, settings (WorkerDetailPublic). */
export const WorkerDetail = Schema.Struct({
  ...Worker.fields,
  metadata: describe(Schema.Record({ key: Schema.String, value: Schema.Unknown }), "Registered tasks, pool and settings, as the engine reports them.", { registered: ["shop.pay"] }),
  agent_id: describe(Schema.NullOr(Id), "The agent that reported it.", exampleId)
}).annotations(named("WorkerDetail", "A worker with what its engine tells about it."))
export type WorkerDetail = typeof WorkerDetail.Type

/** Engines whose events and heartbeats name no worker: an agent process that runs tasks stands for it. */
export const ENGINES_WITHOUT_WORKERS: ReadonlySet<string> = new Set(["huey", "arq", "taskiq"])

/** The stored metadata of a worker that is an agent process. */
export const agentProcess = JSON.stringify({ agent_process: true })
