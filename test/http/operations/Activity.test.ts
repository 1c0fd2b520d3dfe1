import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { activityFields } from "../../../src/domain/audit/Activity.ts"
import { freshAgent } from "../../agent.ts"
import { appendAudit, person } from "../../audit.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTask } from "../../tasks.ts"
import { proxied } from "../people.ts"
import { cellsOfCsv, cellsOfXlsx } from "../tasks/Tasks/files.ts"

const actionsOf = (items: ReadonlyArray<{ readonly action: string }>) => items.map(({ action }) => action)

/** A project with some rows, and people who may and may not see them. */
const site = Effect.gen(function*() {
  const project = yield* freshProject()
  const mark = `t${randomUUID().slice(0, 8)}`
  const entry = (action: string, more = {}) => ({
    action: `${mark}.${action}`,
    target_type: "test",
    target_id: action,
    project_id: project.id,
    ...more
  })
  const author = randomUUID()
  yield* appendAudit([entry("first", { metadata: { n: 1 } }), entry("a_b")], person(author))
  yield* appendAudit(
    [entry("axb", { outcome: "deny", result: "failure" }), entry("wide", { project_id: null })],
    person(author)
  )
  yield* appendAudit([entry("last")])
  const member = yield* freshKey({ roles: { [project.id]: "viewer" } })
  const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
  const root = yield* freshKey({ isAdmin: true })
  return { project, mark, author, member, admin, root }
})

const settings = { ...proxied, auditExportMaxRows: 3 }

