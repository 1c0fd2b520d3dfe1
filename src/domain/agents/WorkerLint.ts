import { Schema } from "effect"
import { describeBody, describeField, exampleId } from "../kernel/Describe.ts"
import { WorkerId } from "../kernel/Id.ts"

export const LintSeverity = Schema.Literal("error", "warning", "info")

/** bodies: LintFindingPublic. */
export const LintFinding = Schema.Struct({
  rule_id: describeField(Schema.String, "The rule's name, which stays the same.", "celery.no_time_limit"),
  severity: describeField(
    LintSeverity,
    "`error`: tasks fail or the worker is open to attack; `warning`: tasks can be lost or hang; `info`: worth a check.",
    "warning"
  ),
  setting: describeField(Schema.String, "The setting of the engine.", "task_time_limit"),
  title: describeField(Schema.String, "What was found.", "Tasks have no time limit"),
  detail: describeField(
    Schema.String,
    "What follows from it.",
    "A task that hangs holds a process of the pool for ever."
  ),
  remedy: describeField(Schema.String, "What to do.", "Set task_time_limit, and task_soft_time_limit below it.")
}).annotations(describeBody("LintFinding", "A setting of a worker that will cause trouble."))
export type LintFinding = typeof LintFinding.Type

/** bodies: WorkerLintPublic. */
export const WorkerLint = Schema.Struct({
  worker_id: describeField(WorkerId, "The worker's id.", exampleId),
  worker_name: describeField(Schema.String, "Its name, as the engine has it.", "celery@box-1"),
  engine: describeField(Schema.String, "The engine, in lower case.", "celery"),
  hostname: describeField(Schema.NullOr(Schema.String), "The machine's name.", "box-1"),
  evaluated: describeField(Schema.Boolean, "Whether its engine reports settings; only Celery's agent does.", true),
  findings: describeField(Schema.Array(LintFinding), "What was found, the worst first.")
}).annotations(describeBody("WorkerLint", "What was found in a worker's settings."))

/** bodies: ProjectLintPublic. */
export const ProjectLint = Schema.Struct({
  workers_evaluated: describeField(Schema.Int, "Online workers whose settings are known.", 3),
  workers_not_evaluated: describeField(Schema.Int, "Online workers whose engine reports no settings.", 1),
  findings_by_severity: describeField(
    Schema.Struct({
      error: describeField(Schema.Int, "Errors.", 0),
      warning: describeField(Schema.Int, "Warnings.", 3),
      info: describeField(Schema.Int, "Notes.", 3)
    }),
    "How many findings of each severity.",
    { error: 0, warning: 3, info: 3 }
  ),
  workers: describeField(Schema.Array(WorkerLint), "The online workers, newest first; at most 1 000.")
}).annotations(describeBody("ProjectLint", "What was found in the settings of a project's workers."))
export type ProjectLint = typeof ProjectLint.Type

type Conf = Readonly<Record<string, unknown>>

interface Rule extends LintFinding {
  readonly isBroken: (conf: Conf) => boolean
}

const isNumber = (value: unknown): value is number => typeof value === "number"

/** Sources: Celery's "Configuration and defaults" and "Optimizing". A setting that is not reported breaks no rule. */
const celeryRules: ReadonlyArray<Rule> = [
  {
    rule_id: "celery.pickle",
    severity: "error",
    setting: "task_serializer",
    title: "Messages are pickled",
    detail: "Who can write to the broker or the result backend can run code in the workers.",
    remedy: "Set task_serializer and result_serializer to json, and accept_content to json only.",
    isBroken: ({ result_serializer, task_serializer }) => task_serializer === "pickle" || result_serializer === "pickle"
  },
  {
    rule_id: "celery.soft_limit_not_below_hard",
    severity: "error",
    setting: "task_soft_time_limit",
    title: "The soft time limit is not below the hard one",
    detail: "The process is killed before the task can clean up.",
    remedy: "Set task_soft_time_limit some seconds below task_time_limit.",
    isBroken: ({ task_soft_time_limit: soft, task_time_limit: hard }) =>
      isNumber(soft) && isNumber(hard) && soft >= hard
  },
  {
    rule_id: "celery.no_time_limit",
    severity: "warning",
    setting: "task_time_limit",
    title: "Tasks have no time limit",
    detail: "A task that hangs holds a process of the pool for ever.",
    remedy: "Set task_time_limit, and task_soft_time_limit below it.",
    isBroken: (conf) => "task_time_limit" in conf && conf.task_time_limit === null
  },
  {
    rule_id: "celery.late_acks_without_reject",
    severity: "warning",
    setting: "task_reject_on_worker_lost",
    title: "Late acknowledgement does not survive a killed process",
    detail: "Celery acknowledges a task whose process was killed, so that it is lost, although task_acks_late is on.",
    remedy: "Set task_reject_on_worker_lost, if the tasks may run twice.",
    isBroken: (conf) => conf.task_acks_late === true && conf.task_reject_on_worker_lost !== true
  },
  {
    rule_id: "celery.prefetch_unlimited",
    severity: "warning",
    setting: "worker_prefetch_multiplier",
    title: "A worker takes every waiting message",
    detail:
      "With worker_prefetch_multiplier 0 other workers of the queue get none, and the memory grows with the queue.",
    remedy: "Set worker_prefetch_multiplier to 1 for long tasks, to a few for short ones.",
    isBroken: ({ worker_prefetch_multiplier }) => worker_prefetch_multiplier === 0
  },
  {
    rule_id: "celery.no_broker_heartbeat",
    severity: "warning",
    setting: "broker_heartbeat",
    title: "A lost broker connection is not detected",
    detail: "Without heartbeats a worker may wait for a connection that a firewall has dropped.",
    remedy: "Set broker_heartbeat to 60 or more seconds, where the broker is RabbitMQ.",
    isBroken: ({ broker_heartbeat }) => broker_heartbeat === 0
  },
  {
    rule_id: "celery.prefetch_with_late_acks",
    severity: "info",
    setting: "worker_prefetch_multiplier",
    title: "Tasks wait behind others of their worker",
    detail: "With task_acks_late, prefetched tasks wait for a long one although another worker is free.",
    remedy: "Set worker_prefetch_multiplier to 1 where tasks are long.",
    isBroken: ({ task_acks_late, worker_prefetch_multiplier: multiplier }) =>
      task_acks_late === true && isNumber(multiplier) && multiplier > 1
  },
  {
    rule_id: "celery.no_recycling",
    severity: "info",
    setting: "worker_max_tasks_per_child",
    title: "Processes of the pool are never replaced",
    detail: "Memory that tasks leak is kept until the worker restarts.",
    remedy: "Set worker_max_tasks_per_child or worker_max_memory_per_child.",
    isBroken: (conf) =>
      "worker_max_tasks_per_child" in conf && conf.worker_max_tasks_per_child === null &&
      "worker_max_memory_per_child" in conf && conf.worker_max_memory_per_child === null
  }
]

/** The findings about a worker's settings, the worst first; null for an engine whose settings are not known. */
export const lintConf = (engine: string, conf: Conf): ReadonlyArray<LintFinding> | null =>
  engine !== "celery" || Object.keys(conf).length === 0
    ? null
    : celeryRules.filter(({ isBroken }) => isBroken(conf)).map(({ isBroken: _, ...finding }) => finding)
