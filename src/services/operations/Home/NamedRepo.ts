import type { SqlClient, Statement } from "@effect/sql"
import { Array as Arr, Effect } from "effect"
import { isUnconsumed } from "../../../domain/agents/Consumers.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { AttentionKind, AttentionTarget } from "../../../domain/operations/Home.ts"
import { minuteOf } from "../../../domain/tasks/FailureRate.ts"
import { hasGrown, lowWindowOf } from "../../agents/Queues/Lows.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { startOf } from "../../tasks/Rollups/Cells.ts"
import { levels } from "../../tasks/Rollups/Series.ts"
import { timestampOf } from "../../tasks/Rollups/Window.ts"

/** What needs attention by its names: how many there are, and the worst of them. */
export interface Named {
  readonly project_id: string
  readonly kind: AttentionKind
  readonly count: number
  readonly targets: ReadonlyArray<AttentionTarget>
}

/** Of each kind so many are named. */
const maxTargets = 3
/** A report that is older says nothing of the depth now. */
const maxDepthAgeSeconds = 300
const deepQueue = 1000
/** Waiting for less is no reason to look after a queue whose depth is not reported. */
const waitedSeconds = 300
const secondsPerDay = Timestamp.secondsPerDay
/** Failures of an hour below which a group does not escalate. */
const manyFailures = 20

/** Groups of which one request reads the rows: of 10 000 that fail at once, all rows took 30 ms on SQLite. */
const maxGroups = 1000

interface TargetRow {
  readonly project_id: string
  readonly kind: AttentionKind
  readonly id: string
  readonly name: string
  readonly detail: string | null
  readonly n: number | string
}

interface WaitingQueue {
  readonly project_id: string
  readonly engine: string
  readonly id: string
  readonly name: string
  readonly depth: number | string | null
}

interface WorkerQueues {
  readonly project_id: string
  readonly engine: string
  readonly state: string
  readonly queues: string
}

const keyOf = ({ engine, project_id }: Pick<WorkerQueues, "project_id" | "engine">) => `${project_id} ${engine}`

const maxDetail = 200

const targetOf = ({ detail, id, name }: Pick<TargetRow, "id" | "name" | "detail">): AttentionTarget => ({
  id,
  name: detail === null ? name : `${name}: ${(detail.split("\n", 1)[0] ?? "").slice(0, maxDetail).toWellFormed()}`
})

/** The hour of a time: its bucket in the counts of failure groups, and when it begins. */
const hourOf = (time: Timestamp.Timestamp) => {
  const bucket = startOf(minuteOf(time), levels.hour)
  return { bucket, start: timestampOf(bucket) }
}

/** One statement for all kinds: on PostgreSQL the page takes as long as its round trips. */
const listWorst = (
  read: SqlClient.SqlClient,
  kinds: ReadonlyArray<readonly [AttentionKind, Statement.Fragment]>
) =>
  Effect.map(
    read<TargetRow>`${
      read.join(" UNION ALL ", false)(
        kinds.map(([kind, found]) =>
          read`SELECT project_id, ${read.literal(`'${kind}'`)} AS kind, id, name, detail, n FROM (
            SELECT project_id, id, name, detail, count(*) OVER (PARTITION BY project_id) AS n,
              row_number() OVER (PARTITION BY project_id ORDER BY weight DESC, name, id) AS place
            FROM (${found}) AS found) AS numbered
          WHERE place <= ${maxTargets}`
        )
      )
    }`,
    (rows): ReadonlyArray<Named> =>
      Object.values(Arr.groupBy(rows, ({ kind, project_id }) => `${project_id} ${kind}`)).map((group) => {
        const [{ kind, n, project_id }] = group
        return { project_id, kind, count: Number(n), targets: group.map(targetOf) }
      })
  )

