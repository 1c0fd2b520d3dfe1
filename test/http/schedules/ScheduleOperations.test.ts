import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { MUTATION, STABLE_SNAPSHOT } from "../../../src/domain/schedules/Schedule/External.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { activatePublisher, row, schedulerHello } from "../../schedulePublisher.ts"
import { until } from "../../until.ts"

const actions = ["create", "update", "delete", "enable", "disable", "trigger_now"]
const writable = ["list", ...actions, MUTATION, STABLE_SNAPSHOT]

const secret = { token: "hunter2" }
const nightly = row({ source_key: "dcb:1", name: "nightly", kwargs: secret })

/** A project with an agent that publishes the schedule `nightly` of celery-beat, and REST calls in it. */
const preparePublisher = (capabilities: ReadonlyArray<string> = writable) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
    const call = (method: string, path: string, body?: unknown) =>
      request(method, `/projects/${project.slug}/schedules${path}`, {
        token,
        ...(body !== undefined && { body })
      })
    const agent = yield* connected({
      base: yield* baseUrl,
      ...(yield* freshAgent(project, "beat")),
      hello: schedulerHello(["celery-beat"], { capabilities: { "celery-beat": capabilities } })
    })
    const publisher = yield* activatePublisher(agent)
    yield* publisher.publish([nightly])
    const { json: { items: [schedule] } } = yield* call("GET", "")
    const show = (id: string) => Effect.map(call("GET", `/external-control-operations/${id}`), ({ json }) => json)
    const reaches = (id: string, status: string) => until(show(id), (operation) => operation.status === status)
    const change = (fields: object) =>
      call("POST", "/native-operations", {
        request_id: randomUUID(),
        scheduler: "celery-beat",
        operation: "update",
        schedule_id: schedule.id,
        definition: { expression: "0 4 * * *" },
        ...fields
      })
    return { project, token, call, agent, publisher, schedule, show, reaches, change }
  })

const actionsOf = (projectId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly action: string; readonly user_id: string | null }>`SELECT action, user_id FROM audit_log
      WHERE project_id = ${projectId} AND action LIKE 'schedule.%' ORDER BY seq`
  )

