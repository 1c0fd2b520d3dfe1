import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import { ListActivity, ListAudit } from "../src/domain/audit/Activity.ts"
import type { Actor } from "../src/domain/kernel/Actor.ts"
import { type ProjectId, SessionId, UserId } from "../src/domain/kernel/Id.ts"
import * as Brain from "../src/layers/Brain.ts"
import { Projects } from "../src/services/identity/Projects.ts"
import { CurrentActor, CurrentProject } from "../src/services/kernel/CurrentActor.ts"
import { Activity } from "../src/services/operations/Activity.ts"
import { idOf } from "../test/ids.ts"
import { percentile } from "./percentile.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { freshSettings } from "./services.ts"

/**
 * Pages of the activity feed and of a project's audit log over a long log, in milliseconds; one row in a thousand is
 * rare, and one project of ten has most rows. `npx vite-node bench/activity.ts sqlite|postgresql [rows]`
 */
const { database, rows } = databaseAndNumbersOf("activity", { rows: 1_000_000 })
const times = 30

const actor = (user_id: UserId, is_admin: boolean, projects: ReadonlyArray<ProjectId>): Actor => ({
  kind: "person",
  user_id,
  email: "bench@example.com",
  is_admin,
  roles: new Map(projects.map((id) => [id, "admin" as const])),
  refused_projects: new Set(),
  via: {
    kind: "session",
    session_id: idOf(SessionId, user_id),
    enrolled: false,
    factor_pending: false,
    is_fresh: true,
    overdue_since: null
  },
  source_ip: null,
  user_agent: null
})

const user = UserId.make("01900000-0000-7000-8000-0000000000aa")

/** Rows as the log has them, but for their signatures. */
const seed = Effect.fnUntraced(function*(projects: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const list = sql.literal(projects.map((id, at) => `WHEN ${at} THEN '${id}'`).join(" "))
  const columns = sql.literal(
    "id, seq, project_id, user_id, action, target_type, target_id, result, outcome, metadata, occurred_at, row_hash, prev_row_hmac, row_hmac, key_id"
  )
  const select = sql.onDialectOrElse({
    pg: () =>
      sql`SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n,
        (CASE WHEN n % 10 < 6 THEN ${projects[0]} ELSE CASE n % 100 / 10 ${list} END END)::uuid,
        CASE WHEN n % 1000 = 7 OR n % 3 = 0 THEN ${user}::uuid END,
        CASE WHEN n % 1000 = 7 THEN 'user.updated' WHEN n % 3 = 0 THEN 'command.issued' ELSE 'task.failed' END,
        'task', n::text, 'success', CASE WHEN n % 2000 = 1 THEN 'deny' ELSE 'allow' END, '{"engine":"celery"}',
        to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '', '', '', ''
      FROM generate_series(1, ${rows}::bigint) AS n`,
    orElse: () =>
      sql`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${rows})
      SELECT printf('01900000-0000-7000-8000-%012x', n), n,
        CASE WHEN n % 10 < 6 THEN ${projects[0]} ELSE CASE n % 100 / 10 ${list} END END,
        CASE WHEN n % 1000 = 7 OR n % 3 = 0 THEN ${user} END,
        CASE WHEN n % 1000 = 7 THEN 'user.updated' WHEN n % 3 = 0 THEN 'command.issued' ELSE 'task.failed' END,
        'task', n, 'success', CASE WHEN n % 2000 = 1 THEN 'deny' ELSE 'allow' END, '{"engine":"celery"}',
        strftime('%Y-%m-%dT%H:%M:%S', '2026-01-01', n || ' seconds') || '.000000Z', '', '', '', '' FROM s`
  })
  yield* sql`DELETE FROM audit_log`
  yield* sql`INSERT INTO audit_log (${columns}) ${select}`
})

const measure = Effect.gen(function*() {
  const projects = yield* Projects
  const activity = yield* Activity
  const member = actor(user, false, [])
  const made = yield* Effect.forEach(Array.from({ length: 10 }, (_, at) => `bench-${at}`), (slug) =>
    projects.create({
      slug,
      name: slug,
      description: null,
      environment: "bench",
      timezone: "UTC",
      default_scheduler_owner: "svc-scheduler",
      allowed_schedulers: null
    }).pipe(Effect.provideService(CurrentActor, member)))
  const ids = made.map(({ id }) => id)
  yield* seed(ids)
  const feedQuery = Schema.decodeUnknownSync(ListActivity)
  const auditQuery = Schema.decodeUnknownSync(ListAudit)
  const middle = `2026-01-0${Math.min(9, Math.max(1, Math.floor(rows / 172_800)))}T00:00:00Z|${user}`

  const timed = <A, E, R>(page: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const all: Array<number> = []
      for (let turn = 0; turn < times; turn++) {
        const begun = performance.now()
        yield* page
        all.push(performance.now() - begun)
      }
      return { p50: percentile(all, 50), p99: percentile(all, 99) }
    })
  const feed = (who: Actor, query: Readonly<Record<string, string>>) =>
    timed(Effect.provideService(activity.feed(feedQuery(query)), CurrentActor, who))
  const list = (query: Readonly<Record<string, string>>) =>
    timed(
      activity.list(auditQuery(query)).pipe(
        Effect.provideService(CurrentActor, member),
        Effect.provideService(CurrentProject, made[0]!)
      )
    )
  const root = actor(user, true, [])
  const ten = actor(user, false, ids)
  return {
    bench: "activity",
    database,
    rows,
    admin: yield* feed(root, {}),
    adminDeep: yield* feed(root, { before_cursor: middle }),
    adminSince: yield* feed(root, { since_cursor: middle }),
    adminRarePrefix: yield* feed(root, { action_prefix: "user." }),
    adminNoSuchPrefix: yield* feed(root, { action_prefix: "nothing." }),
    member: yield* feed(ten, {}),
    memberDeep: yield* feed(ten, { before_cursor: middle }),
    memberRarePrefix: yield* feed(ten, { action_prefix: "user." }),
    memberSmallProject: yield* feed(ten, { project_slug: "bench-9", action_prefix: "command." }),
    project: yield* list({ limit: "500" }),
    projectRarePrefix: yield* list({ action_prefix: "user." }),
    projectUser: yield* list({ user_id: user, action_prefix: "user." }),
    projectOtherUser: yield* list({ user_id: "01900000-0000-7000-8000-0000000000bb" }),
    projectDenied: yield* list({ outcome: "deny" }),
    projectDeniedRare: yield* list({ outcome: "deny", action_prefix: "user." })
  }
}).pipe(Effect.provide(Brain.layer.pipe(Layer.provideMerge(freshSettings(database)))))

report(measure)
