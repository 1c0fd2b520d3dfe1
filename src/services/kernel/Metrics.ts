import { Effect } from "effect"
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client"
import { version } from "../../domain/kernel/Version.ts"

let processMetrics: Registry | undefined

/**
 * Event loop, memory and CPU, once per process for all its brains: prom-client never stops their timers and observers.
 */
const processRegistry = (): Registry => {
  if (processMetrics === undefined) collectDefaultMetrics({ register: processMetrics = new Registry() })
  return processMetrics
}

/** Seconds; from a memory read to requests beyond any client's timeout. */
const durations = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

/** Seconds; from trivial tasks to tasks of hours. */
const taskDurations = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 7200]

/**
 * Every metric of the brain, in one list (interface, Metrics). Labels are bounded: states, reasons, actions and
 * module names of our own, never ids or addresses. `SVC_METRICS_TASK_NAMES` limits the names of tasks; pairs of project
 * and engine have a limit of their own.
 */
export class Metrics extends Effect.Service<Metrics>()("svc/Metrics", {
  sync: () => {
    const registry = new Registry()
    const registers = [registry]
    const processMetricsRegistry = processRegistry()
    // `svc status` reads the version of the running brain there
    new Gauge({
      name: "svc_build_info",
      help: "1, with the program's version",
      labelNames: ["version"],
      registers
    }).set({ version }, 1)
    return {
      registry,
      /** Every metric as Prometheus text. */
      text: Effect.promise(() => Registry.merge([registry, processMetricsRegistry]).metrics()),
      httpRequests: new Counter({
        name: "svc_http_requests_total",
        help: "Requests, by route pattern and status; 499: the client left before the response",
        labelNames: ["method", "route", "status"],
        registers
      }),
      httpSeconds: new Histogram({
        name: "svc_http_request_seconds",
        help: "From a request's head to the head of its response; long-poll routes wait on purpose",
        labelNames: ["method", "route"],
        buckets: durations,
        registers
      }),
      agentsOnline: new Gauge({ name: "svc_agents_online", help: "Agents online, of all replicas", registers }),
      tasksTotal: new Gauge({
        name: "svc_tasks_total",
        help: "Tasks by state now: a gauge, whose name the contract fixes",
        labelNames: ["state"],
        registers
      }),
      workersOnline: new Gauge({
        name: "svc_workers_online",
        help: "Workers online, by engine, of all replicas",
        labelNames: ["engine"],
        registers
      }),
      queueDepth: new Gauge({
        name: "svc_queue_depth",
        help: "Tasks in a queue, as agents reported in the last 5 minutes; the 500 deepest queues",
        labelNames: ["project", "engine", "queue"],
        registers
      }),
      oldestWaitingTask: new Gauge({
        name: "svc_oldest_waiting_task_seconds",
        help: "Age of the project's oldest task that is pending or received; 0: none waits",
        labelNames: ["project"],
        registers
      }),
      oldestTriggerEvent: new Gauge({
        name: "svc_oldest_trigger_event_seconds",
        help: "Age of the oldest trigger event that its consumer has not taken; 0: none waits",
        labelNames: ["consumer"],
        registers
      }),
      tasksEnded: new Counter({
        name: "svc_tasks_ended_total",
        help: "Tasks that ended, by task name and outcome, as this process stored them",
        labelNames: ["name", "outcome"],
        registers
      }),
      taskRun: new Histogram({
        name: "svc_task_run_seconds",
        help: "Run time of tasks that ended, by task name, as their workers report it",
        labelNames: ["name"],
        buckets: taskDurations,
        registers
      }),
      projectTasksReceived: new Counter({
        name: "svc_project_tasks_received_total",
        help: "New tasks, by project and engine, as this process stored them",
        labelNames: ["project", "engine"],
        registers
      }),
      projectTasksEnded: new Counter({
        name: "svc_project_tasks_ended_total",
        help: "Tasks that ended, by project, engine and outcome, as this process stored them",
        labelNames: ["project", "engine", "outcome"],
        registers
      }),
      projectTaskRetries: new Counter({
        name: "svc_project_task_retries_total",
        help: "Retries that attempts of tasks asked for, by project and engine, as this process stored them",
        labelNames: ["project", "engine"],
        registers
      }),
      projectTaskRun: new Histogram({
        name: "svc_project_task_run_seconds",
        help: "Run time of tasks that ended, by project and engine",
        labelNames: ["project", "engine"],
        buckets: taskDurations,
        registers
      }),
      projectTaskWait: new Histogram({
        name: "svc_project_task_wait_seconds",
        help: "From the receipt of tasks to their first start, by project and engine",
        labelNames: ["project", "engine"],
        buckets: taskDurations,
        registers
      }),
      backgroundTaskErrorActive: new Gauge({
        name: "svc_background_task_error_active",
        help: "1 while a background loop is failing",
        labelNames: ["task"],
        registers
      }),
      swallowedExceptions: new Counter({
        name: "svc_swallowed_exceptions_total",
        help: "Errors that were handled by continuing",
        labelNames: ["module", "site"],
        registers
      }),
      scheduleMisfires: new Counter({
        name: "svc_schedule_misfires_total",
        help: "Ticks that did not fire within their grace, by cause; ticks missed in a row count once",
        labelNames: ["cause"],
        registers
      }),
      schedulePublications: new Counter({
        name: "svc_schedule_publications_total",
        help: "Snapshots and changes of schedules that agents published, by what became of them",
        labelNames: ["outcome"],
        registers
      }),
      connections: new Gauge({
        name: "svc_http_connections",
        help: "Open TCP connections of clients to this process",
        registers
      }),
      connectionsClosed: new Counter({
        name: "svc_http_connections_closed_total",
        help:
          "Closed TCP connections of clients: ended, reset by the client, timeout of the network, error, too_many of one address, slow_reader",
        labelNames: ["reason"],
        registers
      }),
      agentSessions: new Gauge({
        name: "svc_agent_sessions",
        help: "Open agent sessions of this process",
        labelNames: ["transport"],
        registers
      }),
      framesReceived: new Counter({
        name: "svc_agent_frames_total",
        help: "Frames accepted, by type",
        labelNames: ["type"],
        registers
      }),
      framesRefused: new Counter({
        name: "svc_agent_frames_refused_total",
        help: "Frames refused, by reason",
        labelNames: ["reason"],
        registers
      }),
      ingestEvents: new Counter({
        name: "svc_ingest_events_total",
        help: "Events by outcome",
        labelNames: ["outcome"],
        registers
      }),
      eventsUnusable: new Counter({
        name: "svc_agent_events_unusable_total",
        help: "Events that cannot be stored and were acknowledged as rejected, by reason",
        labelNames: ["reason"],
        registers
      }),
      ingestQueue: new Gauge({ name: "svc_ingest_queue_events", help: "Events waiting for the writer", registers }),
      ingestCommit: new Histogram({
        name: "svc_ingest_commit_seconds",
        help: "Time of one group commit",
        buckets: durations,
        registers
      }),
      ingestBatch: new Histogram({
        name: "svc_ingest_batch_events",
        help: "Events of one group commit",
        buckets: [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000],
        registers
      }),
      commandSeconds: new Histogram({
        name: "svc_command_seconds",
        help: "From issued to its end, by action and status",
        labelNames: ["action", "status"],
        buckets: durations,
        registers
      }),
      auditDenials: new Counter({
        name: "svc_audit_denials_total",
        help: "Destructive requests refused for want of a role or scope: recorded, or left out of the log as too many",
        labelNames: ["outcome"],
        registers
      }),
      auditCheckpointsWaiting: new Gauge({
        name: "svc_audit_checkpoints_waiting",
        help: "Checkpoints that a sink has not had yet",
        labelNames: ["sink"],
        registers
      }),
      auditCheckpointsDropped: new Counter({
        name: "svc_audit_checkpoints_dropped_total",
        help: "Checkpoints that a sink never gets, because their file was put aside before",
        labelNames: ["sink"],
        registers
      }),
      rowsDropped: new Counter({
        name: "svc_rows_dropped_total",
        help: "Reports of queues, workers and failure groups beyond what a project may have",
        labelNames: ["table"],
        registers
      }),
      deliveries: new Counter({
        name: "svc_deliveries_total",
        help: "Attempts to deliver a message, by type of channel and outcome: sent, retried, failed, suppressed",
        labelNames: ["type", "outcome"],
        registers
      }),
      deliverySeconds: new Histogram({
        name: "svc_delivery_seconds",
        help: "Time that a channel's provider took to respond",
        labelNames: ["type"],
        buckets: durations,
        registers
      }),
      deliveriesWaiting: new Gauge({
        name: "svc_deliveries_waiting",
        help: "Deliveries that wait, also for a retry, of all replicas; at most 10000 are counted",
        registers
      }),
      deliveryOldestSeconds: new Gauge({
        name: "svc_delivery_oldest_seconds",
        help: "How long ago the delivery that waits longest was due",
        registers
      }),
      liveStreams: new Gauge({ name: "svc_live_streams", help: "Open live streams of this process", registers }),
      livePolls: new Counter({
        name: "svc_live_looks_total",
        help: "Reads of a project's changes for its live streams",
        registers
      }),
      liveResets: new Counter({
        name: "svc_live_resets_total",
        help: "Resets sent to live streams: too many changes for all of a project's streams, or one reader too slow",
        labelNames: ["reason"],
        registers
      }),
      databaseSeconds: new Histogram({
        name: "svc_database_seconds",
        help: "Time that a database connection was in use, for a statement or a transaction",
        labelNames: ["connection"],
        buckets: durations,
        registers
      })
    } as const
  }
}) {
  static readonly layer = this.Default
}