/** Queues and failure groups that need attention, by name; the rules are those of docs/trends.md. */
export const makeNamedRepo = Effect.gen(function*() {
  const read = yield* Reader

  const listQueuesAndGroups = (ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) => {
    const ago = (seconds: number) => Timestamp.addSeconds(now, -seconds)
    const queues = (condition: Statement.Fragment) =>
      read`SELECT project_id, CAST(id AS TEXT) AS id, name, NULL AS detail, depth AS weight FROM queues
        WHERE ${idIn(read, ids, "project_id")} AND ${condition} AND last_seen_at >= ${ago(maxDepthAgeSeconds)}`
    /** Groups with open tasks that failed since then, the latest ones of all projects together; from an index alone. */
    const openGroups = (since: string) =>
      read`(SELECT project_id, fingerprint FROM failure_groups
          WHERE ${idIn(read, ids, "project_id")} AND last_seen_at >= ${since} AND open_count > 0
          ORDER BY last_seen_at DESC LIMIT ${maxGroups}) AS a
        JOIN failure_groups g ON g.project_id = a.project_id AND g.fingerprint = a.fingerprint`
    const hours = [hourOf(ago(3600)), hourOf(now)] as const
    const dayBefore = hourOf(ago(secondsPerDay + 3600))
    return listWorst(read, [
      ["queue_depth", queues(read`depth >= ${deepQueue}`)],
      ["queue_growth", queues(read`low_window >= ${lowWindowOf(now) - 1} AND ${read.literal(hasGrown)}`)],
      [
        "failure_groups_new",
        read`SELECT g.project_id, g.fingerprint AS id, g.task_name AS name, g.sample_exception AS detail,
            g.open_count AS weight
          FROM ${openGroups(ago(secondsPerDay))} JOIN projects p ON p.id = g.project_id
          WHERE g.first_seen_at >= ${ago(secondsPerDay)} AND p.created_at < ${ago(secondsPerDay)}`
      ],
      [
        "failure_groups_escalating",
        read`SELECT g.project_id, g.fingerprint AS id, g.task_name AS name, g.sample_exception AS detail,
            max(h.occurrences) AS weight
          FROM ${openGroups(hours[0].start)}
          JOIN failure_group_counts h ON h.project_id = g.project_id AND h.fingerprint = g.fingerprint
            AND h.level = ${levels.hour}
          JOIN (${
          read.join(" UNION ALL ", false)(
            hours.map(({ bucket, start }) =>
              read`SELECT CAST(${bucket} AS BIGINT) AS bucket, CAST(${start} AS TEXT) AS start`
            )
          )
        }) AS hours ON hours.bucket = h.bucket
          WHERE h.occurrences >= ${manyFailures} AND g.first_seen_at < hours.start AND NOT EXISTS (
            SELECT 1 FROM failure_group_counts b WHERE b.project_id = h.project_id AND b.fingerprint = h.fingerprint
              AND b.level = ${levels.hour} AND b.bucket >= ${dayBefore.bucket} AND b.bucket < h.bucket
              AND b.occurrences * 2 > h.occurrences)
          GROUP BY g.project_id, g.fingerprint`
      ]
    ])
  }

  /** Queues with waiting tasks: by their depth, else by their newest task, which has then waited for a while. */
  const listWaiting = (ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) => {
    const idAt = (seconds: number) => Ids.minIdAt(Timestamp.toEpochMillis(Timestamp.addSeconds(now, -seconds)))
    return read<WaitingQueue>`SELECT project_id, engine, CAST(id AS TEXT) AS id, name, depth FROM queues q
      WHERE ${idIn(read, ids, "project_id")} AND (
        (depth > 0 AND last_seen_at >= ${Timestamp.addSeconds(now, -maxDepthAgeSeconds)})
        OR (depth IS NULL AND 'pending' = (
          SELECT state FROM tasks t WHERE t.project_id = q.project_id AND t.queue = q.name
            AND t.id < ${idAt(waitedSeconds)} AND t.id >= ${idAt(secondsPerDay)} ORDER BY t.id DESC LIMIT 1)))
      ORDER BY coalesce(depth, 0) DESC, name`
  }

  const listUnconsumed = Effect.fnUntraced(function*(ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) {
    const waiting = yield* listWaiting(ids, now)
    if (waiting.length === 0) return []
    const projectIds = [...new Set(waiting.map(({ project_id }) => project_id))]
    const rows = yield* read<WorkerQueues>`SELECT DISTINCT project_id, engine, state, queues FROM workers
      WHERE ${idIn(read, projectIds, "project_id")}`
    const workers = Arr.groupBy(
      rows.map(({ queues, state, ...worker }) => ({
        ...worker,
        isOnline: state === "online",
        queues: JSON.parse(queues) as ReadonlyArray<string> // Presence wrote it
      })),
      keyOf
    )
    const unconsumed = waiting.filter((queue) => {
      const known = workers[keyOf(queue)] ?? []
      // a depth comes from an agent that is connected; without one, workers may be offline because their agent is
      return (queue.depth !== null || known.some(({ isOnline }) => isOnline)) && isUnconsumed(queue.name, known)
    })
    return Object.entries(Arr.groupBy(unconsumed, ({ project_id }) => project_id)).map((
      [project_id, queues]
    ): Named => ({
      project_id,
      kind: "queue_unconsumed",
      count: queues.length,
      targets: queues.slice(0, maxTargets).map(({ id, name }) => ({ id, name }))
    }))
  })

  const listNamed = (ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) =>
    Effect.map(
      Effect.all([listQueuesAndGroups(ids, now), listUnconsumed(ids, now)], { concurrency: 2 }),
      (found) => found.flat()
    )

  return { listNamed } as const
})