describe.each(laneEngines)("reading the audit log on %s", (engine) => {
  layer(serverOn(engine, settings), { excludeTestServices: true })((it) => {
    it.effect("GET /activity: each sees what is theirs", () =>
      Effect.gen(function*() {
        const { author, mark, member, project, root } = yield* site
        const feed = (key: { readonly token: string }, query = "") =>
          Effect.map(request("GET", `/activity?action_prefix=${mark}.${query}`, key), ({ json }) => json)
        const own = yield* feed(member)
        assert.deepStrictEqual(
          actionsOf(own.items),
          ["last", "axb", "a_b", "first"].map((action) => `${mark}.${action}`)
        )
        assert.deepStrictEqual(Object.keys(own.items[3]), [...activityFields, "user_name", "target_name"])
        assert.deepInclude(own.items[3], {
          project_id: project.id,
          project_slug: project.slug,
          user_id: author,
          target_type: "test",
          target_id: "first",
          result: "success",
          outcome: "allow",
          metadata: { n: 1 },
          source_ip: null
        })
        assert.match(own.items[3].occurred_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
        assert.strictEqual(own.newest_cursor, `${own.items[0].occurred_at}|${own.items[0].id}`)
        assert.isNull(own.next_before_cursor)

        const all = yield* feed(root)
        assert.strictEqual(all.items.length, 5)
        assert.deepInclude(all.items[1], {
          action: `${mark}.wide`,
          project_id: null,
          project_slug: null,
          source_ip: "192.0.2.1"
        })

        const empty = { items: [], next_before_cursor: null, newest_cursor: null }
        assert.deepStrictEqual(yield* feed(yield* freshKey()), empty)
        assert.deepStrictEqual(
          yield* feed(yield* freshKey({ isAdmin: true, boundTo: (yield* freshProject()).id })),
          empty
        )
        const bound = yield* feed(yield* freshKey({ isAdmin: true, boundTo: project.id }))
        assert.strictEqual(bound.items.length, 4)

        // as rows were before such queries were left out
        const filter = { query: "kwargs.order:7835610", state: "failure" }
        const about = { target_type: "test", target_id: "older", project_id: project.id }
        yield* appendAudit([{ action: `${mark}.older`, ...about, metadata: { filter } }])
        assert.deepStrictEqual((yield* feed(member)).items[0].metadata.filter, { ...filter, query: null })
      }))

    it.effect("GET /activity: a row names what it is about, as it is now or as the row says", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { agent_id } = yield* freshAgent(project, "shop")
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const projectPath = `/projects/${project.slug}`
        for (const [task_id, name] of [["t1", "shop.pay"], ["t2", "<unknown:t2>"]] as const) {
          yield* insertTask(project.id, { engine: "celery", task_id, name, state: "failure" })
          const body = { agent_id, engine: "celery", task_id }
          yield* request("POST", `${projectPath}/commands/cancel-task`, { token, body })
        }
        const about = (target_type: string, target_id: string, metadata = {}) => ({
          action: "named.row",
          target_type,
          target_id,
          project_id: project.id,
          metadata
        })
        yield* appendAudit([
          about("task", "t1", { engine: "celery" }),
          about("task", "t1", { engine: "rq" }),
          about("agent", agent_id, { inserted: 1 }),
          about("agent", randomUUID()),
          about("schedule", randomUUID(), { name: "nightly" }),
          about("queue", "mail")
        ])
        const namesOf = (prefix: string) =>
          Effect.map(
            request("GET", `/activity?project_slug=${project.slug}&action_prefix=${prefix}`, { token }),
            ({ json }) => json.items.map(({ target_name }: { readonly target_name: string | null }) => target_name)
          )
        assert.deepStrictEqual(yield* namesOf("named"), ["mail", "nightly", null, "shop", null, "shop.pay"])
        assert.sameMembers([...(yield* namesOf("command.issued"))], ["shop.pay", null])
      }))

    it.effect("GET /activity: an action's beginning counts letter for letter, a project by its slug", () =>
      Effect.gen(function*() {
        const { mark, member, project, root } = yield* site
        const other = yield* freshProject()
        const feed = (key: { readonly token: string }, query: string) =>
          Effect.map(request("GET", `/activity?${query}`, key), ({ json }) => actionsOf(json.items))
        assert.deepStrictEqual(yield* feed(member, `action_prefix=${mark}.a_`), [`${mark}.a_b`])
        assert.deepStrictEqual(yield* feed(member, `action_prefix=${mark}.%25`), [])
        assert.deepStrictEqual(yield* feed(root, `action_prefix=${mark}.A`), [])
        assert.strictEqual((yield* feed(root, `project_slug=${project.slug}&action_prefix=${mark}`)).length, 4)
        assert.deepStrictEqual(yield* feed(root, "project_slug=no-such-project"), [])
        assert.deepStrictEqual(yield* feed(member, `project_slug=${other.slug}`), [])
        assert.strictEqual((yield* feed(member, `project_slug=${project.slug}`)).length, 5) // and project.created
      }))

    it.effect("GET /activity: by the person who did it", () =>
      Effect.gen(function*() {
        const { author, mark, member } = yield* site
        const feed = (query: string) =>
          Effect.map(request("GET", `/activity?${query}`, member), ({ json }) => actionsOf(json.items))
        assert.deepStrictEqual(yield* feed(`user_id=${author}`), [`${mark}.axb`, `${mark}.a_b`, `${mark}.first`])
        assert.deepStrictEqual(yield* feed(`user_id=${author.toUpperCase()}&action_prefix=${mark}.f`), [
          `${mark}.first`
        ])
        assert.deepStrictEqual(yield* feed(`user_id=${randomUUID()}`), [])
        assert.strictEqual((yield* request("GET", "/activity?user_id=ada", member)).status, 422)
      }))

    it.effect("GET /activity: what users and rules did, without agents and the program", () =>
      Effect.gen(function*() {
        const { author, mark, member, project, root } = yield* site
        const ofRule = { target_type: "automation_rule", target_id: "r1", project_id: project.id }
        yield* appendAudit([{ action: "automation.rule.executed", ...ofRule }])
        const feed = (key: { readonly token: string }, query: string) =>
          Effect.map(request("GET", `/activity?by=people&${query}`, key), ({ json }) => actionsOf(json.items))
        const ofAuthor = [`${mark}.axb`, `${mark}.a_b`, `${mark}.first`]
        const own = yield* feed(member, `project_slug=${project.slug}`)
        assert.deepStrictEqual(own.slice(0, 4), ["automation.rule.executed", ...ofAuthor])
        assert.notInclude(own, `${mark}.last`)
        assert.deepStrictEqual(yield* feed(member, `project_slug=${project.slug}&limit=2`), own.slice(0, 2))
        assert.deepStrictEqual(yield* feed(member, `action_prefix=${mark}`), ofAuthor)
        assert.deepStrictEqual(yield* feed(root, `action_prefix=${mark}`), [`${mark}.wide`, ...ofAuthor])
        assert.deepStrictEqual(yield* feed(member, `project_slug=${project.slug}&action_prefix=automation.rule.e`), [
          "automation.rule.executed"
        ])
        assert.deepStrictEqual(yield* feed(member, `user_id=${author}`), ofAuthor)
        assert.strictEqual((yield* request("GET", "/activity?by=agents", member)).status, 422)
      }))

    it.effect("GET /activity: what is no cursor, limit or prefix is 422", () =>
      Effect.gen(function*() {
        const { member } = yield* site
        for (
          const query of [
            "limit=0",
            "limit=201",
            "since_cursor=x",
            "before_cursor=2026-01-01T00:00:00Z",
            "before_cursor=2026-02-31T00:00:00Z|00000000-0000-7000-8000-000000000000",
            "since_cursor=2026-01-01T00:00:00Z|zero",
            `since_cursor=${"x".repeat(129)}`,
            `action_prefix=${"x".repeat(81)}`,
            "action_prefix=%00",
            "project_slug=%00"
          ]
        ) {
          assert.strictEqual((yield* request("GET", `/activity?${query}`, member)).status, 422, query)
        }
      }))

    it.effect("GET /activity: 60 a minute of one user, however they come", () =>
      Effect.gen(function*() {
        const { member, root } = yield* site
        const statuses = yield* Effect.forEach(Array.from({ length: 60 }), () =>
          Effect.map(request("GET", "/activity?limit=1", member), ({ status }) => status), { concurrency: 8 })
        assert.deepStrictEqual([...new Set(statuses)], [200])
        const refusal = yield* request("GET", "/activity?limit=1", {
          ...member,
          headers: { "x-forwarded-for": "203.0.113.9" }
        })
        assert.strictEqual(refusal.status, 429)
        assert.strictEqual(refusal.headers.get("retry-after"), "60")
        assert.strictEqual(refusal.json.code, "rate_limited")
        assert.include(refusal.json.detail, "activity feed limit (60/min per worker)")
        assert.strictEqual((yield* request("GET", "/activity?limit=1", root)).status, 200)
        const other = yield* request("GET", "/projects", member)
        assert.strictEqual(other.status, 200)
      }))

    it.effect("GET /projects/{slug}/audit: the project's rows for its admins, by action, outcome, user and time", () =>
      Effect.gen(function*() {
        const { admin, author, mark, member, project, root } = yield* site
        const path = `/projects/${project.slug}/audit`
        const list = (query: string) => Effect.map(request("GET", `${path}?${query}`, admin), ({ json }) => json)
        const short = (items: ReadonlyArray<{ readonly action: string }>) =>
          actionsOf(items).map((action) => action.replace(`${mark}.`, ""))
        const all = yield* list("")
        assert.deepStrictEqual(short(all.items), ["last", "axb", "a_b", "first", "project.created"])
        assert.deepStrictEqual(Object.keys(all.items[0]), [...activityFields])
        assert.isNull(all.items[1].source_ip)
        assert.isNull(all.next_cursor)
        assert.strictEqual((yield* request("GET", path, root)).json.items[1].source_ip, "192.0.2.1")

        const first = yield* list("limit=2")
        const second = yield* list(`limit=2&cursor=${first.next_cursor}`)
        const third = yield* list(`limit=2&cursor=${second.next_cursor}`)
        assert.deepStrictEqual([...first.items, ...second.items, ...third.items], all.items)
        assert.isNull(third.next_cursor)

        assert.deepStrictEqual(short((yield* list(`action_prefix=${mark}.a`)).items), ["axb", "a_b"])
        assert.deepStrictEqual(short((yield* list("outcome=deny")).items), ["axb"])
        assert.deepStrictEqual(short((yield* list("outcome=deny&action_prefix=project")).items), [])
        assert.deepStrictEqual(short((yield* list("outcome=allow&limit=2")).items), ["last", "a_b"])
        assert.deepStrictEqual(short((yield* list("outcome=other")).items), [])
        assert.deepStrictEqual(short((yield* list(`user_id=${author.toUpperCase()}`)).items), ["axb", "a_b", "first"])
        assert.deepStrictEqual(short((yield* list(`user_id=${author}&action_prefix=${mark}.f`)).items), ["first"])
        assert.deepStrictEqual(short((yield* list(`since=${all.items[1].occurred_at}`)).items), ["last", "axb"])
        assert.deepStrictEqual(short((yield* list("since=2999-01-01T00:00:00Z")).items), [])
        assert.deepStrictEqual(short((yield* list(`target_id=${project.id}`)).items), ["project.created"])
        assert.deepStrictEqual(short((yield* list(`target_id=${project.id}&outcome=deny`)).items), [])
        assert.deepStrictEqual(short((yield* list("target_id=elsewhere")).items), [])

        for (const query of ["cursor=x", "limit=0", "user_id=x", "since=x", "format=pdf", "format=csv&fields=secret"]) {
          assert.strictEqual((yield* request("GET", `${path}?${query}`, admin)).status, 422, query)
        }
        assert.strictEqual((yield* request("GET", path, member)).status, 403)
        assert.strictEqual((yield* request("GET", path, yield* freshKey())).status, 404)
      }))

    it.effect("GET /projects/{slug}/audit: as csv, json and xlsx, harmless to a spreadsheet, up to the cap", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* site
        const path = `/projects/${project.slug}/audit`
        const entry = (target_id: string) => ({
          action: "x.done",
          target_type: "=1+1",
          target_id,
          project_id: project.id,
          metadata: { text: "é, \"q\"" }
        })
        yield* appendAudit(["@SUM(A1)", "+1", "-1", "plain"].map(entry))
        const csv = yield* request("GET", `${path}?format=csv&limit=1&action_prefix=x.`, admin)
        assert.strictEqual(csv.headers.get("content-type"), "text/csv; charset=utf-8; header=present")
        assert.match(
          csv.headers.get("content-disposition") ?? "",
          new RegExp(`^attachment; filename="audit-${project.slug}-\\d{8}T\\d{6}Z\\.csv"$`)
        )
        const [heading, ...rows] = cellsOfCsv(csv.text)
        assert.deepStrictEqual(heading, [...activityFields])
        const column = (name: string) => rows.map((row) => row[heading!.indexOf(name)])
        assert.deepStrictEqual(column("target_id"), ["plain", "'-1", "'+1"]) // the cap is 3
        assert.strictEqual(csv.headers.get("x-svc-truncated"), "true")
        assert.deepStrictEqual(column("target_type"), ["'=1+1", "'=1+1", "'=1+1"])
        assert.deepStrictEqual(column("metadata")[0], "{\"by\":\"test\",\"text\":\"é, \\\"q\\\"\"}")

        const json = yield* request("GET", `${path}?format=json&action_prefix=x.&fields=target_id,metadata`, admin)
        assert.deepStrictEqual(json.json[1], { target_id: "-1", metadata: { by: "test", text: "é, \"q\"" } })
        assert.strictEqual(json.headers.get("x-svc-truncated"), "true")
        const whole = yield* request("GET", `${path}?format=json&outcome=none`, admin)
        assert.deepStrictEqual(whole.json, [])
        assert.strictEqual(whole.headers.get("x-svc-truncated"), null)

        const bytes = yield* Effect.flatMap(baseUrl, (base) =>
          Effect.promise(async () => {
            const headers = { authorization: `Bearer ${admin.token}` }
            const response = await fetch(`${base}/api/v1${path}?format=xlsx&action_prefix=x.&fields=action,target_id`, {
              headers
            })
            return Buffer.from(await response.arrayBuffer())
          }))
        assert.deepStrictEqual(cellsOfXlsx(bytes), [["action", "target_id"], ["x.done", "plain"], ["x.done", "'-1"], [
          "x.done",
          "'+1"
        ]])
      }))
  })
})
