import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { Role } from "../../../src/domain/kernel/Access.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Approvals } from "../../../src/services/approvals/Approvals.ts"
import { freshAgent } from "../../agent.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertChannel } from "../../services/alerting/Notifications/notifications.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"
import { fromElsewhere, proxied } from "../people.ts"
import { makeReceiver, receiving } from "../receiver.ts"

const everything = { purge: true, bulk_over: 1, destructive_rules: true }

/** A project with two admins and an operator, that wants everything approved. */
const site = Effect.gen(function*() {
  const project = yield* freshProject()
  const path = `/projects/${project.slug}`
  const keyOf = (role: Role) => freshKey({ roles: { [project.id]: role } })
  const call = (key: { readonly token: string }, method: string, rest: string, body?: unknown) =>
    request(method, `${path}${rest}`, {
      token: key.token,
      headers: fromElsewhere(),
      ...(body !== undefined && { body })
    })
  const people = { first: yield* keyOf("admin"), second: yield* keyOf("admin"), operator: yield* keyOf("operator") }
  const { agent_id } = yield* freshAgent(project)
  const patched = yield* call(people.first, "PATCH", "", { approvals: everything })
  assert.strictEqual(patched.status, 200, patched.text)

  /** Sends a request that needs approval; returns the id of the approval. */
  const submit = (key: { readonly token: string }, method: string, rest: string, body?: unknown) =>
    Effect.map(call(key, method, rest, body), ({ json, status, text }) => {
      assert.strictEqual(status, 403, text)
      assert.strictEqual(json.code, "approval_required", text)
      return String(json.details.approval_id)
    })
  const actions = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      Effect.orDie(sql<{ action: string }>`SELECT action FROM audit_log WHERE project_id = ${project.id} ORDER BY seq`),
      (rows) => rows.map(({ action }) => action)
    ))
  return { ...people, project, agent_id, call, submit, actions }
})

const rule = (actions: ReadonlyArray<object>) => ({ name: "again", trigger: "task.failed", actions })

