import type { SqlClient, Statement } from "@effect/sql"
import { Array as Arr, Effect } from "effect"
import { isUnconsumed } from "../../../domain/agents/Consumers.ts"
import type { ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { AttentionKind, AttentionTarget } from "../../../domain/operations/Home.ts"
import { reportTriggers } from "../../../domain/triggers/Trigger.ts"
import { hasGrown, lowWindowOf } from "../../agents/Queues/Lows.ts"
import { listOldestWaiting } from "../../agents/Queues/Repo.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { escalationOf, startOfEscalation } from "../../tasks/Failures/Escalation.ts"

/** What needs attention by its names: how many there are, and the worst of them. */
export interface Named {
  readonly project_id: string
  readonly kind: AttentionKind
  readonly count: number
  readonly targets: ReadonlyArray<AttentionTarget>
}

/** Who reads, and where they may decide. */
export interface Decider {
  readonly user_id: UserId
  /** Projects whose alerts that are their own they see. */
  readonly seen: ReadonlyArray<ProjectId>
  /** Projects whose own alerts they may acknowledge. */
  readonly operated: ReadonlyArray<ProjectId>
  /** Projects in which they may approve what other people request. */
  readonly administered: ReadonlyArray<ProjectId>
  /** Whether they may approve changes of users, which concern the whole brain. */
  readonly administersUsers: boolean
}

/** Of each kind so many are named. */
const maxTargets = 3
/** A report that is older says nothing of the depth now. */
const maxDepthAgeSeconds = 300
const deepQueue = 1000
/** Waiting for less is no reason to look after a queue whose depth is not reported. */
const waitedSeconds = 300
const secondsPerDay = Timestamp.secondsPerDay

/** Projects whose waiting tasks one request reads: SQLite takes 500 parts of a compound SELECT, and each project is two. */
const maxTargetProjects = 200

/** Groups of which one request reads the rows: of 10 000 that fail at once, all rows took 30 ms on SQLite. */
const maxGroups = 1000

/** Open alerts of a project of which one request reads the rows, for the same reason. */
const maxAlerts = 1000

/** Alerts that are no problem, and those of approvals, which `approvals_waiting` names to the people who decide. */
const unlistedTriggers = [...reportTriggers, "approval.requested"]

interface TargetRow {
  readonly project_id: string
  readonly engine: string | null
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

interface TargetedQueue {
  readonly project_id: ProjectId
  readonly engine: string
  readonly id: string
  readonly name: string
  readonly seconds: number
}

interface WorkerQueues {
  readonly project_id: string
  readonly engine: string
  readonly state: string
  readonly queues: string
}

const keyOf = ({ engine, project_id }: Pick<WorkerQueues, "project_id" | "engine">) => `${project_id} ${engine}`

const maxDetail = 200

const targetOf = (
  { detail, engine, id, name }: Pick<TargetRow, "engine" | "id" | "name" | "detail">
): AttentionTarget => ({
  engine,
  id,
  name: detail === null ? name : `${name}: ${(detail.split("\n", 1)[0] ?? "").slice(0, maxDetail).toWellFormed()}`
})

/** One statement for all kinds: on PostgreSQL the page takes as long as its round trips. */
const listWorst = (
  read: SqlClient.SqlClient,
  kinds: ReadonlyArray<readonly [AttentionKind, Statement.Fragment]>
) =>
  Effect.map(
    read<TargetRow>`${
      read.join(" UNION ALL ", false)(
        kinds.map(([kind, found]) =>
          read`SELECT project_id, ${read.literal(`'${kind}'`)} AS kind, engine, id, name, detail, n FROM (
            SELECT project_id, engine, id, name, detail, count(*) OVER (PARTITION BY project_id) AS n,
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

/** What needs attention and has names: queues, failure groups, alerts and approvals; the rules are those of docs/trends.md. */
export const makeNamedRepo = Effect.gen(function*() {
  const read = yield* Reader

  /** Open alerts without an acknowledgement, the latest first, of the newest ones of each project: from an index alone. */
  const alertsOf = ({ operated, seen, user_id }: Decider, now: Timestamp.Timestamp) =>
    read`SELECT alerts.project_id, NULL AS engine, CAST(alerts.id AS TEXT) AS id, title AS name, NULL AS detail,
        last_at AS weight
      FROM (SELECT id, row_number() OVER (PARTITION BY project_id ORDER BY id DESC) AS nth FROM alerts
          WHERE ${idIn(read, seen, "project_id")} AND status = 'open') AS a
        JOIN alerts ON alerts.id = a.id JOIN subscriptions s ON s.id = alerts.subscription_id
      WHERE nth <= ${maxAlerts} AND acknowledged_at IS NULL AND alerts.trigger_key NOT IN ${read.in(unlistedTriggers)}
        AND (snoozed_until IS NULL OR snoozed_until <= ${now})
        AND (s.user_id = ${user_id} OR (s.user_id IS NULL AND ${idIn(read, operated, "alerts.project_id")}))`

  /** Actions that wait for a second person, the latest first. */
  const approvalsOf = ({ administered, administersUsers, user_id }: Decider, now: Timestamp.Timestamp) =>
    read`SELECT project_id, NULL AS engine, CAST(id AS TEXT) AS id, summary AS name, NULL AS detail, created_at AS weight
      FROM approvals WHERE ${idIn(read, administered, "project_id")} AND status = 'pending' AND expires_at > ${now}
        AND requested_by <> ${user_id} AND ${administersUsers ? read.literal("TRUE") : read`kind <> 'user_update'`}`

  const listRanked = (ids: ReadonlyArray<ProjectId>, decider: Decider, now: Timestamp.Timestamp) => {
    const ago = (seconds: number) => Timestamp.addSeconds(now, -seconds)
    const queues = (condition: Statement.Fragment) =>
      read`SELECT project_id, engine, CAST(id AS TEXT) AS id, name, NULL AS detail, depth AS weight FROM queues
        WHERE ${idIn(read, ids, "project_id")} AND ${condition} AND last_seen_at >= ${ago(maxDepthAgeSeconds)}`
    /**
     * Groups with open tasks that failed since then and are neither muted nor resolved, the latest ones of all projects
     * together; from an index alone.
     */
    const openGroups = (since: string) =>
      read`(SELECT project_id, fingerprint FROM failure_groups
          WHERE ${idIn(read, ids, "project_id")} AND last_seen_at >= ${since} AND open_count > 0
            AND triage IN ('open', 'regressed')
          ORDER BY last_seen_at DESC LIMIT ${maxGroups}) AS a
        JOIN failure_groups g ON g.project_id = a.project_id AND g.fingerprint = a.fingerprint`
    return listWorst(read, [
      ["alerts_open", alertsOf(decider, now)],
      ["approvals_waiting", approvalsOf(decider, now)],
      ["queue_depth", queues(read`depth >= ${deepQueue}`)],
      ["queue_growth", queues(read`low_window >= ${lowWindowOf(now) - 1} AND ${read.literal(hasGrown)}`)],
      [
        "failure_groups_regressed",
        read`SELECT project_id, NULL AS engine, fingerprint AS id, task_name AS name, sample_exception AS detail, open_count AS weight
          FROM failure_groups WHERE ${idIn(read, ids, "project_id")} AND triage = 'regressed' LIMIT ${maxGroups}`
      ],
      [
        "failure_groups_new",
        read`SELECT g.project_id, NULL AS engine, g.fingerprint AS id, g.task_name AS name, g.sample_exception AS detail,
            g.open_count AS weight
          FROM ${openGroups(ago(secondsPerDay))} JOIN projects p ON p.id = g.project_id
          WHERE g.first_seen_at >= ${ago(secondsPerDay)} AND p.created_at < ${ago(secondsPerDay)}
            AND g.triage = 'open'`
      ],
      [
        "failure_groups_escalating",
        read`SELECT * FROM (SELECT g.project_id, NULL AS engine, g.fingerprint AS id, g.task_name AS name,
            g.sample_exception AS detail, ${escalationOf(read, now)} AS weight
          FROM ${openGroups(startOfEscalation(now))}) AS recent WHERE weight IS NOT NULL`
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
      targets: queues.slice(0, maxTargets).map(({ engine, id, name }) => ({ engine, id, name }))
    }))
  })

  /** Queues whose oldest task has waited for longer than their target; those that are paused wait on purpose. */
  const listOverTarget = Effect.fnUntraced(function*(ids: ReadonlyArray<ProjectId>, now: Timestamp.Timestamp) {
    const targeted = yield* read<TargetedQueue>`SELECT project_id, engine, CAST(id AS TEXT) AS id, name,
        start_target_seconds AS seconds FROM queues q
      WHERE ${idIn(read, ids, "project_id")} AND start_target_seconds IS NOT NULL AND coalesce(paused, 0) = 0
        AND NOT EXISTS (SELECT 1 FROM queue_pauses p LEFT JOIN commands c ON c.id = p.command_id
          WHERE p.project_id = q.project_id AND p.engine = q.engine AND p.queue = q.name
            AND coalesce(c.status, '') NOT IN ('failed', 'timeout', 'cancelled'))`
    const projectIds = [...new Set(targeted.map(({ project_id }) => project_id))].slice(0, maxTargetProjects)
    if (projectIds.length === 0) return []
    const oldest = new Map(
      (yield* listOldestWaiting(read, projectIds)).map((row) => [`${keyOf(row)} ${row.queue}`, row.since])
    )
    const waitedFor = (queue: TargetedQueue) => oldest.get(`${keyOf(queue)} ${queue.name}`) ?? now
    const over = targeted.filter((queue) => waitedFor(queue) < Timestamp.addSeconds(now, -queue.seconds))
      .toSorted((left, right) => (waitedFor(left) < waitedFor(right) ? -1 : 1))
    return Object.entries(Arr.groupBy(over, ({ project_id }) => project_id)).map(([project_id, queues]): Named => ({
      project_id,
      kind: "queue_over_target",
      count: queues.length,
      targets: queues.slice(0, maxTargets).map(({ engine, id, name }) => ({ engine, id, name }))
    }))
  })

  const listNamed = (ids: ReadonlyArray<ProjectId>, decider: Decider, now: Timestamp.Timestamp) =>
    Effect.map(
      Effect.all([listRanked(ids, decider, now), listUnconsumed(ids, now), listOverTarget(ids, now)], {
        concurrency: 2
      }),
      (found) => found.flat()
    )

  return { listNamed } as const
})
