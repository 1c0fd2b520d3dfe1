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
    const counter = <Label extends string = string>(name: string, help: string, labelNames: Array<Label> = []) =>
      new Counter({ name, help, labelNames, registers })
    const gauge = <Label extends string = string>(name: string, help: string, labelNames: Array<Label> = []) =>
      new Gauge({ name, help, labelNames, registers })
    const histogram = <Label extends string = string>(
      name: string,
      help: string,
      buckets: Array<number>,
      labelNames: Array<Label> = []
    ) => new Histogram({ name, help, labelNames, buckets, registers })
    // `svc status` reads the version of the running brain there
    gauge("svc_build_info", "1, with the program's version", ["version"]).set({ version }, 1)
    return {
      registry,
      /** Every metric as Prometheus text. */
      text: Effect.promise(() => Registry.merge([registry, processMetricsRegistry]).metrics()),
      httpRequests: counter(
        "svc_http_requests_total",
        "Requests, by route pattern and status; 499: the client left before the response",
        ["method", "route", "status"]
      ),
      httpSeconds: histogram(
        "svc_http_request_seconds",
        "From a request's head to the head of its response; long-poll routes wait on purpose",
        durations,
        ["method", "route"]
      ),
      agentsOnline: gauge("svc_agents_online", "Agents online, of all replicas"),
      tasksTotal: gauge("svc_tasks_total", "Tasks by state now: a gauge, whose name the contract fixes", ["state"]),
      workersOnline: gauge("svc_workers_online", "Workers online, by engine, of all replicas", ["engine"]),
      queueDepth: gauge(
        "svc_queue_depth",
        "Tasks in a queue, as agents reported in the last 5 minutes; the 500 deepest queues",
        ["project", "engine", "queue"]
      ),
      oldestWaitingTask: gauge(
        "svc_oldest_waiting_task_seconds",
        "Age of the project's oldest task that is pending or received; 0: none waits",
        ["project"]
      ),
      oldestTriggerEvent: gauge(
        "svc_oldest_trigger_event_seconds",
        "Age of the oldest trigger event that its consumer has not taken; 0: none waits",
        ["consumer"]
      ),
      tasksEnded: counter(
        "svc_tasks_ended_total",
        "Tasks that ended, by task name and outcome, as this process stored them",
        ["name", "outcome"]
      ),
      taskRun: histogram(
        "svc_task_run_seconds",
        "Run time of tasks that ended, by task name, as their workers report it",
        taskDurations,
        ["name"]
      ),
      projectTasksReceived: counter(
        "svc_project_tasks_received_total",
        "New tasks, by project and engine, as this process stored them",
        ["project", "engine"]
      ),
      projectTasksEnded: counter(
        "svc_project_tasks_ended_total",
        "Tasks that ended, by project, engine and outcome, as this process stored them",
        ["project", "engine", "outcome"]
      ),
      projectTaskRetries: counter(
        "svc_project_task_retries_total",
        "Retries that attempts of tasks asked for, by project and engine, as this process stored them",
        ["project", "engine"]
      ),
      projectTaskRun: histogram(
        "svc_project_task_run_seconds",
        "Run time of tasks that ended, by project and engine",
        taskDurations,
        ["project", "engine"]
      ),
      projectTaskWait: histogram(
        "svc_project_task_wait_seconds",
        "From the receipt of tasks to their first start, by project and engine",
        taskDurations,
        ["project", "engine"]
      ),
      backgroundTaskErrorActive: gauge("svc_background_task_error_active", "1 while a background loop is failing", [
        "task"
      ]),
      swallowedExceptions: counter("svc_swallowed_exceptions_total", "Errors that were handled by continuing", [
        "module",
        "site"
      ]),
      scheduleMisfires: counter(
        "svc_schedule_misfires_total",
        "Ticks that did not fire within their grace, by cause; ticks missed in a row count once",
        ["cause"]
      ),
      schedulePublications: counter(
        "svc_schedule_publications_total",
        "Snapshots and changes of schedules that agents published, by what became of them",
        ["outcome"]
      ),
      connections: gauge("svc_http_connections", "Open TCP connections of clients to this process"),
      connectionsClosed: counter(
        "svc_http_connections_closed_total",
        "Closed TCP connections of clients: ended, reset by the client, timeout of the network, error, too_many of one address, slow_reader",
        ["reason"]
      ),
      agentSessions: gauge("svc_agent_sessions", "Open agent sessions of this process", ["transport"]),
      framesReceived: counter("svc_agent_frames_total", "Frames accepted, by type", ["type"]),
      framesRefused: counter("svc_agent_frames_refused_total", "Frames refused, by reason", ["reason"]),
      ingestEvents: counter("svc_ingest_events_total", "Events by outcome", ["outcome"]),
      eventsUnusable: counter(
        "svc_agent_events_unusable_total",
        "Events that cannot be stored and were acknowledged as rejected, by reason",
        ["reason"]
      ),
      ingestQueue: gauge("svc_ingest_queue_events", "Events waiting for the writer"),
      ingestCommit: histogram("svc_ingest_commit_seconds", "Time of one group commit", durations),
      ingestBatch: histogram("svc_ingest_batch_events", "Events of one group commit", [
        1,
        3,
        10,
        30,
        100,
        300,
        1000,
        3000,
        10_000
      ]),
      commandSeconds: histogram("svc_command_seconds", "From issued to its end, by action and status", durations, [
        "action",
        "status"
      ]),
      auditDenials: counter(
        "svc_audit_denials_total",
        "Destructive requests refused for want of a role or scope: recorded, or left out of the log as too many",
        ["outcome"]
      ),
      auditCheckpointsWaiting: gauge("svc_audit_checkpoints_waiting", "Checkpoints that a sink has not had yet", [
        "sink"
      ]),
      auditCheckpointsDropped: counter(
        "svc_audit_checkpoints_dropped_total",
        "Checkpoints that a sink never gets, because their file was put aside before",
        ["sink"]
      ),
      rowsDropped: counter(
        "svc_rows_dropped_total",
        "Reports of queues, workers and failure groups beyond what a project may have",
        ["table"]
      ),
      deliveries: counter(
        "svc_deliveries_total",
        "Attempts to deliver a message, by type of channel and outcome: sent, retried, failed, suppressed",
        ["type", "outcome"]
      ),
      deliverySeconds: histogram("svc_delivery_seconds", "Time that a channel's provider took to respond", durations, [
        "type"
      ]),
      deliveriesWaiting: gauge(
        "svc_deliveries_waiting",
        "Deliveries that wait, also for a retry, of all replicas; at most 10000 are counted"
      ),
      deliveryOldestSeconds: gauge(
        "svc_delivery_oldest_seconds",
        "How long ago the delivery that waits longest was due"
      ),
      liveStreams: gauge("svc_live_streams", "Open live streams of this process"),
      livePolls: counter("svc_live_looks_total", "Reads of a project's changes for its live streams"),
      liveResets: counter(
        "svc_live_resets_total",
        "Resets sent to live streams: too many changes for all of a project's streams, or one reader too slow",
        ["reason"]
      ),
      databaseSeconds: histogram(
        "svc_database_seconds",
        "Time that a database connection was in use, for a statement or a transaction",
        durations,
        ["connection"]
      )
    } as const
  }
}) {
  static readonly layer = this.Default
}
