import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { makePurgeToken } from "../../../src/domain/commands/PurgeToken.ts"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Agents } from "../../../src/services/agents/Agents.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTask, insertTasks, storedTask } from "../../tasks.ts"

let requests = 0

/** Each request comes from an address of its own, so that the buckets stay out of the way. */
const fromAnywhere = () => ({ "x-forwarded-for": `10.${++requests >> 16}.${(requests >> 8) & 255}.${requests & 255}` })

/** A project with an agent of these engines, and a key of this role. */
const world = (
  options: { readonly role?: "viewer" | "operator" | "admin"; readonly engines?: ReadonlyArray<string> } = {}
) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const agents = yield* Agents
    const project = yield* freshProject()
    const { agent, hmac_secret } = yield* Effect.orDie(agents.create({ name: "a" })).pipe(
      Effect.provideService(CurrentActor, system("test")),
      Effect.provideService(CurrentProject, project)
    )
    yield* sql`UPDATE agents SET engine_adapters = ${
      JSON.stringify(options.engines ?? ["celery"])
    } WHERE id = ${agent.id}`
    const { token, user_id } = yield* freshKey({ roles: { [project.id]: options.role ?? "admin" } })
    const post = (route: string, body: object, headers: Record<string, string> = fromAnywhere()) =>
      request("POST", `/projects/${project.slug}/commands/${route}`, {
        token,
        headers,
        body: { agent_id: agent.id, ...body }
      })
    const get = (path = "") => request("GET", `/projects/${project.slug}/commands${path}`, { token })
    return { sql, project, agent, hmac_secret, token, user_id, post, get }
  })

const task = (projectId: string, engine: string, task_id: string, name: string) =>
  insertTask(projectId, { engine, task_id, name, state: "failure" })

const audited = (projectId: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ action: string; target_id: string; metadata: string }>`
      SELECT action, target_id, metadata FROM audit_log WHERE project_id = ${projectId} AND target_type = 'command' ORDER BY seq`
    return rows.map((row) => ({ ...row, metadata: JSON.parse(row.metadata) }))
  })

