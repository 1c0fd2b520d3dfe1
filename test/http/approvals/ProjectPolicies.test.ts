import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Role } from "../../../src/domain/kernel/Access.ts"
import { system } from "../../../src/domain/kernel/Actor.ts"
import { CanonicalText } from "../../../src/domain/kernel/CanonicalJson.ts"
import { Projects } from "../../../src/services/identity/Projects.ts"
import { CurrentActor, CurrentProject } from "../../../src/services/kernel/CurrentActor.ts"
import { Inbox } from "../../../src/services/kernel/Inbox.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { insertTasks, storedTask } from "../../tasks.ts"
import { until } from "../../until.ts"
import { fromElsewhere, proxied } from "../people.ts"

const from = (address: string) => ({ "x-forwarded-for": address })
const office = from("192.0.2.7")
const cafe = from("198.51.100.1")

/** A project that only the office may use, with a key of each role. */
const officeProject = Effect.gen(function*() {
  const project = yield* freshProject()
  const path = `/projects/${project.slug}`
  const keyOf = (role: Role) => freshKey({ roles: { [project.id]: role } })
  const admin = yield* keyOf("admin")
  const patch = (body: unknown, headers: Record<string, string>) =>
    request("PATCH", path, { token: admin.token, headers, body })
  const { status } = yield* patch({ allowed_cidrs: ["192.0.2.0/24"] }, office)
  assert.strictEqual(status, 200)
  return { project, path, keyOf, admin, patch }
})

const codeOf = Effect.map(({ json, status }: { readonly json: { readonly code?: string }; readonly status: number }) =>
  status < 400 ? "ok" : json.code
)

