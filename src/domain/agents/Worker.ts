import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, ProjectId, WorkerId } from "../kernel/Id.ts"
import { ListParams, strictQuery } from "../kernel/Query.ts"
import { text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

const workerStates = ["online", "offline", "gone"]

/** Which workers of a list; a parameter that is missing lets all through. */
export const WorkersParams = Schema.Struct({
  ...ListParams.fields,
  state: describeField(Schema.optional(Schema.Literal("online", "offline", "gone")), "One state.", "online"),
  search: describeField(
    Schema.optional(text(200, 1)),
    "Text that the name or the machine's name has, in any case.",
    "box-1"
  )
}).annotations(strictQuery)

/** Letters and digits of the generated parts of Kubernetes' names: no vowels, and none that looks like another one. */
const podLetters = "[bcdfghjklmnpqrstvwxz2456789]"
const generatedParts: ReadonlyArray<RegExp> = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi,
  new RegExp(`(?<=-)(?=[a-z0-9]*\\d)[a-z0-9]{6,10}-${podLetters}{5}(?![a-z0-9])`, "g"), // the pod of a Deployment
  new RegExp(`(?<=-)(?=[a-z]*\\d)${podLetters}{5}(?![a-z0-9])`, "g"), // of a DaemonSet or a Job
  /(?<![a-z0-9])(?=[a-f]*\d)[0-9a-f]{12,}(?![a-z0-9])/gi, // a container's id
  /\d+/g
]

/** `celery@web-7d9f8b6c5d-x2x4z` and `celery@web-5f6d7c8b9d-abcde` are both of `celery@web-*`. */
export const groupOfWorker = (name: string): string =>
  generatedParts.reduce((pattern, part) => pattern.replace(part, "*"), name)

/**
 * A worker of an engine, such as a Celery node (bodies: WorkerPublic). The counters are since the worker's start
 * where the engine reports them, else 0.
 */
export const Worker = Schema.Struct({
  id: describeField(WorkerId, "Its id.", exampleId),
  project_id: describeField(ProjectId, "The project's id.", exampleId),
  engine: describeField(Schema.String, "The engine, in lower case.", "celery"),
  name: describeField(Schema.String, "Its name, as the engine has it.", "celery@box-1"),
  hostname: describeField(Schema.NullOr(Schema.String), "The machine's name.", "box-1"),
  pid: describeField(Schema.NullOr(Schema.Int), "The process id.", 4711),
  concurrency: describeField(Schema.NullOr(Schema.Int), "Processes or threads of its pool.", 8),
  queues: describeField(Schema.Array(Schema.String), "The queues that it consumes.", ["default"]),
  group: describeField(
    Schema.String,
    "Its name without what differs between the pods or processes of one deployment.",
    "celery@box-*"
  ),
  state: describeField(
    Schema.String.annotations({ jsonSchema: { type: "string", enum: workerStates } }),
    "`online`; `offline`: silent, though it should not be; `gone`: it ended its tasks and left.",
    "online"
  ),
  last_heartbeat: describeField(
    Schema.NullOr(Timestamp),
    "Time of its last heartbeat or event; null: none yet.",
    exampleTime
  ),
  load_average: describeField(
    Schema.NullOr(Schema.Array(Schema.Number)),
    "The machine's load over 1, 5 and 15 minutes.",
    [0.5, 0.4, 0.3]
  ),
  active_tasks: describeField(
    Schema.NullOr(Schema.Int),
    "As the agent reports it, else the started tasks that name the worker; null where neither is known.",
    3
  ),
  processed: describeField(Schema.Int, "Tasks that it took.", 1200),
  failed: describeField(Schema.Int, "Of these, how many failed.", 7),
  succeeded: describeField(Schema.Int, "Of these, how many succeeded.", 1190),
  retried: describeField(Schema.Int, "Of these, how many are to be retried.", 3),
  created_at: describeField(Timestamp, "When it was created.", exampleTime)
}).annotations(
  describeBody(
    "Worker",
    "A worker of an engine, such as a Celery node. Counters are since its start, 0 where the engine does not report them."
  )
)
export type Worker = typeof Worker.Type

/** A worker with the engine's own report: registered task names, pool, settings (WorkerDetailPublic). */
export const WorkerDetail = Schema.Struct({
  ...Worker.fields,
  metadata: describeField(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    "Registered tasks, pool and settings, as the engine reports them.",
    { registered: ["shop.pay"] }
  ),
  agent_id: describeField(Schema.NullOr(AgentId), "The agent that reported it.", exampleId)
}).annotations(describeBody("WorkerDetail", "A worker with what its engine reports about it."))
export type WorkerDetail = typeof WorkerDetail.Type

/** Engines whose events and heartbeats name no worker. An agent process that runs tasks counts as one. */
export const ENGINES_WITHOUT_WORKERS: ReadonlySet<string> = new Set(["huey", "arq", "taskiq"])

/** Engines whose agents report the tasks of their own process alone, and name the worker by these events alone. */
export const ENGINES_WITH_WORKERS_BY_TASKS: ReadonlySet<string> = new Set(["rq", "dramatiq"])

/** The stored metadata of a worker that is an agent process. */
export const agentProcessMetadata = JSON.stringify({ agent_process: true })

/** A worker's pool, from its report. */
export interface PoolReport {
  readonly concurrency: number | null
  /** The processes of its pool; null where it reports none. */
  readonly process_ids: ReadonlyArray<number> | null
}
