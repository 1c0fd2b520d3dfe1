import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { canonicalize, type JsonInput, parse, ParseFailure } from "../../../../src/domain/kernel/CanonicalJson.ts"
import { type AgentId, type ProjectId } from "../../../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../../../src/domain/kernel/TaskEvent.ts"
import { readEvent } from "../../../../src/protocol/Event.ts"
import { Ingest } from "../../../../src/services/tasks/Ingest.ts"
import type { BatchOutcome } from "../../../../src/services/tasks/Ingest/Model.ts"
import { readRollups } from "../../../rollups.ts"

const folder = new URL("../../../protocol/vectors/sequences/", import.meta.url)

export const sequences = [
  "arq",
  "celery-busy",
  "celery-prefork-with-E",
  "celery-prefork-without-E",
  "celery-solo",
  "celery-two-workers",
  "celery-two-workers-rabbitmq",
  "dramatiq",
  "huey",
  "huey-longpoll",
  "rq",
  "scheduler-apscheduler",
  "scheduler-celerybeat-static",
  "taskiq"
]

/** An event as the gateway decodes it. */
export const eventOf = (event: JsonInput): AgentEvent => {
  const node = parse(canonicalize(event))
  const read = node instanceof ParseFailure ? node.reason : readEvent(node, Date.UTC(2026, 10, 21))
  if (typeof read === "string") throw new Error(`unusable: ${read}`)
  return read
}

/** An event, and the agent process that reported it where several were recorded. */
export interface Reported extends AgentEvent {
  readonly reporter?: string
}

/** A recorded stream of events, in the order of arrival. */
export const readRecording = (name: string): ReadonlyArray<Reported> => {
  // The annotation: the files are lists of these, see the agents' protocol, vectors.
  const text = readFileSync(new URL(`${name}.json`, folder), "utf8")
  const lines: ReadonlyArray<{ readonly event: JsonInput; readonly process?: string }> = JSON.parse(text)
  return lines.map(({ event, process = "test" }) => ({ ...eventOf(event), reporter: process }))
}

export interface Source {
  readonly projectId: ProjectId
  readonly agentId: AgentId
}

/** Offers the events, a batch for each process, and waits until they are committed. */
export const offerTo = (ingest: Ingest["Type"], source: Source, events: ReadonlyArray<Reported>) =>
  Effect.map(
    Effect.forEach(
      new Set(events.map(({ reporter = "test" }) => reporter)),
      (reporter) =>
        offerOf(ingest, source, reporter, events.filter((event) => (event.reporter ?? "test") === reporter)),
      { concurrency: "unbounded" }
    ),
    (outcomes): BatchOutcome => ({
      accepted: outcomes.reduce((sum, { accepted }) => sum + accepted, 0),
      rejected: outcomes.reduce((sum, { rejected }) => sum + rejected, 0)
    })
  )

const offerOf = (
  { offer }: Ingest["Type"],
  { agentId, projectId }: Source,
  reporter: string,
  events: ReadonlyArray<AgentEvent>
) =>
  Effect.async<BatchOutcome>((resume) => {
    const taken = offer({
      projectId,
      agentId,
      reporter,
      events,
      size: events.length * 300,
      onCommit: (outcome) => resume(Effect.succeed(outcome))
    })
    if (!taken) resume(Effect.dieMessage("the queue is full"))
  })

export const offerEvents = (source: Source, events: ReadonlyArray<Reported>) =>
  Effect.flatMap(Ingest, (ingest) => offerTo(ingest, source, events))

/** Everything that a project's events have led to, but ids of our own and moments of our own. */
export const readState = (projectId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tasks = yield* sql`
      SELECT engine, task_id, name, queue, state, priority, args, kwargs, result, exception, traceback, retry_count, eta,
        received_at, started_at, finished_at, runtime_ms, worker_name, parent_task_id, root_task_id, tags, first_event_at,
        fingerprint
      FROM tasks WHERE project_id = ${projectId} ORDER BY engine, task_id`
    const counts = yield* sql`
      SELECT state, CAST(sum(tasks) AS INTEGER) AS tasks FROM task_counts WHERE project_id = ${projectId}
      GROUP BY state HAVING sum(tasks) <> 0 ORDER BY state`
    const counted = yield* sql`
      SELECT state, CAST(count(*) AS INTEGER) AS tasks FROM tasks WHERE project_id = ${projectId}
      GROUP BY state ORDER BY state`
    const facets = yield* sql`
      SELECT facet, value FROM task_facets WHERE project_id = ${projectId} ORDER BY facet, value`
    // not their state: the check for silent workers changes it at the same time
    const workers = yield* sql`
      SELECT engine, name, hostname, pid, last_heartbeat, processed, failed, succeeded, retried
      FROM workers WHERE project_id = ${projectId} ORDER BY engine, name`
    const queues = yield* sql`
      SELECT engine, name, depth, last_seen_at FROM queues WHERE project_id = ${projectId} ORDER BY engine, name`
    const groups = yield* sql`
      SELECT fingerprint, engine, CAST(occurrences AS INTEGER) AS occurrences, CAST(open_count AS INTEGER) AS open_count,
        CAST(recovered_count AS INTEGER) AS recovered_count
      FROM failure_groups WHERE project_id = ${projectId} AND occurrences > 0 ORDER BY fingerprint`
    // retention deletes the minutes of recordings, which are older than two days, while a test reads
    const groupCounts = yield* sql`
      SELECT fingerprint, level, CAST(bucket AS INTEGER) AS bucket, CAST(occurrences AS INTEGER) AS occurrences
      FROM failure_group_counts
      WHERE project_id = ${projectId} AND level > 0 AND occurrences > 0 ORDER BY fingerprint, level, bucket`
    const rollups = yield* readRollups(projectId)
    return { groups, groupCounts, rollups, tasks, counts, counted, facets, workers, queues }
  })

/** The histories, byte for byte. */
export const readHistories = (projectId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT engine, task_id, history FROM tasks WHERE project_id = ${projectId} ORDER BY engine, task_id`
  )
