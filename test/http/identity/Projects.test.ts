import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { UpdateProject } from "../../../src/domain/kernel/Project.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Projects } from "../../../src/services/identity/Projects.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { person } from "../../audit.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientOf, clientOfGlobalAdmin, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { newProject } from "../payloads.ts"
import { world } from "../world.ts"

describe.each(laneEngines)("projects on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.effect("a global admin creates, reads and changes a project", () =>
      Effect.gen(function*() {
        const { project, projects } = yield* clientOfGlobalAdmin
        const payload = newProject({ slug: "shop" })
        const created = yield* projects.create({ payload })
        assert.deepInclude(created, { slug: "shop", timezone: "UTC", environment: "production", is_active: true })
        yield* assertRefused(projects.create({ payload }), "slug_taken")
        const path = { slug: "shop" }
        const changed = yield* project.update({ path, payload: { name: "The shop" } })
        assert.strictEqual(changed.name, "The shop")
        assert.deepStrictEqual(yield* project.get({ path }), changed)
      }))

    it.effect("two changes that were authorized at the same moment keep each other's fields and policies", () =>
      Effect.gen(function*() {
        const projects = yield* Projects
        const read = yield* freshProject()
        yield* freshKey({ roles: { [read.id]: "admin" } })
        const { user_id } = yield* freshKey({ roles: { [read.id]: "admin" } })
        const admin = person(user_id, { source_ip: "192.0.2.7", roles: new Map([[read.id, "admin"]]) })
        /** With the project as both requests have read it. */
        const patch = (changes: UpdateProject) =>
          projects.update(changes).pipe(
            Effect.provideService(CurrentProject, read),
            Effect.provideService(CurrentActor, admin)
          )
        const approvals = { purge: true, bulk_over: null, destructive_rules: true }
        yield* patch({ payload_role: "admin", allowed_cidrs: ["192.0.2.0/24"], approvals })
        const renamed = yield* patch({ name: "renamed" })
        assert.deepInclude(renamed, { payload_role: "admin", allowed_cidrs: ["192.0.2.0/24"], approvals })
        const stored = yield* Effect.provideService(projects.getBySlug(read.slug), CurrentActor, admin)
        assert.deepInclude(stored, {
          name: "renamed",
          payload_role: "admin",
          allowed_cidrs: ["192.0.2.0/24"],
          approvals
        })
        // the policy holds, although the request has read a project without one
        const refusal = yield* Effect.flip(patch({ approvals: null }))
        assert.strictEqual(refusal.code, "approval_required")
      }))

    it.effect("changes at the same moment wait for each other", () =>
      Effect.gen(function*() {
        const path = yield* freshProject()
        const { project } = yield* clientOfGlobalAdmin
        const payloads = [{ name: "a" }, { description: "b" }, { environment: "c" }, { payload_role: "admin" as const }]
        yield* Effect.forEach(payloads, (payload) => project.update({ path, payload }), { concurrency: "unbounded" })
        const changed = yield* project.get({ path })
        assert.deepInclude(changed, { name: "a", description: "b", environment: "c", payload_role: "admin" })
      }))

    it.effect("a stranger's project is not there, and a weaker role may only read", () =>
      Effect.gen(function*() {
        const path = yield* freshProject()
        const stranger = yield* clientWith(yield* freshKey())
        const viewer = yield* clientOf("viewer", path)
        yield* assertRefused(stranger.project.get({ path }), "not_found")
        assert.strictEqual((yield* viewer.project.get({ path })).id, path.id)
        yield* assertRefused(viewer.project.update({ path, payload: { name: "x" } }), "forbidden")
      }))

    it.effect("a deleted project leaves nothing in any table that names projects, but its audit rows", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const projects = yield* Projects
        const { project, token } = yield* world({ signedIn: false })
        yield* freshKey({ boundTo: project.id })
        // more than a slice of what goes slice by slice
        const many = Array.from({ length: 1100 }, (_, n) => n)
        yield* insertTasks(many.map((n) => storedTask(project.id, Date.now() + n, { name: `shop.task${n}` })))
        const [command] = yield* sql`SELECT * FROM commands WHERE project_id = ${project.id}`
        const copies = yield* Effect.forEach(
          many,
          () => Effect.map(Ids.next, (id) => ({ ...command, id, idempotency_key: null }))
        )
        for (const part of [copies.slice(0, 550), copies.slice(550)]) {
          yield* sql`INSERT INTO commands ${sql.insert(part)}`
        }
        const links = many.map((n) => ({
          project_id: project.id,
          engine: "celery",
          task_id: "t",
          new_task_id: `new ${n}`,
          command_id: command!.id
        }))
        for (const part of [links.slice(0, 550), links.slice(550)]) {
          yield* sql`INSERT INTO task_retries ${sql.insert(part)}`
        }

        const now = yield* Timestamp.now
        yield* sql`INSERT INTO task_orphans ${
          sql.insert({
            project_id: project.id,
            engine: "celery",
            task_id: "t",
            started_at: now,
            detail: "",
            orphaned_at: now
          })
        }`
        yield* sql`INSERT INTO failure_group_counts ${
          sql.insert({ project_id: project.id, fingerprint: "0123456789abcdef", level: 1, bucket: 0, occurrences: 1 })
        }`
        yield* sql`INSERT INTO searchable_values ${
          sql.insert({ project_id: project.id, path: 1, value: "7835610", task: randomUUID() })
        }`
        const task = { project_id: project.id, engine: "celery", task_id: "t" }
        yield* sql`INSERT INTO task_outputs ${sql.insert({ ...task, lines: 1, bytes: 4, dropped: 0, updated_at: now })}`
        yield* sql`INSERT INTO task_log_chunks ${
          sql.insert({ ...task, event_id: yield* Ids.next, last_seq: 1, lines: "[]" })
        }`
        yield* sql`INSERT INTO rollup_series ${
          sql.insert({ project_id: project.id, kind: 0, engine: "", queue: "", name: "" })
        }`
        yield* sql`INSERT INTO rollups ${
          sql.insert({
            project_id: project.id,
            level: 2,
            series_id: 1,
            bucket: 0,
            received: 1,
            success: 1,
            failure: 0,
            retry: 0,
            revoked: 0,
            rejected: 0,
            runtime_count: 0,
            runtime_sum: 0,
            wait_count: 0,
            wait_sum: 0,
            runtimes: "",
            waits: ""
          })
        }`
        yield* sql`INSERT INTO schedule_fires ${
          sql.insert({
            id: yield* Ids.next,
            fire_id: yield* Ids.next,
            project_id: project.id,
            schedule_id: yield* Ids.next,
            engine: "celery",
            status: "acked_success",
            scheduled_for: now,
            fired_at: now,
            definition_digest: "",
            expires_at: now,
            fence: 1
          })
        }`

        yield* sql`INSERT INTO bulk_retry_items ${
          sql.insert({
            project_id: project.id,
            request_id: yield* Ids.next,
            position: 1,
            engine: "celery",
            task_id: "t",
            name: "shop.task",
            state: "failure",
            status: "pending"
          })
        }`

        yield* sql`INSERT INTO trigger_events ${
          sql.insert({
            id: yield* Ids.next,
            consumer: "notifications",
            project_id: project.id,
            payload: "{}",
            due_at: now,
            created_at: now
          })
        }`
        yield* sql`INSERT INTO deliveries ${
          sql.insert({
            id: yield* Ids.next,
            project_id: project.id,
            channel_id: yield* Ids.next,
            channel_name: "ops",
            channel_type: "webhook",
            trigger_key: "task.failed",
            notification: "{}",
            status: "sent",
            created_at: now
          })
        }`

        yield* sql`INSERT INTO automation_executions ${
          sql.insert({
            id: yield* Ids.next,
            project_id: project.id,
            rule_id: yield* Ids.next,
            rule_name: "retry",
            trigger_key: "task.failed",
            condition_key: "x",
            action: "retry",
            outcome: "dry_run",
            occurrences: 1,
            occurred_at: now,
            created_at: now
          })
        }`

        const partition = /^schedule_fires_/
        const named = (rows: ReadonlyArray<{ name: string }>) =>
          rows.map(({ name }) => name).filter((name) =>
            !["audit_log", "project_deletions", "schedule_tombstones"].includes(name) && !partition.test(name)
          )
        const isPostgres = engine === "PostgreSQL"
        const tables = named(
          yield* isPostgres
            ? sql<{ name: string }>`SELECT table_name AS name FROM information_schema.columns
                WHERE table_schema = 'public' AND column_name = 'project_id'`
            : sql<{ name: string }>`SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.name = 'project_id'`
        )
        const cascading = named(
          yield* isPostgres
            ? sql<{ name: string }>`SELECT conrelid::regclass::text AS name FROM pg_constraint
                WHERE confrelid = 'projects'::regclass AND confdeltype = 'c'`
            : sql<{ name: string }>`SELECT m.name FROM sqlite_master m, pragma_foreign_key_list(m.name) f
                WHERE m.type = 'table' AND f."table" = 'projects' AND f.on_delete = 'CASCADE'`
        )
        const rowsOf = (table: string) =>
          Effect.map(
            sql<{ n: number }>`SELECT count(*) AS n FROM ${sql(table)} WHERE project_id = ${project.id}`,
            ([row]) => Number(row?.n)
          )
        assert.includeMembers(tables, [
          "agents",
          "api_keys",
          "commands",
          "invitations",
          "memberships",
          "tasks",
          "workers"
        ])
        // the database takes the rest along by itself
        for (const table of tables.filter((table) => !cascading.includes(table))) {
          assert.isAbove(yield* rowsOf(table), 0, `${table}: nothing to delete`)
        }
        for (const table of ["tasks", "task_facets", "commands", "task_retries"]) {
          assert.isAbove(yield* rowsOf(table), 1000, table)
        }

        assert.strictEqual((yield* request("DELETE", `/projects/${project.slug}`, { token })).status, 204)
        yield* projects.sweepDeleted()
        for (const table of tables) assert.strictEqual(yield* rowsOf(table), 0, table)
        assert.isAbove(yield* rowsOf("audit_log"), 0)
      }))

    it.effect("every failure is a problem document", () =>
      Effect.gen(function*() {
        const { token } = yield* freshKey({ isAdmin: true })
        const cases = [
          [yield* request("GET", "/projects"), 401, "unauthenticated"],
          [yield* request("GET", "/nowhere", { token }), 404, "not_found"],
          [yield* request("DELETE", "/projects", { token }), 405, "method_not_allowed"],
          [yield* request("POST", "/projects", { token, raw: "{" }), 400, "malformed_json"],
          [yield* request("POST", "/projects", { token, body: { slug: "UPPER", name: "" } }), 422, "validation_failed"],
          [
            yield* request("POST", "/projects", { token, body: { slug: "nul", name: "a\0b" } }),
            422,
            "validation_failed"
          ],
          [
            yield* request("POST", "/projects", { token, raw: `{"slug":"x","name":"${"y".repeat(9000)}"}` }),
            413,
            "payload_too_large"
          ]
        ] as const
        for (const [response, status, code] of cases) {
          assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
          assert.deepInclude(response.json, { status, code })
          assert.hasAllKeys(response.json, ["type", "title", "status", "detail", "code", "details", "request_id"])
          assert.strictEqual(response.status, status)
        }
      }))
  })
})
