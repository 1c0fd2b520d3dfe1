import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "../../../src/domain/kernel/Access.ts"
import type { Project } from "../../../src/domain/kernel/Project.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { ask, back, type Browser } from "../mfa.ts"
import { freshUser, proxied, sessionOf } from "../people.ts"

const notify = [{ type: "notify" }]
const retry = [{ type: "retry", max_retries: 3 }]
const ruleWith = (actions: ReadonlyArray<object>, more: object = {}) => ({
  name: "rule",
  trigger: "task.failed",
  actions,
  ...more
})

/** The paths that a 422 names. */
const issuesOf = ({ json }: { readonly json: { readonly details?: { readonly issues?: ReadonlyArray<Issue> } } }) =>
  (json.details?.issues ?? []).map(({ path }) => path)

interface Issue {
  readonly path: string
}

describe.each(laneEngines)("automation rules on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    const pathIn = (project: Project) => `/projects/${project.slug}/automation/rules`

    /** A member in a browser, whose sign-in can be backdated. */
    const browserOf = (project: Project, role: Role) =>
      Effect.gen(function*() {
        const user = yield* freshUser({ roles: { [project.slug]: role } })
        const browser: Browser = yield* sessionOf(user.id)
        return { browser, age: back("sessions", "proven_at", user.id, 301) }
      })

    it.effect("destructive rules need a recent sign-in of a browser: create, change in both directions, reset", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const path = pathIn(project)
        const { age, browser } = yield* browserOf(project, "admin")
        const created = yield* ask(browser, "POST", path, ruleWith(retry))
        assert.strictEqual(created.status, 201, "signed in a moment ago")
        const notifying = yield* ask(browser, "POST", path, ruleWith(notify))
        const destructive = `${path}/${created.json.id}`
        const notifyingPath = `${path}/${notifying.json.id}`
        yield* age
        const refused = [
          ["POST", path, ruleWith(retry)],
          ["POST", path, ruleWith([{ type: "cancel" }], { dry_run: true })],
          ["PATCH", destructive, { name: "other" }],
          ["PATCH", destructive, { actions: notify }],
          ["PATCH", destructive, { is_enabled: false }],
          ["PATCH", notifyingPath, { actions: retry }],
          ["POST", `${destructive}/reset-circuit`, undefined]
        ] as const
        for (const [method, target, body] of refused) {
          const { json } = yield* ask(browser, method, target, body)
          assert.deepInclude(json, { status: 403, code: "mfa_reverify_required" }, `${method} ${JSON.stringify(body)}`)
        }
        const accepted = [
          ["POST", path, ruleWith(notify), 201],
          ["PATCH", notifyingPath, { name: "other" }, 200],
          ["POST", `${notifyingPath}/reset-circuit`, undefined, 200],
          ["POST", `${path}:backtest`, { rule: ruleWith(retry) }, 200],
          ["DELETE", destructive, undefined, 204]
        ] as const
        for (const [method, target, body, status] of accepted) {
          assert.strictEqual((yield* ask(browser, method, target, body)).status, status, `${method} ${target}`)
        }
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        assert.strictEqual((yield* request("POST", path, { token, body: ruleWith(retry) })).status, 201, "a key")
      }))

    it.effect("operators keep rules that notify, admins rules that retry or cancel", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const path = pathIn(project)
        const { token: admin } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const { token: operator } = yield* freshKey({ roles: { [project.id]: "operator" } })
        const create = (token: string, actions: ReadonlyArray<object>) =>
          request("POST", path, { token, body: ruleWith(actions) })
        const destructive = `${path}/${(yield* create(admin, retry)).json.id}`
        const notifyingPath = `${path}/${(yield* create(operator, notify)).json.id}`
        const refused = [
          ["POST", path, ruleWith(retry)],
          ["POST", path, ruleWith([...notify, { type: "cancel" }])],
          ["PATCH", notifyingPath, { actions: retry }],
          ["PATCH", destructive, { actions: notify }],
          ["PATCH", destructive, { dry_run: true }],
          ["POST", `${destructive}/reset-circuit`, undefined],
          ["DELETE", destructive, undefined]
        ] as const
        for (const [method, target, body] of refused) {
          const { json } = yield* request(method, target, { token: operator, ...(body !== undefined && { body }) })
          assert.deepInclude(json, { status: 403, code: "forbidden" }, `${method} ${JSON.stringify(body)}`)
        }
        assert.strictEqual(
          (yield* request("PATCH", notifyingPath, { token: operator, body: { dry_run: false } })).status,
          200
        )
        assert.strictEqual((yield* request("POST", `${notifyingPath}/reset-circuit`, { token: operator })).status, 200)
        assert.strictEqual((yield* request("DELETE", notifyingPath, { token: operator })).status, 204)
      }))

    it.effect("a project's automation is on until an admin switches it off; members see the switch", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const keyOf = (role: Role) => freshKey({ roles: { [project.id]: role } })
        const { token: admin, user_id } = yield* keyOf("admin")
        const { token: operator } = yield* keyOf("operator")
        const { token: viewer } = yield* keyOf("viewer")
        const path = `/projects/${project.slug}/automation/settings`
        const readSwitch = Effect.map(request("GET", path, { token: viewer }), ({ json }) => json)
        const put = (token: string, body: object) => request("PUT", path, { token, body })
        assert.deepStrictEqual(yield* readSwitch, { automation_enabled: true })
        assert.deepInclude((yield* put(operator, { automation_enabled: false })).json, { code: "forbidden" })
        for (const body of [{}, { automation_enabled: null }, { automation_enabled: "false" }]) {
          assert.deepStrictEqual(issuesOf(yield* put(admin, body)), ["automation_enabled"])
        }
        assert.deepStrictEqual(yield* readSwitch, { automation_enabled: true })
        for (const automation_enabled of [false, true]) {
          assert.deepStrictEqual((yield* put(admin, { automation_enabled })).json, { automation_enabled })
          assert.deepStrictEqual(yield* readSwitch, { automation_enabled })
        }
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ user_id: string; metadata: string }>`SELECT user_id, metadata FROM audit_log
          WHERE project_id = ${project.id} AND action = 'automation.settings.updated' ORDER BY seq`
        assert.deepStrictEqual(rows.map((row) => [row.user_id, JSON.parse(row.metadata)]), [
          [user_id, { automation_enabled: false }],
          [user_id, { automation_enabled: true }]
        ])
      }))

    it.effect("a reset is one row of the audit log, which says what it reset", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const sql = yield* SqlClient.SqlClient
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const { json: { id } } = yield* request("POST", pathIn(project), { token, body: ruleWith(retry) })
        yield* sql`UPDATE automation_rules SET cb_tripped = 1, cb_execution_count = 7 WHERE id = ${id}`
        const reset = yield* request("POST", `${pathIn(project)}/${id}/reset-circuit`, { token })
        assert.deepInclude(reset.json, { id, cb_tripped: false, cb_execution_count: 0 })
        const rows = yield* sql<{ metadata: string }>`SELECT metadata FROM audit_log
          WHERE project_id = ${project.id} AND action = 'automation.rule.circuit_reset' AND target_id = ${id}`
        assert.deepStrictEqual(rows.map(({ metadata }) => JSON.parse(metadata)), [
          { name: "rule", was_tripped: true, executions: 7 }
        ])
      }))

    it.effect("422 at create, at update and in a backtest, with the path of the flaw", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const path = pathIn(project)
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const { json: { id } } = yield* request("POST", path, { token, body: ruleWith(notify) })
        const flawed = [
          [{ actions: [{ type: "webhook", url: "https://example.com" }] }, "actions.0"],
          [{ actions: [{ type: "revoke" }] }, "actions.0"],
          [{ actions: [{ type: "purge" }] }, "actions.0"],
          [{ actions: [{ type: "pause_schedule" }] }, "actions.0"],
          [{ actions: [{ type: "retry", max_retries: 0 }] }, "actions.0.max_retries"],
          [{ actions: [{ type: "retry", max_retries: 101 }] }, "actions.0.max_retries"],
          [{ actions: [{ type: "retry", retries: 3 }] }, "actions.0.retries"],
          [{ actions: [{ type: "cancel", force: true }] }, "actions.0.force"],
          [{ actions: [{ type: "notify", channels: [] }] }, "actions.0.channels"],
          [{ actions: [{ type: "retry" }, { type: "cancel" }] }, "actions.1.type"],
          [{ actions: [{ type: "notify" }, { type: "notify" }] }, "actions.1.type"],
          [{ conditions: { task: "shop.*" } }, "conditions.task"],
          [{ conditions: { priority: "urgent" } }, "conditions.priority"],
          [{ conditions: { engine: [] } }, "conditions.engine"],
          [{ conditions: { runtime: { min_ms: 2, max_ms: 1 } } }, "conditions.runtime"],
          [{ conditions: { runtime: { over_ms: 2 } } }, "conditions.runtime.over_ms"],
          [{ trigger: "worker.offline", actions: [{ type: "retry" }] }, "actions.0.type"],
          [{ trigger: "schedule.misfired", actions: [{ type: "cancel" }] }, "actions.0.type"],
          [{ trigger: "worker.offline", conditions: { queue: "mail" } }, "conditions.queue"],
          [{ trigger: "agent.offline" }, "trigger"],
          [{ max_executions_per_window: 0 }, "max_executions_per_window"],
          [{ window_seconds: 604_801 }, "window_seconds"],
          [{ name: "" }, "name"]
        ] as const
        for (const [part, place] of flawed) {
          const partText = JSON.stringify(part)
          const body = ruleWith(notify, part)
          const created = yield* request("POST", path, { token, body })
          assert.deepStrictEqual([created.status, startOf(created, place)], [422, place], `create ${partText}`)
          const updated = yield* request("PATCH", `${path}/${id}`, { token, body: part })
          assert.deepStrictEqual([updated.status, startOf(updated, place)], [422, place], `update ${partText}`)
          const tried = yield* request("POST", `${path}:backtest`, { token, body: { rule: body } })
          assert.strictEqual(tried.status, 422, `backtest ${partText}`)
        }
        const { json } = yield* request("GET", path, { token })
        assert.lengthOf(json.items, 1, "none was created")
        assert.deepInclude(json.items[0], { name: "rule", trigger: "task.failed", conditions: {} })
        const misspelt = yield* request("POST", `${path}:backtest`, { token, body: { rule_id: id, day: 1 } })
        assert.deepStrictEqual([misspelt.status, issuesOf(misspelt)], [422, ["day"]])
      }))
  })
})

/** The issue at the place or within it, else all of them. */
const startOf = (response: Parameters<typeof issuesOf>[0], place: string): string =>
  issuesOf(response).some((path) => path === place || path.startsWith(`${place}.`)) ? place : issuesOf(response).join()