describe.each(laneEngines)("operations of another scheduler's schedules on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("an operation is a command to the publishing session, and succeeds when its effect is published", () =>
      Effect.gen(function*() {
        const { agent, call, project, publisher, reaches, schedule, show } = yield* preparePublisher()
        const begun = yield* call("POST", `/${schedule.id}/disable`)
        assert.strictEqual(begun.status, 202, begun.text)
        assert.deepInclude(begun.json, {
          schedule_id: schedule.id,
          source_key: "dcb:1",
          operation: "disable",
          status: "pending",
          expected_accepted_sequence: 1,
          reserved_sequence: null,
          desired_is_enabled: false,
          result_projection_id: null
        })
        const command = yield* Effect.promise(() => agent.command("schedule.external.mutate"))
        assert.strictEqual(command.target.scheduler, "celery-beat")
        assert.deepInclude(command.parameters, {
          operation_id: begun.json.id,
          operation: "update",
          schedule_id: "dcb:1",
          definition: { is_enabled: false },
          expected: nightly
        })
        const shown = yield* request("GET", `/projects/${project.slug}/commands/${begun.json.command_id}`, {
          token: (yield* freshKey({ isAdmin: true })).token
        })
        assert.notInclude(shown.text, "hunter2", "arguments are encrypted")
        yield* reaches(begun.json.id, "sent")

        const busy = yield* call("POST", `/${schedule.id}/enable`)
        assert.deepStrictEqual([busy.status, busy.json.code], [409, "schedule_operation_open"])

        agent.sendResult(command, { status: "success", result: { sequence: 2, source_key: "dcb:1" } })
        assert.deepInclude(yield* reaches(begun.json.id, "accepted"), { reserved_sequence: 2 })
        yield* publisher.publish([{ ...nightly, is_enabled: false }])
        const done = yield* reaches(begun.json.id, "succeeded")
        assert.match(done.result_projection_id, /^[0-9a-f-]{36}$/)
        const after = yield* call("GET", `/${schedule.id}`)
        assert.strictEqual(after.json.is_enabled, false)
        assert.notStrictEqual(after.json.control_token, schedule.control_token)
        const [entry, ...others] = yield* actionsOf(project.id)
        assert.deepStrictEqual([entry?.action, others], ["schedule.disable_requested", []])
        assert.isNotNull(entry?.user_id)
        assert.strictEqual((yield* show(begun.json.id)).status, "succeeded")
      }))

    it.scoped("a change is done once per request_id, on the schedule as the caller saw it", () =>
      Effect.gen(function*() {
        const { agent, call, change, publisher, schedule } = yield* preparePublisher()
        const stale = yield* change({ observed_control_token: randomUUID() })
        assert.deepStrictEqual([stale.status, stale.json.code], [409, "stale_control_token"])
        const body = {
          request_id: randomUUID(),
          observed_control_token: schedule.control_token,
          definition: { args: [12345678901234567890n.toString(), 1] }
        }
        const begun = yield* change(body)
        assert.strictEqual(begun.status, 202, begun.text)
        assert.match(begun.headers.get("location") ?? "", new RegExp(`/native-operations/${begun.json.id}$`))
        const [repeated, other] = [yield* change(body), yield* change({ ...body, definition: { args: [] } })]
        assert.deepStrictEqual([repeated.status, repeated.json.id], [202, begun.json.id])
        assert.deepStrictEqual([other.status, other.json.code], [409, "idempotency_conflict"])
        const command = yield* Effect.promise(() => agent.command("schedule.external.mutate"))
        assert.deepInclude(command.parameters, { definition: body.definition, expected: nightly })
        assert.lengthOf(agent.commands.filter(({ action }) => action === "schedule.external.mutate"), 1)
        agent.sendResult(command, { status: "success", result: { sequence: 2, source_key: "dcb:1" } })
        yield* publisher.publish([{ ...nightly, args: body.definition.args }])
        const done = yield* until(
          call("GET", `/native-operations/${begun.json.id}`),
          ({ json }) => json.status === "succeeded"
        )
        assert.strictEqual(done.json.schedule_id, schedule.id)
      }))

    it.scoped("a schedule that was created has its id in the operation", () =>
      Effect.gen(function*() {
        const { agent, call, change, publisher } = yield* preparePublisher()
        const definition = { name: "hourly", task_name: "shop.report", kind: "interval", expression: "3600" }
        const taken = yield* change({
          operation: "create",
          schedule_id: null,
          definition: { ...definition, name: "nightly" }
        })
        assert.deepStrictEqual([taken.status, taken.json.code], [409, "schedule_name_taken"])
        const begun = yield* change({ operation: "create", schedule_id: null, definition })
        assert.deepInclude(begun.json, { operation: "create", schedule_id: null, status: "pending" })
        assert.strictEqual((yield* call("GET", `/external-control-operations/${begun.json.id}`)).status, 404)
        const command = yield* Effect.promise(() => agent.command("schedule.external.mutate"))
        assert.deepInclude(command.parameters, { expected: null, schedule_id: null, definition })
        agent.sendResult(command, { status: "success", result: { sequence: 2, source_key: "dcb:2" } })
        yield* publisher.publish([nightly, row({ source_key: "dcb:2", name: "hourly" })])
        const done = yield* until(
          call("GET", `/native-operations/${begun.json.id}`),
          ({ json }) => json.status === "succeeded"
        )
        assert.strictEqual((yield* call("GET", `/${done.json.schedule_id}`)).json.name, "hourly")
      }))

    it.scoped("an unknown outcome is decided by a snapshot that the brain requests", () =>
      Effect.gen(function*() {
        const { agent, call, publisher, reaches, schedule } = yield* preparePublisher()
        const begun = yield* call("DELETE", `/${schedule.id}`)
        assert.strictEqual(begun.status, 202, begun.text)
        const command = yield* Effect.promise(() => agent.command("schedule.external.mutate"))
        agent.sendResult(command, { status: "failed", error: "It took too long.", result: { indeterminate: true } })
        assert.deepInclude(yield* reaches(begun.json.id, "indeterminate"), { error: "It took too long." })
        const resync = yield* Effect.promise(() => agent.command("schedule.resync"))
        agent.sendResult(resync, { status: "success", result: { schedulers_drained: 1 } })
        yield* publisher.publish([nightly])
        assert.deepInclude(yield* reaches(begun.json.id, "failed"), {
          error: "It took too long. A later snapshot shows that it was not done."
        })

        const again = yield* call("DELETE", `/${schedule.id}`)
        const second = yield* Effect.promise(async () => {
          const deletions = () => agent.commands.filter(({ action }) => action === "schedule.external.mutate")
          await agent.when(() => deletions().length === 2)
          return deletions()[1]
        })
        assert.isDefined(second)
        agent.sendResult(second, { status: "failed", error: "It took too long.", result: { indeterminate: true } })
        yield* reaches(again.json.id, "indeterminate")
        yield* Effect.promise(() =>
          agent.when(() => agent.commands.filter(({ action }) => action === "schedule.resync").length === 2)
        )
        yield* publisher.publish([])
        yield* reaches(again.json.id, "succeeded")
        assert.strictEqual((yield* call("GET", `/${schedule.id}`)).status, 404)
      }))

    it.scoped("a definite refusal of the agent is a failure at once", () =>
      Effect.gen(function*() {
        const { agent, call, project, reaches, schedule } = yield* preparePublisher([
          "list",
          "trigger_now",
          STABLE_SNAPSHOT
        ])
        const begun = yield* call("POST", `/${schedule.id}/trigger`)
        assert.strictEqual(begun.status, 202, begun.text)
        const command = yield* Effect.promise(() => agent.command("schedule.trigger_now"))
        assert.deepStrictEqual(command.parameters, {
          scheduler: "celery-beat",
          schedule_id: "dcb:1",
          fire_id: begun.json.id
        })
        agent.sendResult(command, { status: "failed", error: "no such schedule" })
        assert.deepInclude(yield* reaches(begun.json.id, "failed"), { error: "no such schedule" })
        assert.deepStrictEqual((yield* actionsOf(project.id)).map(({ action }) => action), ["schedule.trigger_now"])
        assert.strictEqual((yield* call("GET", `/${schedule.id}`)).json.control_token, schedule.control_token)
      }))

    it.scoped("what the scheduler cannot do, or no agent can do now, is refused at once", () =>
      Effect.gen(function*() {
        const { agent, call, change, schedule } = yield* preparePublisher(["list", "trigger_now", STABLE_SNAPSHOT])
        const refused = yield* call("POST", `/${schedule.id}/disable`)
        assert.deepStrictEqual([refused.status, refused.json.code], [409, "schedule_operation_unsupported"])
        assert.include(refused.json.detail, "celery-beat cannot disable its schedules from here. It can: trigger.")
        assert.strictEqual((yield* change({})).json.code, "schedule_operation_unsupported")
        const paused = yield* call("POST", `/${schedule.id}/pause`)
        assert.deepStrictEqual([paused.status, paused.json.code], [409, "schedule_externally_owned"])
        assert.strictEqual(
          (yield* call("PATCH", `/${schedule.id}`, { queue: "q" })).json.code,
          "schedule_externally_owned"
        )
        const live = yield* call("GET", "/native-capabilities")
        assert.deepInclude(live.json.schedulers[0], {
          scheduler: "celery-beat",
          is_live: true,
          operations: ["trigger"]
        })
        assert.deepInclude(live.json.schedulers[0].publishers[0], {
          agent_name: "beat",
          status: "live",
          schedule_count: 1
        })

        yield* Effect.promise(() => agent.close())
        yield* until(call("GET", "/native-capabilities"), ({ json }) => json.schedulers[0].is_live === false)
        const offline = yield* call("POST", `/${schedule.id}/trigger`)
        assert.deepStrictEqual([offline.status, offline.json.code], [409, "schedule_publisher_offline"])
      }))

    it.scoped("an operation is refused once the publisher's connection has ended, and one just before it ends at once", () =>
      Effect.gen(function*() {
        const { agent, call, reaches, schedule } = yield* preparePublisher()
        yield* Effect.promise(() => agent.terminate())
        const begun: Array<string> = []
        yield* until(call("POST", `/${schedule.id}/disable`), ({ json, status }) => {
          if (status === 202) begun.push(json.id)
          return json.code === "schedule_publisher_offline"
        })
        for (const id of begun) {
          assert.include((yield* reaches(id, "failed")).error, "has disconnected")
        }
      }))

    it.scoped("a scheduler without mutations takes a control of the whole row", () =>
      Effect.gen(function*() {
        const { agent, call, publisher, reaches, schedule } = yield* preparePublisher([
          "enable",
          "disable",
          STABLE_SNAPSHOT
        ])
        const begun = yield* call("POST", `/${schedule.id}/disable`)
        const command = yield* Effect.promise(() => agent.command("schedule.external.control"))
        assert.lengthOf(Object.keys(command.parameters), 15)
        assert.deepInclude(command.parameters, {
          operation_id: begun.json.id,
          z4j_schedule_id: schedule.id,
          expected_accepted_sequence: 1,
          desired_projection: { ...nightly, is_enabled: false }
        })
        agent.sendResult(command, { status: "success", result: { sequence: 2, projection_buffered: true } })
        yield* publisher.update([{ ...nightly, is_enabled: false }], { operation_id: begun.json.id })
        yield* reaches(begun.json.id, "succeeded")
        assert.strictEqual((yield* call("GET", `/${schedule.id}`)).json.is_enabled, false)
      }))

    it.scoped("fields that do not go together are named", () =>
      Effect.gen(function*() {
        const { change, schedule } = yield* preparePublisher()
        const paths = (fields: object) =>
          Effect.map(change(fields), ({ json, status, text }) => {
            assert.strictEqual(status, 422, text)
            return json.details.issues.map(({ path }: { readonly path: string }) => path)
          })
        assert.deepStrictEqual(yield* paths({ schedule_id: null }), ["schedule_id"])
        assert.deepStrictEqual(yield* paths({ definition: {} }), ["definition"])
        assert.deepStrictEqual(yield* paths({ definition: { kwargs: { token: "[REDACTED]" } } }), ["definition"])
        assert.deepStrictEqual(yield* paths({ operation: "delete" }), ["definition"])
        assert.deepStrictEqual(yield* paths({ scheduler: "apscheduler" }), ["scheduler"])
        assert.deepStrictEqual(yield* paths({ operation: "create", schedule_id: null }), [
          "definition.name",
          "definition.task_name",
          "definition.kind"
        ])
        assert.deepStrictEqual(yield* paths({ operation: "create", schedule_id: schedule.id, definition: {} }), [
          "definition.name",
          "definition.task_name",
          "definition.kind",
          "definition.expression",
          "schedule_id"
        ])
        assert.strictEqual((yield* change({ operation: "enable" })).status, 422)
      }))
  })
})