describe.each(laneEngines)("approvals on %s", (engine) => {
  layer(serverOn(engine, { ...proxied, ...receiving }), { excludeTestServices: true })((it) => {
    it.effect("a purge waits until another admin approves it, and is then done once", () =>
      Effect.gen(function*() {
        const { actions, agent_id, call, first, operator, project, second, submit } = yield* site
        const body = { agent_id, queue: "slow", engine: "celery", observed_depth: 7 }
        const id = yield* submit(first, "POST", "/commands/purge-queue", body)
        assert.strictEqual(
          yield* submit(first, "POST", "/commands/purge-queue", body),
          id,
          "the same request waits once"
        )
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE users SET display_name = 'Ada' WHERE id = ${first.user_id}`
        const requester = { requested_by: first.user_id, requested_by_name: "Ada", decided_by_name: null }
        assert.deepInclude((yield* call(operator, "GET", `/approvals/${id}`)).json, requester)
        const feed = yield* request("GET", `/activity?project_slug=${project.slug}`, { token: operator.token })
        const byAda = feed.json.items.filter(({ user_id }: { readonly user_id: string }) => user_id === first.user_id)
        assert.isAbove(byAda.length, 0, feed.text)
        assert.isTrue(byAda.every(({ user_name }: { readonly user_name: string }) => user_name === "Ada"))
        assert.lengthOf((yield* call(first, "GET", "/commands")).json.items, 0)

        const shown = yield* call(operator, "GET", `/approvals/${id}`)
        assert.deepInclude(shown.json, { kind: "purge_queue", status: "pending", summary: "Purge the queue slow" })
        assert.deepInclude(shown.json.request, { queue: "slow", observed_depth: 7 })
        assert.strictEqual((yield* call(first, "POST", `/approvals/${id}/approve`)).json.code, "own_approval")
        assert.strictEqual((yield* call(operator, "POST", `/approvals/${id}/approve`)).json.code, "forbidden")
        const narrow = yield* freshKey({ roles: { [project.id]: "admin" }, scopes: ["projects:write"] })
        assert.strictEqual((yield* call(narrow, "POST", `/approvals/${id}/approve`)).json.code, "scope_missing")

        const approved = yield* call(second, "POST", `/approvals/${id}/approve`)
        assert.strictEqual(approved.json.status, "approved", approved.text)
        const [command] = (yield* call(first, "GET", "/commands")).json.items
        assert.deepInclude(approved.json, { decided_by: second.user_id, result: { type: "command", id: command.id } })
        assert.deepInclude(command, { action: "purge_queue", target_id: "slow" })
        for (const again of ["approve", "reject"]) {
          const response = yield* call(second, "POST", `/approvals/${id}/${again}`, again === "reject" ? {} : undefined)
          assert.strictEqual(response.json.code, "approval_decided")
        }
        const recorded = (yield* actions).filter((action) => /^(approval|command)\./.test(action))
        assert.deepStrictEqual(recorded.slice(0, 2), ["approval.requested", "approval.approved"])
        assert.lengthOf(recorded, 3)

        // the name of a global admin who is no member is shown, and no longer once they are neither
        const root = yield* freshKey({ isAdmin: true })
        yield* sql`UPDATE users SET display_name = 'Root' WHERE id = ${root.user_id}`
        const ofRoot = yield* submit(root, "POST", "/commands/purge-queue", { ...body, queue: "fast" })
        const namesOfRoot = Effect.gen(function*() {
          const approval = yield* call(operator, "GET", `/approvals/${ofRoot}`)
          const { items } = (yield* request("GET", `/activity?user_id=${root.user_id}`, { token: operator.token })).json
          return [approval.json.requested_by_name, items[0].user_name]
        })
        assert.deepStrictEqual(yield* namesOfRoot, ["Root", "Root"])
        yield* sql`UPDATE users SET is_admin = 0 WHERE id = ${root.user_id}`
        assert.deepStrictEqual(yield* namesOfRoot, [null, null])
      }))

    it.effect("bulk actions wait when they may concern more tasks than the limit", () =>
      Effect.gen(function*() {
        const { agent_id, call, first, operator, project, second, submit } = yield* site
        const tasks = [0, 1].map((n) => storedTask(project.id, Date.now() - 60_000 + n, { state: "failure" }))
        yield* insertTasks(tasks)
        const retry = (task_ids: ReadonlyArray<string>) => ({ agent_id, filter: { task_ids, engine: "celery" } })
        const [one] = tasks
        assert.strictEqual((yield* call(operator, "POST", "/commands/bulk-retry", retry([one!.task_id]))).status, 202)
        yield* submit(operator, "POST", "/commands/bulk-retry", retry(tasks.map(({ task_id }) => task_id)))

        const create = (max: number) => ({ idempotency_key: randomUUID(), filter: { state: "failure" }, max })
        assert.strictEqual((yield* call(second, "POST", "/bulk-retry-requests", create(1))).status, 202)
        const request = yield* submit(operator, "POST", "/bulk-retry-requests", create(2))
        const created = yield* call(first, "POST", `/approvals/${request}/approve`)
        assert.strictEqual(created.json.result.type, "bulk_retry_request", created.text)

        const one_ = { task_ids: [one!.id] }
        assert.strictEqual((yield* call(first, "POST", "/tasks/bulk-delete", one_)).json.deleted_count, 1)
        const filter = yield* submit(first, "POST", "/tasks/bulk-delete", { filter_state: "failure" })
        assert.strictEqual((yield* call(first, "GET", "/tasks")).json.items.length, 1)
        const deleted = yield* call(second, "POST", `/approvals/${filter}/approve`)
        assert.strictEqual(deleted.json.result.type, "bulk_job", deleted.text)

        // of those whom payload_role excludes, null is a query that is hidden, not one that was not given
        const byOrder = yield* submit(first, "POST", "/tasks/bulk-delete", { filter_query: "kwargs.order:7835610" })
        const seenBy = (key: { readonly token: string }, id: string) =>
          Effect.map(call(key, "GET", `/approvals/${id}`), ({ json }) => json.request)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE projects SET payload_role = 'admin' WHERE id = ${project.id}`
        assert.deepInclude(yield* seenBy(first, byOrder), { filter_query: "kwargs.order:7835610" })
        assert.deepInclude(yield* seenBy(operator, byOrder), { filter_query: null })
        assert.notProperty(yield* seenBy(operator, filter), "filter_query")
      }))

    it.effect(
      "an approved deletion by filter deletes all that matched when it was requested",
      () =>
        Effect.gen(function*() {
          const { call, first, project, second, submit } = yield* site
          const start = 1_700_000_000_000
          yield* insertTasks(Array.from({ length: 10_003 }, (_, n) => storedTask(project.id, start + n)))
          const all = yield* submit(first, "POST", "/tasks/bulk-delete", { filter_state: "success" })
          const filter_until = "2023-11-14T22:13:20.001Z"
          const early = yield* submit(first, "POST", "/bulk-jobs:delete", { filter_state: "success", filter_until })
          const later = storedTask(project.id, Date.now() + 60_000)
          yield* insertTasks([later])
          const responses = [
            yield* call(second, "POST", `/approvals/${early}/approve`),
            yield* call(second, "POST", `/approvals/${all}/approve`)
          ]
          const jobs = responses.map(({ json }) => json.result)
          assert.deepStrictEqual(jobs.map(({ type }) => type), ["bulk_job", "bulk_job"])
          const ended = yield* Effect.forEach(jobs, ({ id }) =>
            until(
              Effect.map(call(first, "GET", `/bulk-jobs/${id}`), ({ json }) => json),
              ({ status }) => status === "completed"
            ))
          assert.strictEqual(ended.reduce((sum, { done }) => sum + done, 0), 10_003)
          // more than 10 000 tasks would have to be read to count them
          assert.deepInclude(ended[0], { total: null, created_by: second.user_id })
          const left: ReadonlyArray<{ readonly id: string }> = (yield* call(first, "GET", "/tasks")).json.items
          assert.deepStrictEqual(left.map(({ id }) => id), [later.id])
        })
    )

    it.effect(
      "a cancellation by filter waits where more tasks than the limit match, or where they are too many to count",
      () =>
        Effect.gen(function*() {
          const { actions, call, first, operator, project, submit } = yield* site
          const start = Date.now() - 3_600_000
          const startedTask = (n: number) => storedTask(project.id, start + n, { state: "started", queue: `q${n % 2}` })
          yield* insertTasks([
            startedTask(0),
            startedTask(1),
            startedTask(2),
            storedTask(project.id, start + 3, { queue: "q1" })
          ])
          // one of the two tasks of this queue has ended
          const one = yield* call(operator, "POST", "/bulk-jobs:cancel", { filter_queue: "q1" })
          assert.deepInclude(one.json, { act: "cancel", total: 1 }, one.text)
          const body = { filter_queue: "q0" }
          const id = yield* submit(operator, "POST", "/bulk-jobs:cancel", body)
          assert.strictEqual(
            yield* submit(operator, "POST", "/bulk-jobs:cancel", body),
            id,
            "the same request waits once"
          )
          const jobs = Effect.map(call(first, "GET", "/bulk-jobs"), ({ json }) => json.items)
          assert.lengthOf(yield* jobs, 1)
          assert.deepInclude((yield* call(first, "GET", `/approvals/${id}`)).json, {
            kind: "bulk_cancel",
            summary: "Cancel the tasks that match a filter",
            status: "pending",
            requested_by: operator.user_id
          })
          const narrow = yield* freshKey({
            roles: { [project.id]: "admin" },
            scopes: ["projects:write", "tasks:delete"]
          })
          assert.strictEqual((yield* call(narrow, "POST", `/approvals/${id}/approve`)).json.code, "scope_missing")

          yield* insertTasks([storedTask(project.id, Date.now() + 60_000, { state: "started", queue: "q0" })])
          const approved = yield* call(first, "POST", `/approvals/${id}/approve`)
          assert.strictEqual(approved.json.result.type, "bulk_job", approved.text)
          // the task that came after the request is not of the job
          const job = yield* call(first, "GET", `/bulk-jobs/${approved.json.result.id}`)
          assert.deepInclude(job.json, { act: "cancel", total: 2, created_by: first.user_id })
          assert.includeMembers(yield* actions, ["approval.requested", "approval.approved"])

          yield* insertTasks(Array.from({ length: 10_003 }, (_, n) => startedTask(n + 4)))
          yield* submit(operator, "POST", "/bulk-jobs:cancel", { filter_name: "shop" })
        })
    )

    it.effect("an approved deletion of selected tasks deletes only those that match its other terms", () =>
      Effect.gen(function*() {
        const { call, first, project, second, submit } = yield* site
        const states = ["failure", "success", "started"] as const
        const tasks = states.map((state, n) => storedTask(project.id, Date.now() - 60_000 + n, { state }))
        yield* insertTasks(tasks)
        const [failed, ...others] = tasks.map(({ id }) => id)
        const body = { task_ids: [failed, ...others], filter_state: "failure" }
        const id = yield* submit(first, "POST", "/bulk-jobs:delete", body)
        const { json, text } = yield* call(second, "POST", `/approvals/${id}/approve`)
        assert.strictEqual(json.result.type, "bulk_job", text)
        yield* until(
          Effect.map(call(first, "GET", `/bulk-jobs/${json.result.id}`), ({ json }) => json),
          ({ done, status }) => status === "completed" && done === 1
        )
        const left: ReadonlyArray<{ readonly id: string }> = (yield* call(first, "GET", "/tasks")).json.items
        assert.sameMembers(left.map((task) => task.id), others)

        const byIds = yield* submit(first, "POST", "/bulk-jobs:delete", { task_ids: others })
        const deleted = yield* call(second, "POST", `/approvals/${byIds}/approve`)
        assert.deepInclude(deleted.json, { result: { type: "tasks", deleted_count: 2 } }, deleted.text)
      }))

    it.effect("an approved deletion counts ages from the request", () =>
      Effect.gen(function*() {
        const { call, first, project, second, submit } = yield* site
        const sql = yield* SqlClient.SqlClient
        const minutesAgo = (minutes: number) => storedTask(project.id, Date.now() - minutes * 60_000)
        const [old, younger] = [minutesAgo(50), minutesAgo(40)]
        yield* insertTasks([old, younger])
        const id = yield* submit(first, "POST", "/bulk-jobs:delete", { filter_query: "until:30m" })
        // as if it had waited for a quarter of an hour
        const requestedAt = Timestamp.addSeconds(yield* Timestamp.now, -900)
        yield* sql`UPDATE approvals SET created_at = ${requestedAt} WHERE id = ${id}`
        const { json } = yield* call(second, "POST", `/approvals/${id}/approve`)
        yield* until(
          Effect.map(call(first, "GET", `/bulk-jobs/${json.result.id}`), ({ json }) => json),
          ({ done, status }) => status === "completed" && done === 1
        )
        const left: ReadonlyArray<{ readonly id: string }> = (yield* call(first, "GET", "/tasks")).json.items
        assert.deepStrictEqual(left.map((task) => task.id), [younger.id])
      }))

    it.effect("a request of another version lacks terms or has unknown ones: the latter is not done", () =>
      Effect.gen(function*() {
        const { call, first, project, second, submit } = yield* site
        const sql = yield* SqlClient.SqlClient
        const tasks = [1, 2, 3].map((minutes) => storedTask(project.id, Date.now() - minutes * 60_000))
        yield* insertTasks(tasks)
        const store = (id: string, request: object) =>
          sql`UPDATE approvals SET request = ${JSON.stringify(request)} WHERE id = ${id}`
        const all = { filter_state: tasks[0]?.state }
        const unknown = yield* submit(first, "POST", "/bulk-jobs:delete", all)
        yield* store(unknown, { ...all, filter_planet: "mars" })
        const refused = yield* call(second, "POST", `/approvals/${unknown}/approve`)
        assert.deepInclude(refused.json, { status: "failed" }, refused.text)
        assert.strictEqual(refused.json.result.code, "approval_outdated", refused.text)
        assert.match(refused.json.result.detail, /^Another version of the program stored this request/)
        assert.lengthOf((yield* call(first, "GET", "/tasks")).json.items, 3)

        const known = yield* submit(first, "POST", "/bulk-jobs:delete", { ...all, filter_query: "since:1h" })
        yield* store(known, all)
        const { json, text } = yield* call(second, "POST", `/approvals/${known}/approve`)
        assert.strictEqual(json.result.type, "bulk_job", text)
        yield* until(
          Effect.map(call(first, "GET", `/bulk-jobs/${json.result.id}`), ({ json }) => json),
          ({ done, status }) => status === "completed" && done === 3
        )
      }))

    it.effect("rules that retry or cancel wait, rules that notify do not", () =>
      Effect.gen(function*() {
        const { call, first, second, submit } = yield* site
        const notify = yield* call(first, "POST", "/automation/rules", rule([]))
        assert.strictEqual(notify.status, 201, notify.text)
        const destructive = rule([{ type: "cancel" }])
        const create = yield* submit(first, "POST", "/automation/rules", destructive)
        const done = yield* call(second, "POST", `/approvals/${create}/approve`)
        const rule_id = done.json.result.id
        assert.deepInclude((yield* call(first, "GET", `/automation/rules/${rule_id}`)).json, {
          created_by: second.user_id
        })
        const path = `/automation/rules/${rule_id}`
        const update = yield* submit(first, "PATCH", path, { name: "cancel all" })
        yield* submit(first, "PATCH", `/automation/rules/${notify.json.id}`, { actions: destructive.actions })
        yield* submit(first, "POST", `${path}/reset-circuit`)
        yield* call(second, "POST", `/approvals/${update}/approve`)
        assert.strictEqual((yield* call(first, "GET", path)).json.name, "cancel all")
        // what does harm ends at once
        assert.strictEqual((yield* call(first, "DELETE", path)).status, 204)
      }))

    it.effect("bulk actions of a person are counted together, and those of others apart", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { agent_id, call, first, operator, project, second, submit } = yield* site
        const policy = yield* submit(first, "PATCH", "", { approvals: { ...everything, bulk_over: 3 } })
        assert.strictEqual((yield* call(second, "POST", `/approvals/${policy}/approve`)).json.status, "approved")
        const tasks = [0, 1, 2, 3].map((n) => storedTask(project.id, Date.now() - 60_000 + n, { state: "failure" }))
        yield* insertTasks(tasks)
        const retry = (...of: ReadonlyArray<number>) => ({
          agent_id,
          filter: { task_ids: of.map((n) => tasks[n]!.task_id), engine: "celery" }
        })
        assert.strictEqual((yield* call(operator, "POST", "/commands/bulk-retry", retry(0, 1))).status, 202)
        const waiting = yield* submit(operator, "POST", "/commands/bulk-retry", retry(2, 3))
        const { summary } = (yield* call(first, "GET", `/approvals/${waiting}`)).json
        assert.strictEqual(summary, "Retry 2 tasks, after 2 of other bulk acts")
        yield* submit(operator, "POST", "/bulk-retry-requests", { idempotency_key: randomUUID(), max: 2 })
        // a third task is within the limit; another kind of action counts to the same window
        const create = { idempotency_key: randomUUID(), filter: { state: "failure" }, max: 1 }
        assert.strictEqual((yield* call(operator, "POST", "/bulk-retry-requests", create)).status, 202)
        assert.strictEqual((yield* call(operator, "POST", "/bulk-retry-requests", create)).status, 202, "once a key")
        yield* submit(operator, "POST", "/commands/bulk-retry", retry(3))
        assert.strictEqual((yield* call(first, "POST", "/commands/bulk-retry", retry(2, 3))).status, 202)
        // the window ends
        const long = Timestamp.addSeconds(yield* Timestamp.now, -3601)
        yield* sql`UPDATE bulk_actions SET created_at = ${long} WHERE project_id = ${project.id}`
        assert.strictEqual((yield* call(operator, "POST", "/commands/bulk-retry", retry(1, 2, 3))).status, 202)
      }))

    it.effect("an approval does what was read, and fails where the rule has become another one", () =>
      Effect.gen(function*() {
        const { call, first, operator, second, submit } = yield* site
        const conditions = { task_name: "nightly" }
        const nightly = yield* call(operator, "POST", "/automation/rules", { ...rule([]), conditions })
        assert.strictEqual(nightly.status, 201, nightly.text)
        const path = `/automation/rules/${nightly.json.id}`
        const change = { actions: [{ type: "cancel" }] }
        const stale = yield* submit(first, "PATCH", path, change)
        const shown = (yield* call(operator, "GET", `/approvals/${stale}`)).json
        assert.deepInclude(shown.before, { name: "again", conditions: nightly.json.conditions, actions: [] })
        assert.deepInclude(shown.after, { name: "again", conditions: nightly.json.conditions, actions: change.actions })
        assert.match(shown.revision, /^[0-9a-f]{16}$/)

        // a rule that only notifies is changed at once
        assert.strictEqual((yield* call(operator, "PATCH", path, { conditions: {} })).status, 200)
        const fresh = yield* submit(first, "PATCH", path, change)
        assert.notStrictEqual(fresh, stale, "the same change of another rule is another request")
        const failed = yield* call(second, "POST", `/approvals/${stale}/approve`)
        assert.deepInclude(failed.json, { status: "failed" }, failed.text)
        assert.strictEqual(failed.json.result.code, "approval_outdated")
        assert.include(failed.json.result.detail, "has changed since")
        assert.deepStrictEqual((yield* call(first, "GET", path)).json.actions, [])

        // a rule that was changed and changed back is the one that was read
        yield* call(operator, "PATCH", path, { name: "other" })
        yield* call(operator, "PATCH", path, { name: "again" })
        assert.strictEqual((yield* call(second, "POST", `/approvals/${fresh}/approve`)).json.status, "approved")
        assert.deepStrictEqual((yield* call(first, "GET", path)).json.actions, change.actions)
      }))

    it.effect("a breaker is armed only for the rule that was read", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { call, first, second, submit } = yield* site
        const create = yield* submit(first, "POST", "/automation/rules", rule([{ type: "cancel" }]))
        assert.isNull((yield* call(second, "GET", `/approvals/${create}`)).json.before)
        const rule_id = (yield* call(second, "POST", `/approvals/${create}/approve`)).json.result.id
        yield* sql`UPDATE automation_rules SET cb_tripped = 1, cb_execution_count = 7 WHERE id = ${rule_id}`
        const path = `/automation/rules/${rule_id}`
        const reset = yield* submit(first, "POST", `${path}/reset-circuit`)
        const shown = (yield* call(second, "GET", `/approvals/${reset}`)).json
        assert.deepInclude(shown.before, { name: "again", cb_tripped: true, cb_execution_count: 7 })
        assert.deepInclude(shown.after, { name: "again", cb_tripped: false, cb_execution_count: 0 })
        const update = yield* submit(first, "PATCH", path, { max_executions_per_window: 1000 })
        yield* call(second, "POST", `/approvals/${update}/approve`)
        const failed = (yield* call(second, "POST", `/approvals/${reset}/approve`)).json
        assert.strictEqual(failed.result.code, "approval_outdated")
        assert.strictEqual((yield* call(first, "GET", path)).json.cb_tripped, true)
      }))

    it.effect("a change of the policy applies to the project that was read", () =>
      Effect.gen(function*() {
        const { call, first, second, submit } = yield* site
        const policy = yield* submit(first, "PATCH", "", { approvals: { ...everything, bulk_over: null } })
        const shown = (yield* call(second, "GET", `/approvals/${policy}`)).json
        assert.deepStrictEqual(shown.before.approvals, everything)
        assert.deepStrictEqual(shown.after.approvals, { ...everything, bulk_over: null })
        assert.strictEqual((yield* call(first, "PATCH", "", { payload_role: "admin" })).status, 200)
        const failed = (yield* call(second, "POST", `/approvals/${policy}/approve`)).json
        assert.strictEqual(failed.result.code, "approval_outdated")
        assert.deepStrictEqual((yield* call(first, "GET", "")).json.approvals, everything)
      }))

    it.effect("a purge shows the depth of its request, and fails where the queue has become deeper", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { agent_id, call, first, project, second, submit } = yield* site
        yield* sql`INSERT INTO queues ${
          sql.insert({
            id: randomUUID(),
            project_id: project.id,
            engine: "celery",
            name: "slow",
            depth: 12,
            created_at: "2026-11-01T00:00:00.000000Z"
          })
        }`
        const purge = { agent_id, queue: "slow", engine: "celery", force: true }
        const id = yield* submit(first, "POST", "/commands/purge-queue", purge)
        const shown = (yield* call(second, "GET", `/approvals/${id}`)).json
        assert.deepStrictEqual(shown.before, { queue: "slow", depths: { celery: 12 } })
        assert.deepInclude(shown, { after: null, revision: null })
        yield* sql`UPDATE queues SET depth = 4000 WHERE project_id = ${project.id}`
        const failed = (yield* call(second, "POST", `/approvals/${id}/approve`)).json
        assert.strictEqual(failed.result.code, "approval_outdated")
        const again = yield* submit(first, "POST", "/commands/purge-queue", purge)
        yield* sql`UPDATE queues SET depth = 3999 WHERE project_id = ${project.id}`
        assert.strictEqual((yield* call(second, "POST", `/approvals/${again}/approve`)).json.status, "approved")
      }))

    it.effect("a bulk action takes at most as many tasks as matched when it was requested", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { call, first, operator, project, second, submit } = yield* site
        const start = Date.now() - 60_000
        const states = ["failure", "failure", "started", "started"] as const
        const tasks = states.map((state, n) => storedTask(project.id, start + n, { state }))
        yield* insertTasks(tasks)
        const terms = { filter_state: "failure" }
        const create = () => ({ idempotency_key: randomUUID(), filter: { state: "failure" }, max: 5 })
        const ids = [
          yield* submit(first, "POST", "/bulk-jobs:delete", terms),
          yield* submit(first, "POST", "/bulk-jobs:cancel", { filter_state: "started" }),
          yield* submit(operator, "POST", "/bulk-retry-requests", create())
        ]
        const matched = yield* Effect.forEach(
          ids,
          (id) => Effect.map(call(second, "GET", `/approvals/${id}`), ({ json }) => json.before)
        )
        assert.deepStrictEqual(matched, [{ matching: 2 }, { matching: 2 }, { matching: 2 }])
        // another task, which was there at the request, comes to match
        yield* sql`UPDATE tasks SET state = 'failure' WHERE id = ${tasks[2]!.id}`
        const ended = yield* Effect.forEach(
          ids,
          (id) => Effect.map(call(second, "POST", `/approvals/${id}/approve`), ({ json }) => json)
        )
        assert.deepStrictEqual(
          ended.map(({ status }) => status),
          ["failed", "approved", "failed"]
        )
        assert.deepStrictEqual([ended[0].result.code, ended[2].result.code], Array(2).fill("approval_outdated"))

        // a task that failed after the request is not retried
        const later = yield* submit(operator, "POST", "/bulk-retry-requests", create())
        yield* insertTasks([storedTask(project.id, Date.now() + 60_000, { state: "failure" })])
        const retried = yield* call(second, "POST", `/approvals/${later}/approve`)
        assert.strictEqual(retried.json.result.type, "bulk_retry_request", retried.text)
        const request = yield* call(first, "GET", `/bulk-retry-requests/${retried.json.result.id}`)
        assert.strictEqual(request.json.counts.total, 3)
      }))

    it.effect("the policy itself waits, and is refused where no other person could approve", () =>
      Effect.gen(function*() {
        const alone = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [alone.id]: "admin" } })
        const lonely = yield* request("PATCH", `/projects/${alone.slug}`, { token, body: { approvals: everything } })
        assert.strictEqual(lonely.json.code, "no_second_person")
        const { call, first, second, submit } = yield* site
        const policy = yield* submit(first, "PATCH", "", { approvals: null, name: "renamed" })
        const kept = yield* call(first, "GET", "")
        assert.deepStrictEqual(kept.json.approvals, everything)
        assert.notStrictEqual(kept.json.name, "renamed")
        assert.strictEqual((yield* call(first, "PATCH", "", { approvals: everything })).status, 200)
        yield* call(second, "POST", `/approvals/${policy}/approve`)
        const changed = yield* call(first, "GET", "")
        assert.isNull(changed.json.approvals)
        assert.strictEqual(changed.json.name, "renamed")
      }))

    it.effect("a rejection and an expiry reach the person who asked, and do nothing", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const approvals = yield* Approvals
        const { actions, agent_id, call, first, project, second, submit } = yield* site
        const inbox = ({ token }: { readonly token: string }) =>
          Effect.map(request("GET", "/user/notifications", { token }), ({ json }) =>
            json.map(({ title }: { readonly title: string }) => title))
        const purge = (queue: string) =>
          submit(first, "POST", "/commands/purge-queue", { agent_id, queue, force: true })
        const third = yield* freshKey({ roles: { [project.id]: "admin" } })
        const unread = Effect.map(
          request("GET", "/user/notifications/unread-count", { token: third.token }),
          ({ json }) => json.unread
        )
        yield* sql`UPDATE users SET display_name = 'Ada' WHERE id = ${first.user_id}`

        const rejected = yield* purge("a")
        assert.deepStrictEqual(yield* inbox(second), [`Ada (${first.email}) asks: Purge the queue a`])
        assert.strictEqual(yield* unread, 1)
        const response = yield* call(second, "POST", `/approvals/${rejected}/reject`, { reason: "wrong queue" })
        assert.deepInclude(response.json, { status: "rejected", reason: "wrong queue" })
        assert.strictEqual(yield* unread, 0, "nobody need decide it any more")
        const expiring = yield* purge("b")
        yield* sql`UPDATE approvals SET expires_at = '2026-01-01T00:00:00.000000Z' WHERE id = ${expiring}`
        assert.strictEqual(
          (yield* call(second, "POST", `/approvals/${expiring}/approve`)).json.code,
          "approval_decided"
        )
        yield* approvals.expireDue()
        yield* approvals.expireDue()
        assert.deepStrictEqual(yield* inbox(first), ["Expired: Purge the queue b", "Rejected: Purge the queue a"])
        const asked = yield* request("GET", "/user/notifications", { token: third.token })
        assert.deepStrictEqual(
          asked.json.map(({ body }: { readonly body: string }) => body),
          ["It was not decided in time.", `Rejected by ${second.email}: wrong queue`]
        )
        assert.strictEqual(yield* unread, 0)

        const leaver = yield* freshKey({ roles: { [project.id]: "admin" } })
        yield* submit(leaver, "POST", "/commands/purge-queue", { agent_id, queue: "c", force: true })
        assert.strictEqual(yield* unread, 1)
        const root = yield* freshKey({ isAdmin: true })
        const deleted = yield* request("DELETE", `/users/${leaver.user_id}`, {
          token: root.token,
          headers: fromElsewhere()
        })
        assert.strictEqual(deleted.status, 204, deleted.text)
        assert.strictEqual(yield* unread, 0, "nothing is left to decide")
        assert.lengthOf((yield* actions).filter((action) => action === "approval.expired"), 1)
        assert.lengthOf((yield* call(first, "GET", "/commands")).json.items, 0)
        const listed = yield* call(second, "GET", "/approvals?status=rejected")
        assert.deepStrictEqual(listed.json.items.map(({ id }: { readonly id: string }) => id), [rejected])
      }))

    it.scoped("a default sends what waits to the project's channel, and its decision; a rule or a person cannot", () =>
      Effect.gen(function*() {
        const receiver = yield* makeReceiver
        const { agent_id, call, first, operator, project, second, submit } = yield* site
        const channel = yield* insertChannel({ projectId: project.id, url: `${receiver.url}/` })
        const trigger = "approval.requested"
        const body = { trigger, grouping: null, project_channel_ids: [channel.id] }
        const created = yield* call(first, "POST", "/notifications/defaults", body)
        assert.strictEqual(created.status, 201, created.text)
        const personal = { project_id: project.id, trigger }
        const refused = [
          yield* request("POST", "/user/subscriptions", { token: first.token, body: personal }),
          yield* call(first, "POST", "/automation/rules", { ...rule([]), trigger })
        ]
        assert.deepStrictEqual(refused.map(({ status }) => status), [422, 422])

        const id = yield* submit(first, "POST", "/commands/purge-queue", { agent_id, queue: "slow", force: true })
        const bodies = Effect.sync(() => receiver.bodies)
        const [sent] = yield* until(bodies, ({ length }) => length === 1)
        assert.containSubset(sent, {
          type: trigger,
          data: { kind: "alert", severity: "warning", title: "Approval needed: Purge the queue slow" }
        })
        assert.include(JSON.stringify(sent), id)
        yield* call(second, "POST", `/approvals/${id}/approve`)
        const [, recovered] = yield* until(bodies, ({ length }) => length === 2)
        assert.containSubset(recovered, { type: trigger, data: { kind: "recovered" } })
        assert.match(JSON.stringify(recovered), /It no longer waits since/)
        const inbox = yield* request("GET", "/user/notifications", { token: operator.token })
        assert.deepStrictEqual(inbox.json, [], "the inboxes of admins have the approval itself")
      }))

    it.effect("an approved action that is refused says so; one whose requester may no longer do it is not done", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { agent_id, call, first, project, second, submit } = yield* site
        const other = yield* freshAgent(project)
        const body = { agent_id: other.agent_id, queue: "a", engine: "celery", force: true }
        const failing = yield* submit(first, "POST", "/commands/purge-queue", body)
        const leaving = yield* submit(first, "POST", "/commands/purge-queue", { ...body, queue: "b" })
        assert.strictEqual((yield* call(second, "DELETE", `/agents/${other.agent_id}`)).status, 204)
        const failed = yield* call(second, "POST", `/approvals/${failing}/approve`)
        assert.strictEqual(failed.json.status, "failed", failed.text)
        assert.strictEqual(failed.json.result.code, "not_found", failed.text)
        const tasks = [0, 1].map((n) => storedTask(project.id, Date.now() - 60_000 + n, { state: "failure" }))
        yield* insertTasks(tasks)
        const filter = { task_ids: tasks.map(({ task_id }) => task_id), engine: "celery" }
        const ofOperator = yield* submit(first, "POST", "/commands/bulk-retry", { agent_id, filter })
        yield* sql`UPDATE memberships SET role = 'operator' WHERE user_id = ${first.user_id}`
        assert.strictEqual((yield* call(second, "POST", `/approvals/${leaving}/approve`)).json.code, "approval_decided")
        const done = yield* call(second, "POST", `/approvals/${ofOperator}/approve`)
        assert.strictEqual(done.json.status, "approved", done.text)
        yield* sql`DELETE FROM memberships WHERE user_id = ${first.user_id}`
        assert.strictEqual((yield* call(second, "POST", `/approvals/${leaving}/approve`)).json.code, "approval_decided")
      }))
  })
})