describe.each(laneEngines)("policies of a project on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.effect("a list of addresses holds for every member, key and global admin, and for no other project", () =>
      Effect.gen(function*() {
        const { admin, path, project } = yield* officeProject
        const other = yield* freshProject()
        const member = yield* freshKey({ roles: { [project.id]: "admin", [other.id]: "viewer" } })
        const global = yield* freshKey({ isAdmin: true })
        const stranger = yield* freshKey()
        for (const { token } of [admin, member, global]) {
          assert.strictEqual(yield* codeOf(request("GET", path, { token, headers: office })), "ok")
          for (const rest of ["", "/tasks", "/audit"]) {
            const refused = request("GET", `${path}${rest}`, { token, headers: cafe })
            assert.strictEqual(yield* codeOf(refused), "address_not_allowed")
          }
        }
        // without a hint that the project exists
        const unknown = request("GET", path, { token: stranger.token, headers: cafe })
        assert.strictEqual(yield* codeOf(unknown), "not_found")
        const allowed = request("GET", `/projects/${other.slug}`, { token: member.token, headers: cafe })
        assert.strictEqual(yield* codeOf(allowed), "ok")
      }))

    it.effect("a member elsewhere sees nothing of the project in lists across projects", () =>
      Effect.gen(function*() {
        const { path, project } = yield* officeProject
        const { token } = yield* freshKey({ roles: { [project.id]: "viewer" } })
        const slugs = (headers: Record<string, string>) =>
          Effect.map(request("GET", "/projects", { token, headers }), ({ json }) =>
            json.map(({ slug }: { readonly slug: string }) => slug))
        assert.deepStrictEqual(yield* slugs(office), [project.slug])
        assert.deepStrictEqual(yield* slugs(cafe), [])
        const feed = (headers: Record<string, string>) =>
          Effect.map(request("GET", "/activity", { token, headers }), ({ json }) =>
            json.items.length)
        assert.isAbove(yield* feed(office), 0)
        assert.strictEqual(yield* feed(cafe), 0)
        // a refusal by address is in the audit log of the project
        yield* request("GET", path, { token, headers: cafe })
        const { json } = yield* request("GET", "/activity", { token, headers: office })
        const denied = json.items.filter(({ action }: { readonly action: string }) => action === "access.denied")
        assert.lengthOf(denied, 1)
      }))

    it.effect("a global admin elsewhere sees nothing of the project in lists across projects, and all of the others", () =>
      Effect.gen(function*() {
        const { project } = yield* officeProject
        const other = yield* freshProject()
        const projects = yield* Projects
        yield* projects.update({ name: "other" }).pipe(
          Effect.provideService(CurrentProject, other),
          Effect.provideService(CurrentActor, system("test"))
        )
        const { token, user_id } = yield* freshKey({ isAdmin: true })
        const inbox = yield* Inbox
        yield* inbox.insert([project, other].map(({ id }) => ({
          user_id,
          project_id: id,
          subscription_id: null,
          alert_id: null,
          trigger: "approval.requested" as const,
          reason: "approval" as const,
          title: "Someone asks",
          body: null,
          data: {}
        })))
        const read = (rest: string, headers: Record<string, string>) =>
          Effect.map(request("GET", rest, { token, headers }), ({ json, status, text }) => {
            assert.strictEqual(status, 200, text)
            return { json, text }
          })
        const lists = ["/projects", "/home/summary", "/activity?limit=200", "/user/notifications"]
        for (const list of lists) {
          const inOffice = yield* read(list, office)
          assert.include(inOffice.text, project.id, list)
          assert.include(inOffice.text, other.id, list)
          const elsewhere = yield* read(list, cafe)
          assert.notInclude(elsewhere.text, project.id, list)
          assert.include(elsewhere.text, other.id, list)
        }
        // rows of no project, in pages of one row, and as news since a row
        const [pages, rest] = [new Array<string>(), `/activity?limit=1&action_prefix=project.`]
        let next: string | null = ""
        while (next !== null && pages.length < 500) {
          const page: { readonly text: string; readonly json: { readonly next_before_cursor: string | null } } =
            yield* read(`${rest}${next}`, cafe)
          pages.push(page.text)
          const { next_before_cursor } = page.json
          next = next_before_cursor === null ? null : `&before_cursor=${encodeURIComponent(next_before_cursor)}`
        }
        assert.isTrue(pages.some((text) => text.includes(other.id)))
        assert.isFalse(pages.some((text) => text.includes(project.id)))
        assert.deepStrictEqual((yield* read(`/activity?project_slug=${project.slug}`, cafe)).json.items, [])
        assert.strictEqual((yield* read("/user/notifications/unread-count", cafe)).json.unread, 1)
        assert.strictEqual((yield* read("/user/notifications/unread-count", office)).json.unread, 2)
      }))

    it.effect("an admin cannot exclude the own address, and can remove the list", () =>
      Effect.gen(function*() {
        const { admin, patch, path } = yield* officeProject
        const refused = yield* patch({ allowed_cidrs: ["10.0.0.0/8"] }, office)
        assert.strictEqual(refused.status, 422)
        assert.include(refused.text, "192.0.2.7")
        for (const invalid of [[], ["office"], ["10.0.0.0/33"]]) {
          assert.strictEqual((yield* patch({ allowed_cidrs: invalid }, office)).status, 422)
        }
        assert.strictEqual((yield* patch({ name: "x" }, cafe)).status, 403)
        assert.isNull((yield* patch({ allowed_cidrs: null }, office)).json.allowed_cidrs)
        assert.strictEqual(yield* codeOf(request("GET", path, { token: admin.token, headers: cafe })), "ok")
      }))

    it.effect("an auditor reads the audit log and changes nothing that an operator may change", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const path = `/projects/${project.slug}`
        const headers = fromElsewhere()
        const { token } = yield* freshKey({ roles: { [project.id]: "auditor" } })
        const operator = yield* freshKey({ roles: { [project.id]: "operator" } })
        assert.strictEqual(yield* codeOf(request("GET", `${path}/audit`, { token, headers })), "ok")
        assert.strictEqual(yield* codeOf(request("GET", `${path}/tasks`, { token, headers })), "ok")
        const audit = request("GET", `${path}/audit`, { token: operator.token, headers })
        assert.strictEqual(yield* codeOf(audit), "forbidden")
        const body = { agent_id: project.id, engine: "celery", task_id: "t" }
        const retry = request("POST", `${path}/commands/retry-task`, { token, headers, body })
        assert.strictEqual(yield* codeOf(retry), "forbidden")
      }))

    it.scoped("payload_role hides arguments and results in each place that shows them", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const path = `/projects/${project.slug}`
        const headers = fromElsewhere()
        const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
        const call = (token: string, method: string, rest: string, body?: unknown) =>
          request(method, `${path}${rest}`, { token, headers, ...(body !== undefined && { body }) })
        const secret = "4111-1111"
        const task = storedTask(project.id, 1_700_000_000_000, {
          args: `["${secret}"]`,
          kwargs: `{"card":"${secret}"}`,
          result: `"${secret}"`
        })
        yield* insertTasks([task])
        const schedule = {
          name: "nightly",
          engine: "celery",
          kind: "cron",
          expression: "0 3 * * *",
          task_name: "shop.report",
          args: [secret],
          kwargs: { card: secret }
        }
        const created = yield* call(admin.token, "POST", "/schedules", schedule)
        assert.deepStrictEqual(created.json.args, [secret])
        const credentials = yield* freshAgent(project)
        const agent = yield* connected({ base: yield* baseUrl, ...credentials })
        // the agent's result of a change of a schedule is its definition
        agent.onCommand = (command) =>
          agent.sendResult(command, {
            status: "success",
            result: { task_id: "t-1", observed_configuration: [{ args: [secret], total: new CanonicalText("1.0") }] }
          })
        const triggered = yield* call(admin.token, "POST", `/schedules/${created.json.id}/trigger`)
        const command = `/commands/${triggered.headers.get("location")?.split("/").at(-1)}`
        const completed = yield* until(call(admin.token, "GET", command), ({ json }) => json.status === "completed")
        assert.deepStrictEqual([completed.json.payload.args, completed.json.payload.kwargs], [[secret], {
          card: secret
        }])
        assert.strictEqual((yield* call(admin.token, "PATCH", "", { payload_role: "admin" })).status, 200)

        const reads = [
          "/tasks",
          "/tasks?search=ship",
          "/tasks?format=csv",
          "/tasks?format=json",
          `/tasks/celery/${task.task_id}`,
          "/schedules",
          `/schedules/${created.json.id}`,
          "/commands",
          command
        ]
        // never show them
        const others = [
          `/schedules/${created.json.id}/fires`,
          `/schedules/runs?id=${created.json.id}`,
          `/events?engine=celery&task_id=${task.task_id}`
        ]
        for (const role of ["viewer", "auditor", "operator"] as const) {
          const { token } = yield* freshKey({ roles: { [project.id]: role } })
          for (const read of reads) {
            const hidden = yield* call(token, "GET", read)
            assert.strictEqual(hidden.status, 200, read)
            assert.notInclude(hidden.text, secret, `${role} ${read}`)
            assert.include((yield* call(admin.token, "GET", read)).text, secret, read)
          }
          for (const read of role === "auditor" ? [...others, "/audit"] : others) {
            const { status, text } = yield* call(token, "GET", read)
            assert.strictEqual(status, 200, read)
            assert.notInclude(text, secret, `${role} ${read}`)
          }
          const hidden = yield* call(token, "GET", command)
          assert.deepInclude(hidden.json.payload, { args: null, kwargs: null, task_name: "shop.report" })
          assert.include(hidden.text, `{"observed_configuration":[{"args":null,"total":1.0}],"task_id":"t-1"}`)
          const detail = yield* call(token, "GET", `/tasks/celery/${task.task_id}`)
          assert.deepInclude(detail.json, { args: null, kwargs: null, result: null, payload_hidden: true })
        }
        const operator = yield* freshKey({ roles: { [project.id]: "operator" } })
        const paused = yield* call(operator.token, "POST", `/schedules/${created.json.id}/pause`)
        assert.deepInclude(paused.json, { args: null, kwargs: null })
        const issued = yield* call(operator.token, "POST", `/schedules/${created.json.id}/trigger`)
        assert.deepInclude(issued.json, { args: null, kwargs: null })
        const override = { agent_id: credentials.agent_id, engine: "celery", task_id: task.task_id }
        const retried = yield* call(operator.token, "POST", "/commands/retry-task", {
          ...override,
          override_args: [secret],
          override_kwargs: { card: secret }
        })
        assert.strictEqual(retried.status, 202, retried.text)
        assert.notInclude(retried.text, secret)
        const shown = yield* call(admin.token, "GET", `/tasks/celery/${task.task_id}`)
        assert.deepInclude(shown.json, { args: [secret], payload_hidden: false })
      }))
  })
})
