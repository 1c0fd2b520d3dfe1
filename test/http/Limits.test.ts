import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { freshKey, freshProject, request, serverOn } from "../brain.ts"
import { insertTasks, storedTask } from "../tasks.ts"
import { fromElsewhere, proxied } from "./people.ts"

interface Limit {
  readonly table: string
  /** Under the project, unless it begins with `/user`. */
  readonly path: string
  /** The same body is sent several times: `n` makes it unique. */
  readonly body: (n: number, projectId: string) => object
  readonly limit: number
  readonly code: string
  /** Columns of the other rows, as SQL over their number `g`. */
  readonly others?: string
  /** The status of a request that is not refused. */
  readonly status?: number
}

const inOneHour = Timestamp.addSeconds(Timestamp.fromEpochMicros(Date.now() * 1000), 3600)
const now = Timestamp.fromEpochMicros(Date.now() * 1000)
const webhook = { name: "hook", type: "webhook", config: { url: "http://127.0.0.1/" } }

const limits: ReadonlyArray<Limit> = [
  {
    table: "export_jobs",
    path: "/audit/export-jobs",
    body: () => ({ format: "csv" }),
    limit: 5,
    code: "too_many_export_jobs",
    status: 202
  },
  {
    table: "export_jobs",
    path: "/task-export-jobs",
    body: () => ({ format: "csv" }),
    limit: 5,
    code: "too_many_export_jobs",
    status: 202
  },
  {
    table: "approvals",
    path: "/tasks/bulk-delete",
    body: (n) => ({ filter_name: `shop.${n}` }),
    limit: 100,
    code: "too_many_approvals",
    status: 403
  },
  {
    table: "maintenance_windows",
    path: "/notifications/maintenance-windows",
    body: () => ({ name: "upgrade", starts_at: now, ends_at: inOneHour }),
    limit: 100,
    code: "too_many_maintenance_windows"
  },
  {
    table: "saved_views",
    path: "/saved-views",
    body: (n) => ({ name: `view ${n}`, filters: {} }),
    limit: 100,
    code: "too_many_saved_views",
    others: "'name', 'other ' || g"
  },
  {
    table: "saved_views",
    path: "/saved-views",
    body: (n) => ({ name: `view ${n}`, filters: {}, is_shared: true }),
    limit: 500,
    code: "too_many_saved_views",
    others: "'owner_id', NULL"
  },
  {
    table: "subscriptions",
    path: "/notifications/defaults",
    body: () => ({ trigger: "task.failed" }),
    limit: 200,
    code: "too_many_subscriptions"
  },
  {
    table: "subscriptions",
    path: "/user/subscriptions",
    body: (_, project_id) => ({ project_id, trigger: "task.failed" }),
    limit: 200,
    code: "too_many_subscriptions"
  },
  {
    table: "channels",
    path: "/notifications/channels",
    body: () => webhook,
    limit: 100,
    code: "too_many_channels"
  },
  { table: "channels", path: "/user/channels", body: () => webhook, limit: 20, code: "too_many_channels" },
  {
    table: "automation_rules",
    path: "/automation/rules",
    body: (n) => ({ name: `rule ${n}`, trigger: "task.failed" }),
    limit: 200,
    code: "too_many_automation_rules"
  },
  {
    table: "bulk_jobs",
    path: "/bulk-retry-requests",
    body: (n) => ({ idempotency_key: `key ${n}` }),
    limit: 20,
    code: "too_many_bulk_retries",
    others: "'idempotency_key', 'other ' || g, 'control_state', 'paused'",
    status: 202
  },
  {
    table: "bulk_jobs",
    path: "/bulk-jobs:cancel",
    body: () => ({ filter_state: "started" }), // without an agent it waits
    limit: 20,
    code: "too_many_bulk_jobs",
    status: 202
  }
]

/** Each change of the table's rows takes a moment, in which another transaction can count them. */
const slowChanges = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.acquireRelease(
      sql.unsafe(`CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION slow()`),
      () => Effect.orDie(sql.unsafe(`DROP TRIGGER slow ON ${table}`))
    ))

describe("limits of rows on PostgreSQL", () => {
  const settings = { webhookAllowHttp: true, outboundAllowCidrs: ["127.0.0.0/8:*"], ...proxied }
  layer(serverOn("PostgreSQL", settings), { excludeTestServices: true })((it) => {
    it.scoped("hold where requests come at the same moment", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_sleep(0.1); RETURN NEW; END $$`
        // another replica writes exports, so that they stay open
        for (const name of ["audit exports", "task exports"]) {
          yield* sql`INSERT INTO leases (name, holder, expires_at) VALUES (${name}, 'another', ${Date.now() + 29_000})`
        }
        const outcomes: Array<ReadonlyArray<string>> = []
        for (const { body, limit, others, path, status = 201, table } of limits) {
          const project = yield* freshProject()
          const roles = { [project.id]: "admin" } as const
          const { token } = yield* freshKey({ roles })
          yield* freshKey({ roles }) // the second person of approvals
          const states = ["failure", "started"] as const
          yield* insertTasks(states.map((state) => storedTask(project.id, Date.now(), { state })))
          if (table === "approvals") {
            const approvals = { purge: false, bulk_over: 1, destructive_rules: false }
            const policy = yield* request("PATCH", `/projects/${project.slug}`, { token, body: { approvals } })
            assert.strictEqual(policy.status, 200, policy.text)
          }
          const create = (n: number) =>
            request("POST", path.startsWith("/user") ? path : `/projects/${project.slug}${path}`, {
              token,
              headers: fromElsewhere(), // each address has a rate of its own
              body: body(n, project.id)
            })
          const first = yield* create(0)
          if (first.status !== status) {
            outcomes.push([path, first.text])
            continue
          }
          const changes = `jsonb_build_object('id', gen_random_uuid()${others === undefined ? "" : `, ${others}`})`
          yield* sql.unsafe(
            `INSERT INTO ${table} SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(t) || ${changes})).*
              FROM (SELECT * FROM ${table} ORDER BY created_at DESC LIMIT 1) t, generate_series(1, ${limit - 2}) g`
          )
          const responses = yield* Effect.scoped(
            Effect.zipRight(slowChanges(table), Effect.forEach([1, 2, 3], create, { concurrency: "unbounded" }))
          )
          const codes = responses.map(({ json, status: sent }) => (sent === status ? "created" : json.code)).sort()
          outcomes.push([path, ...codes])
        }
        assert.deepStrictEqual(outcomes, limits.map(({ code, path }) => [path, "created", code, code]))
      }))
  })
})