describe.each(laneEngines)("commands on %s", (engine) => {
  layer(serverOn(engine, { trustedProxies: ["127.0.0.1", "::1"] }), { excludeTestServices: true })((it) => {
    it.effect("lists the commands that concern a task: those to it, and the one that created it", () =>
      Effect.gen(function*() {
        const { get, post, project, sql } = yield* world()
        yield* task(project.id, "celery", "t1", "a")
        yield* task(project.id, "rq", "t1", "a")
        const retry = yield* post("retry-task", { engine: "celery", task_id: "t1" })
        const cancel = yield* post("cancel-task", { engine: "celery", task_id: "t1" })
        yield* post("cancel-task", { engine: "celery", task_id: "t2" })
        const row = { project_id: project.id, engine: "celery", task_id: "t1", new_task_id: "t3" }
        yield* sql`INSERT INTO task_retries ${sql.insert({ ...row, command_id: retry.json.id })}`
        const idsOf = (query: string) =>
          Effect.map(get(query), ({ json }) => json.items.map(({ id }: { readonly id: string }) => id))
        assert.deepStrictEqual(yield* idsOf("?engine=celery&task_id=t1"), [cancel.json.id, retry.json.id])
        assert.deepStrictEqual(yield* idsOf("?engine=celery&task_id=t1&limit=1"), [cancel.json.id])
        assert.deepStrictEqual(yield* idsOf("?engine=celery&task_id=t3"), [retry.json.id])
        assert.deepStrictEqual(yield* idsOf("?engine=celery&task_id=t1&status=dispatched"), [])
        assert.deepStrictEqual(yield* idsOf("?engine=rq&task_id=t1"), [])
        assert.strictEqual((yield* get("?task_id=t1")).status, 422)
      }))

    it.effect("each route responds with 202 with the pending record, and asks the agent for its action", () =>
      Effect.gen(function*() {
        const { agent, get, post, project, user_id } = yield* world()
        const w = { worker_name: "w1@box" }
        const cases = [
          ["retry-task", { engine: "celery", task_id: "t/1 %" }, "retry_task", "task", "t/1 %", { task_id: "t/1 %" }],
          ["cancel-task", { engine: "celery", task_id: "t" }, "cancel_task", "task", "t", { task_id: "t" }],
          ["requeue-dead-letter", { engine: "rq", task_id: "t" }, "requeue_dead_letter", "task", "t", {
            task_id: "t",
            filter: { engine: "rq" }
          }],
          ["purge-queue", { queue: "q", force: true }, "purge_queue", "queue", "q", { queue: "q", force: true }],
          ["restart-worker", w, "restart_worker", "worker", "w1@box", w],
          ["pool-resize", { ...w, delta: 3 }, "pool_grow", "worker", "w1@box", { ...w, delta: 3 }],
          ["pool-resize", { ...w, delta: -100 }, "pool_shrink", "worker", "w1@box", { ...w, delta: 100 }],
          ["add-consumer", { ...w, queue: "q" }, "add_consumer", "worker", "w1@box", { ...w, queue: "q" }],
          ["cancel-consumer", { ...w, queue: "q" }, "cancel_consumer", "worker", "w1@box", { ...w, queue: "q" }],
          ["rate-limit", { ...w, task_name: "n", rate: "10/m" }, "rate_limit", "worker", "w1@box", {
            ...w,
            task_name: "n",
            rate: "10/m"
          }],
          ["rate-limit", { task_name: "n", rate: "0" }, "rate_limit", "worker", null, { task_name: "n", rate: "0" }]
        ] as const
        for (const [route, body, action, target_type, target_id, payload] of cases) {
          const { json, status } = yield* post(route, body)
          assert.strictEqual(status, 202, JSON.stringify(json))
          assert.deepInclude(json, {
            project_id: project.id,
            agent_id: agent.id,
            issued_by: user_id,
            action,
            target_type,
            target_id,
            payload,
            status: "pending",
            result: null,
            error: null,
            dispatched_at: null,
            completed_at: null
          })
          assert.strictEqual(Date.parse(json.timeout_at) - Date.parse(json.issued_at), 60_000)
          assert.deepStrictEqual((yield* get(`/${json.id}`)).json, json)
        }
        const rows = yield* audited(project.id)
        assert.strictEqual(rows.length, cases.length)
        assert.deepInclude(rows[0], { action: "command.issued" })
        assert.deepInclude(rows[0]?.metadata, {
          action: "retry_task",
          agent_id: agent.id,
          engine: "celery",
          target_id: "t/1 %"
        })
      }))

    it.effect("a body out of type, range or size names its field", () =>
      Effect.gen(function*() {
        const { post } = yield* world()
        const t = { engine: "celery", task_id: "t" }
        const w = { worker_name: "w" }
        const big = "x".repeat(65_536)
        const cases: ReadonlyArray<readonly [string, object, string]> = [
          ["retry-task", { engine: "celery" }, "task_id"],
          ["retry-task", { ...t, engine: "e".repeat(41) }, "engine"],
          ["retry-task", { ...t, task_id: "t".repeat(201) }, "task_id"],
          ["retry-task", { ...t, task_id: "a\0b" }, "task_id"],
          ["retry-task", { ...t, task_id: "\ud800" }, "task_id"],
          ["retry-task", { ...t, override_args: [1] }, "override_kwargs"],
          ["retry-task", { ...t, override_kwargs: {} }, "override_args"],
          ["retry-task", { ...t, override_args: {}, override_kwargs: {} }, "override_args"],
          ["retry-task", { ...t, override_args: [], override_kwargs: [] }, "override_kwargs"],
          ["retry-task", { ...t, override_args: [big], override_kwargs: {} }, "override_args"],
          ["retry-task", {
            ...t,
            override_args: [],
            override_kwargs: { svc_truncated: true, bytes: 300_000, begins: "{" }
          }, "override_kwargs"],
          ["retry-task", { ...t, override_args: [], override_kwargs: { big } }, "override_kwargs"],
          ["retry-task", { ...t, override_args: ["[REDACTED]"], override_kwargs: {} }, "override_args"],
          [
            "retry-task",
            { ...t, override_args: [], override_kwargs: { db: { url: "postgres://[REDACTED]@db/shop" } } },
            "override_kwargs"
          ],
          [
            "retry-task",
            { ...t, override_args: [{ a: ["x[...1808 more bytes truncated]"] }], override_kwargs: {} },
            "override_args"
          ],
          [
            "retry-task",
            { ...t, override_args: [], override_kwargs: { a: [{ svc_truncated: true, bytes: 300_000, begins: "{" }] } },
            "override_kwargs"
          ],
          ["retry-task", { ...t, eta_seconds: -1 }, "eta_seconds"],
          ["retry-task", { ...t, eta_seconds: 86_401 }, "eta_seconds"],
          ["retry-task", { ...t, idempotency_key: "" }, "idempotency_key"],
          ["retry-task", { ...t, agent_id: "none" }, "agent_id"],
          ["bulk-retry", { filter: { task_ids: [] } }, "filter.task_ids"],
          ["bulk-retry", { filter: { task_ids: [1] } }, "filter.task_ids.0"],
          ["bulk-retry", { filter: { task_ids: ["a"], state: "failure" } }, "filter.state"],
          ["bulk-retry", { filter: { task_ids: ["unknown"], engine: "celery" } }, "filter.task_ids"],
          ["bulk-retry", { filter: { task_ids: ["a"] }, max: 0 }, "max"],
          ["bulk-retry", { filter: { task_ids: ["a"] }, max: 10_001 }, "max"],
          ["purge-queue", { queue: "" }, "queue"],
          ["purge-queue", { queue: "q", observed_depth: -1 }, "observed_depth"],
          ["purge-queue", { queue: "q", observed_depth: 1.5 }, "observed_depth"],
          ["purge-queue", { queue: "q", force: "yes" }, "force"],
          ["purge-queue", { queue: "q", confirm_token: "x".repeat(129) }, "confirm_token"],
          ["restart-worker", {}, "worker_name"],
          ["pool-resize", { ...w, delta: 101 }, "delta"],
          ["pool-resize", { ...w, delta: -101 }, "delta"],
          ["pool-resize", { ...w, delta: 0.5 }, "delta"],
          ["add-consumer", w, "queue"],
          ["cancel-consumer", { queue: "q" }, "worker_name"],
          ...["fast", "-1", "1.5", "10/d", "10/", "/s", " 1", "1".repeat(21)].map((rate) =>
            ["rate-limit", { task_name: "n", rate }, "rate"] as const
          )
        ]
        for (const [route, body, path] of cases) {
          const { json } = yield* post(route, body)
          assert.deepInclude(
            json,
            { status: 422, code: "validation_failed" },
            `${route} ${JSON.stringify(body).slice(0, 200)}`
          )
          assert.include(json.details.issues.map((issue: { path: string }) => issue.path), path)
        }
        const tooMany = yield* post("bulk-retry", { filter: { task_ids: ["a"] }, max: 10_001 })
        assert.include(tooMany.json.details.issues[0].message, "bulk-retry-requests with max null")
        for (const rate of ["0", "10", "10/s", "10/m", "10/h"]) {
          assert.strictEqual((yield* post("rate-limit", { task_name: "n", rate })).status, 202)
        }
      }))

    it.effect("both overrides travel sealed: masked in the response, the list and the audit", () =>
      Effect.gen(function*() {
        const { get, post, project, sql } = yield* world()
        const { json } = yield* post("retry-task", {
          engine: "celery",
          task_id: "t",
          override_args: ["hidden-1"],
          override_kwargs: { password: "hidden-2" },
          eta_seconds: 0
        })
        assert.deepStrictEqual(json.payload, {
          eta_seconds: 0,
          override_args: "[REDACTED]",
          override_kwargs: "[REDACTED]",
          task_id: "t"
        })
        const seen = [
          (yield* get()).text,
          JSON.stringify(yield* audited(project.id)),
          JSON.stringify(yield* sql`SELECT * FROM commands`)
        ]
        for (const text of seen) assert.notInclude(text, "hidden")
      }))

    it.effect("an override that JSON cannot hold is refused, one that is just small enough is taken", () =>
      Effect.gen(function*() {
        const { agent, post, project, token } = yield* world()
        const raw = (override: string) =>
          request("POST", `/projects/${project.slug}/commands/retry-task`, {
            token,
            raw:
              `{"agent_id":"${agent.id}","engine":"celery","task_id":"t","override_args":${override},"override_kwargs":{}}`
          })
        for (const override of ["[1e400]", "[\"\\ud800\"]", `${"[".repeat(200)}${"]".repeat(200)}`]) {
          assert.deepInclude((yield* raw(override)).json, { status: 422, code: "validation_failed" })
        }
        assert.deepInclude((yield* raw("[1,")).json, { status: 400 })
        assert.strictEqual((yield* raw(`["${"x".repeat(65_532)}"]`)).status, 202)
        assert.strictEqual((yield* raw(`["${"x".repeat(65_533)}"]`)).status, 422)
        assert.strictEqual((yield* raw(`["${"\\u00e9".repeat(32_766)}"]`)).status, 202) // 64 KiB as JSON, 192 as sent
        assert.strictEqual((yield* raw(`["${"x".repeat(426_000)}"]`)).status, 413)
        assert.strictEqual(
          (yield* post("cancel-task", { engine: "celery", task_id: "t", more: "x".repeat(9000) })).status,
          413
        )
      }))

    it.effect("a command names its agent and its target: the task's name, that of a queue or worker, or none", () =>
      Effect.gen(function*() {
        const { agent, get, post, project } = yield* world()
        yield* task(project.id, "celery", "known", "shop.pay")
        yield* task(project.id, "celery", "strange", "<unknown:strange>")
        const nameOf = (route: string, body: object) =>
          Effect.gen(function*() {
            const { json } = yield* post(route, body)
            const read = yield* get(`/${json.id}`)
            const { agent_name, engine, target_name } = json
            assert.strictEqual(agent_name, agent.name)
            assert.deepInclude(read.json, { agent_name, engine, target_name }, route)
            return target_name
          })
        assert.strictEqual(yield* nameOf("cancel-task", { engine: "celery", task_id: "known" }), "shop.pay")
        assert.strictEqual(yield* nameOf("retry-task", { engine: "celery", task_id: "known" }), "shop.pay")
        assert.isNull(yield* nameOf("cancel-task", { engine: "celery", task_id: "strange" }))
        assert.isNull(yield* nameOf("cancel-task", { engine: "celery", task_id: "never seen" }))
        assert.strictEqual(yield* nameOf("purge-queue", { queue: "mail", force: true }), "mail")
        assert.strictEqual(yield* nameOf("restart-worker", { worker_name: "w1" }), "w1")
        assert.strictEqual(yield* nameOf("rate-limit", { task_name: "shop.pay", rate: "1" }), "shop.pay")
        assert.isNull(yield* nameOf("bulk-retry", { filter: { task_ids: ["known"] }, max: 1 }))
        const listed = (yield* get()).json.items.map(({ target_name }: { readonly target_name: unknown }) =>
          target_name
        )
        assert.sameMembers(listed, ["shop.pay", "shop.pay", null, null, "mail", "w1", "shop.pay", null])
      }))

    it.effect("a retry sends the task's name when it is known, and never a stand-in", () =>
      Effect.gen(function*() {
        const { post, project } = yield* world()
        yield* task(project.id, "celery", "known", "shop.pay")
        yield* task(project.id, "celery", "strange", "<unknown:strange>")
        const nameOf = (task_id: string) =>
          Effect.map(post("retry-task", { engine: "celery", task_id }), ({ json }) => json.payload.task_name)
        assert.strictEqual(yield* nameOf("known"), "shop.pay")
        assert.strictEqual(yield* nameOf("strange"), undefined)
        assert.strictEqual(yield* nameOf("never seen"), undefined)
      }))

    it.effect("bulk-retry: named tasks only, of the project and engine, without doubles, up to max", () =>
      Effect.gen(function*() {
        const { agent, post, project, sql } = yield* world()
        yield* task(project.id, "celery", "a", "n.a")
        yield* task(project.id, "celery", "b", "<unknown:b>")
        yield* task(project.id, "celery", "c", "n.c")
        yield* task(project.id, "rq", "r", "n.r")
        yield* task((yield* freshProject()).id, "celery", "foreign", "n.f")
        for (
          const body of [{}, { filter: null }, { filter: {} }, { filter: { state: "failure" } }, {
            filter: { task_ids: null }
          }]
        ) {
          assert.deepInclude((yield* post("bulk-retry", body)).json, { status: 410, code: "use_bulk_retry_requests" })
        }
        for (const task_ids of [["a", "r"], ["a", "foreign"]]) {
          assert.deepInclude((yield* post("bulk-retry", { filter: { task_ids } })).json, { status: 422 })
        }
        yield* sql`DELETE FROM commands`
        const { json } = yield* post("bulk-retry", {
          filter: { task_ids: ["b", "a", "b", "c"], engine: "celery" },
          max: 2
        })
        assert.deepInclude(json, { action: "bulk_retry", target_type: "task", target_id: null })
        assert.deepStrictEqual(json.payload, {
          filter: { engine: "celery", task_ids: ["b", "a"], task_names: { a: "n.a" } },
          max: 2
        })
        assert.strictEqual(Date.parse(json.timeout_at) - Date.parse(json.issued_at), 600_000)
        assert.strictEqual(json.agent_id, agent.id)
      }))

    it.effect("the agent belongs to the project, and roles and scopes hold", () =>
      Effect.gen(function*() {
        const { post } = yield* world()
        const other = yield* world({ role: "operator" })
        const body = { engine: "celery", task_id: "t" }
        assert.deepInclude((yield* post("cancel-task", { ...body, agent_id: other.agent.id })).json, {
          status: 404,
          code: "not_found"
        })
        assert.strictEqual((yield* post("cancel-task", { ...body, agent_id: yield* Ids.next })).status, 404)
        assert.strictEqual(
          (yield* other.post("cancel-task", { ...body, agent_id: other.agent.id.toUpperCase() })).status,
          202
        )
        assert.strictEqual((yield* other.post("purge-queue", { queue: "q" })).status, 403)
        const viewer = yield* freshKey({ roles: { [other.project.id]: "viewer" } })
        const path = `/projects/${other.project.slug}/commands`
        assert.strictEqual((yield* request("GET", path, viewer)).status, 200)
        assert.strictEqual(
          (yield* request("POST", `${path}/cancel-task`, { ...viewer, body: { ...body, agent_id: other.agent.id } }))
            .status,
          403
        )
        const reader = yield* freshKey({ roles: { [other.project.id]: "admin" }, scopes: ["commands:read"] })
        const refused = yield* request("POST", `${path}/cancel-task`, {
          ...reader,
          body: { ...body, agent_id: other.agent.id }
        })
        assert.deepInclude(refused.json, { status: 403, code: "scope_missing" })
        const stranger = yield* freshKey()
        assert.strictEqual((yield* request("GET", path, stranger)).status, 404)
      }))

    it.effect("the engine: of the body, the agent's only one, the one that the records know, else 422", () =>
      Effect.gen(function*() {
        const { agent, post, project, sql } = yield* world({ engines: ["celery", "rq"] })
        const engineOf = (id: string) =>
          Effect.map(sql<{ engine: string }>`SELECT engine FROM commands WHERE id = ${id}`, (rows) => rows[0]?.engine)
        const now = yield* Timestamp.now
        for (const [name, engine] of [["one", "rq"], ["two", "rq"], ["two", "celery"], ["other", "huey"]]) {
          const row = { id: yield* Ids.next, project_id: project.id, engine, name, created_at: now }
          yield* sql`INSERT INTO queues ${sql.insert(row)}`
        }
        yield* task(project.id, "rq", "t", "n.rq")
        const chosen = (body: object, route = "purge-queue") =>
          Effect.flatMap(
            post(route, body),
            ({ json, status }) => (status === 202 ? engineOf(json.id) : Effect.succeed(json.code))
          )
        assert.strictEqual(yield* chosen({ queue: "one" }), "rq")
        assert.strictEqual(yield* chosen({ queue: "two" }), "validation_failed")
        assert.strictEqual(yield* chosen({ queue: "other" }), "validation_failed")
        assert.strictEqual(yield* chosen({ queue: "unheard" }), "validation_failed")
        assert.strictEqual(yield* chosen({ queue: "unheard", engine: "celery" }), "celery")
        assert.strictEqual(yield* chosen({ task_name: "n.rq", rate: "1" }, "rate-limit"), "rq")
        assert.strictEqual(yield* chosen({ worker_name: "w", delta: 1 }, "pool-resize"), "validation_failed")
        yield* sql`UPDATE agents SET engine_adapters = '["arq"]' WHERE id = ${agent.id}`
        assert.strictEqual(yield* chosen({ queue: "one" }), "arq")
        yield* sql`UPDATE agents SET engine_adapters = '[]' WHERE id = ${agent.id}`
        assert.strictEqual(yield* chosen({ queue: "other" }), "huey")
      }))

    it.effect("a command too large for an agent's frame is refused at once", () =>
      Effect.gen(function*() {
        const { post, project } = yield* world()
        const ids = Array.from({ length: 5600 }, (_, index) => `${index}`.padStart(195, "x"))
        yield* insertTasks(ids.map((task_id) => storedTask(project.id, 0, { task_id, name: "n", state: "failure" })))
        const fits = yield* post("bulk-retry", { filter: { task_ids: ids.slice(0, 3000) }, max: 10_000 })
        assert.strictEqual(fits.status, 202)
        // ids and names together would be too much, so the names are not sent
        assert.deepStrictEqual(Object.keys(fits.json.payload.filter), ["engine", "task_ids"])
        const refused = yield* post("bulk-retry", { filter: { task_ids: ids }, max: 10_000 })
        assert.deepInclude(refused.json, { status: 422, code: "validation_failed" })
      }))

    it.effect("purge: the token is computed from observed_depth with the agent's secret, or sent as given", () =>
      Effect.gen(function*() {
        const { post } = yield* world()
        const { json } = yield* post("purge-queue", { queue: "é|b", observed_depth: 12 })
        assert.deepStrictEqual(json.payload, { confirm_token: "[REDACTED]", queue: "é|b" })
        const key = Buffer.from("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "hex")
        assert.strictEqual(
          makePurgeToken(key, "a|b", 1),
          "a52aca0bb5e44c6a0494b64fd2c7be0e308f87f8e69a573d1a38d1e5bab8bc8e"
        )
      }))

    it.effect("idempotency_key: the same request gets the first command, another one is refused", () =>
      Effect.gen(function*() {
        const { get, post, project, sql, token, agent } = yield* world()
        const body = { worker_name: "w", delta: 2, idempotency_key: "k" }
        const first = yield* post("pool-resize", body)
        const [again, ...others] = yield* Effect.all([
          post("pool-resize", body),
          post("pool-resize", { idempotency_key: "k", delta: 2, worker_name: "w", engine: null }),
          post("pool-resize", { ...body, delta: -2 }),
          post("pool-resize", { ...body, worker_name: "v" })
        ])
        assert.deepStrictEqual([again.status, again.json], [202, first.json])
        assert.deepStrictEqual(others.map(({ json }) => json.code ?? json.id), [
          first.json.id,
          "idempotency_conflict",
          "idempotency_conflict"
        ])
        assert.strictEqual(others[1].status, 409)
        // another route, and another person, are other keys
        assert.strictEqual((yield* post("restart-worker", { worker_name: "w", idempotency_key: "k" })).status, 202)
        const colleague = yield* freshKey({ roles: { [project.id]: "operator" } })
        const theirs = yield* request("POST", `/projects/${project.slug}/commands/pool-resize`, {
          ...colleague,
          body: { agent_id: agent.id, ...body, delta: 5 }
        })
        assert.strictEqual(theirs.status, 202)
        assert.strictEqual((yield* get()).json.items.length, 3)
        assert.strictEqual((yield* audited(project.id)).length, 3)

        // numbers that JavaScript cannot distinguish are different requests
        const retry = (digits: string) =>
          request("POST", `/projects/${project.slug}/commands/retry-task`, {
            token,
            raw:
              `{"agent_id":"${agent.id}","engine":"celery","task_id":"t","override_args":[${digits}],"override_kwargs":{},"idempotency_key":"n"}`
          })
        const ids = [
          yield* retry("12345678901234567890"),
          yield* retry(" 12345678901234567890 "),
          yield* retry("12345678901234567891"),
          yield* retry("12345678901234567890.0")
        ]
        assert.deepStrictEqual(ids.map(({ status }) => status), [202, 202, 409, 409])

        // after a day the key is free again
        yield* sql`UPDATE commands SET issued_at = ${
          Timestamp.addSeconds(yield* Timestamp.now, -86_401)
        } WHERE id = ${first.json.id}`
        const later = yield* post("pool-resize", { ...body, delta: 7 })
        assert.strictEqual(later.status, 202)
        assert.notStrictEqual(later.json.id, first.json.id)
      }))

    it.effect("an equal retry within ten seconds returns the command of the first, unless force", () =>
      Effect.gen(function*() {
        const { get, post, project, sql } = yield* world()
        yield* task(project.id, "celery", "t1", "a")
        const target = { engine: "celery", task_id: "t1" }
        const retry = (body: object = {}) =>
          Effect.map(post("retry-task", { ...target, ...body }), ({ json, status, text }) => {
            assert.strictEqual(status, 202, text)
            return String(json.id)
          })
        const count = Effect.map(get(), ({ json }) => json.items.length)
        const pressed = yield* Effect.all([retry(), retry(), retry()], { concurrency: "unbounded" })
        assert.strictEqual(new Set(pressed).size, 1)
        const [first] = pressed
        assert.strictEqual(yield* retry({ idempotency_key: "press-1" }), first)
        assert.strictEqual(yield* retry({ idempotency_key: "press-2" }), first)
        assert.strictEqual(yield* count, 1)
        // another retry is meant
        const others = [
          yield* retry({ eta_seconds: 60 }),
          yield* retry({ override_args: [1], override_kwargs: {} }),
          yield* retry({ force: true })
        ]
        assert.strictEqual(new Set([first, ...others]).size, 4)
        // one that failed is retried, and so is one of a while ago
        yield* sql`UPDATE commands SET issued_at = ${
          Timestamp.addSeconds(yield* Timestamp.now, -11)
        } WHERE project_id = ${project.id}`
        assert.notInclude([first, ...others], yield* retry({ idempotency_key: "later" }))
        assert.strictEqual(yield* count, 5)
      }))

    it.effect("of many requests at once with one key, one command is created", () =>
      Effect.gen(function*() {
        const { get, post } = yield* world()
        const responses = yield* Effect.all(
          Array.from({ length: 8 }, () => post("restart-worker", { worker_name: "w", idempotency_key: "k" })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(responses.map(({ status }) => status)), new Set([202]))
        assert.strictEqual(new Set(responses.map(({ json }) => json.id)).size, 1)
        assert.strictEqual((yield* get()).json.items.length, 1)
      }))

    it.effect("list: newest first, by status, in pages; an unknown status is ignored, a bad cursor is not", () =>
      Effect.gen(function*() {
        const { get, post } = yield* world()
        const ids: Array<string> = []
        for (let index = 0; index < 5; index++) {
          ids.unshift((yield* post("restart-worker", { worker_name: `w${index}` })).json.id)
        }
        const idsOf = ({ json }: { json: { items: ReadonlyArray<{ id: string }> } }) => json.items.map(({ id }) => id)
        const sorted = [...ids].sort().reverse()
        assert.deepStrictEqual(idsOf(yield* get()), sorted)
        const first = yield* get("?limit=2")
        assert.deepStrictEqual(idsOf(first), sorted.slice(0, 2))
        const second = yield* get(`?limit=2&cursor=${first.json.next_cursor}`)
        assert.deepStrictEqual(idsOf(second), sorted.slice(2, 4))
        const third = yield* get(`?limit=2&cursor=${second.json.next_cursor}`)
        assert.deepStrictEqual([idsOf(third), third.json.next_cursor], [sorted.slice(4), null])
        assert.deepStrictEqual(idsOf(yield* get("?status=pending")), sorted)
        assert.deepStrictEqual(idsOf(yield* get("?status=completed")), [])
        assert.deepStrictEqual(idsOf(yield* get("?status=whatever")), sorted)
        const [newest = ""] = sorted
        assert.deepStrictEqual(idsOf(yield* get(`?id=${newest.slice(-8).toUpperCase()}`)), [newest])
        assert.deepStrictEqual(idsOf(yield* get(`?id=${newest.slice(0, -1)}`)), [newest])
        assert.deepStrictEqual(idsOf(yield* get(`?id=${newest.slice(-8, -1)}`)), [newest])
        assert.deepStrictEqual(idsOf(yield* get(`?id=${newest.slice(0, 8)}&limit=3`)), sorted.slice(0, 3))
        assert.deepStrictEqual(idsOf(yield* get(`?id=${newest}&status=completed`)), [])
        for (
          const bad of [
            "cursor=!",
            "cursor=abc",
            "id=%25",
            `cursor=${Buffer.from("[\"x\"]").toString("base64url")}`,
            "limit=0",
            "limit=5001",
            "limit=x"
          ]
        ) {
          assert.strictEqual((yield* get(`?${bad}`)).status, 422, bad)
        }
      }))

    it.effect("a page of large commands is truncated, and continues on the next", () =>
      Effect.gen(function*() {
        const { get, post, sql, project } = yield* world()
        const ids: Array<string> = []
        for (let index = 0; index < 6; index++) {
          ids.push((yield* post("restart-worker", { worker_name: `w${index}` })).json.id)
        }
        yield* sql`UPDATE commands SET result = ${
          JSON.stringify("x".repeat(1_000_000))
        } WHERE project_id = ${project.id}`
        const first = yield* get()
        assert.strictEqual(first.json.items.length, 4)
        const rest = yield* get(`?cursor=${first.json.next_cursor}`)
        assert.deepStrictEqual([rest.json.items.length, rest.json.next_cursor], [2, null])
      }))

    it.effect("cancel: while pending, once, with its audit row", () =>
      Effect.gen(function*() {
        const { get, post, project, sql, token } = yield* world()
        const { json } = yield* post("retry-task", {
          engine: "celery",
          task_id: "t",
          override_args: [1],
          override_kwargs: {}
        })
        const cancel = (id: string) => request("POST", `/projects/${project.slug}/commands/${id}/cancel`, { token })
        yield* sql`UPDATE users SET display_name = 'Ada' WHERE id IN (
          SELECT user_id FROM memberships WHERE project_id = ${project.id})`
        const cancelled = yield* cancel(json.id)
        assert.strictEqual(cancelled.status, 200)
        const error = "Cancelled by Ada before it was sent."
        assert.deepInclude(cancelled.json, { id: json.id, status: "cancelled", error })
        assert.isString(cancelled.json.completed_at)
        assert.deepStrictEqual((yield* get(`/${json.id}`)).json, cancelled.json)
        assert.deepInclude((yield* cancel(json.id)).json, { status: 409, code: "command_not_pending" })
        assert.deepStrictEqual((yield* sql`SELECT sealed_payload FROM commands WHERE id = ${json.id}`)[0], {
          sealed_payload: null
        })
        assert.deepStrictEqual((yield* audited(project.id)).map(({ action }) => action), [
          "command.issued",
          "command.cancelled"
        ])
        const other = yield* world()
        const theirs = yield* other.post("restart-worker", { worker_name: "w" })
        for (const id of [theirs.json.id, yield* Ids.next, "none"]) {
          assert.strictEqual((yield* cancel(id)).status, 404)
          assert.strictEqual((yield* get(`/${id}`)).status, 404)
        }
      }))

    it.effect("bulk-retry and purge-queue share one bucket", () =>
      Effect.gen(function*() {
        const { post } = yield* world()
        const statuses: Array<number> = []
        for (let index = 0; index < 6; index++) {
          statuses.push(
            (yield* post("purge-queue", { queue: "q" }, {})).status,
            (yield* post("bulk-retry", {}, {})).status
          )
        }
        assert.deepStrictEqual(statuses, [202, 410, 202, 410, 202, 410, 202, 410, 202, 410, 429, 429])
      }))
  })
})
