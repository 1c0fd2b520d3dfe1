import { assert, describe, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { makePurgeToken } from "../../../src/domain/commands/PurgeToken.ts"
import { type CommandId } from "../../../src/domain/kernel/Id.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { Retention } from "../../../src/services/operations/Retention.ts"
import { freshKey, request } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"
import { brainWithLine, Line } from "./line.ts"
import { world } from "./world.ts"

describe.each(engines)("the journey of a command on %s", (engine) => {
  layer(brainWithLine(engine), { excludeTestServices: true })((it) => {
    it.effect("pending, dispatched to a process, acknowledged, completed; large integers and floats keep their digits", () =>
      Effect.gen(function*() {
        const { ack, agent_id, awaitFrames, get, project, sendResult, sql } = yield* world
        const { connect } = yield* Line
        const { token } = yield* freshKey({ roles: { [project.id]: "operator" } })
        const process = yield* connect({ agentId: agent_id, projectId: project.id })
        const { json } = yield* request("POST", `/projects/${project.slug}/commands/retry-task`, {
          token,
          raw:
            `{"agent_id":"${agent_id}","engine":"celery","task_id":"t","override_args":[12345678901234567890, 1.0, 1e-7],` +
            `"override_kwargs":{"b":{"z":1.50,"a":-0.0}},"eta_seconds":5}`
        })
        yield* awaitFrames(process, 1)
        assert.deepStrictEqual(process.frames[0], {
          id: json.id,
          action: "retry_task",
          target: `{"engine":"celery","id":"t","type":"task"}`,
          parameters:
            `{"eta_seconds":5,"override_args":[12345678901234567890,1.0,1e-07],"override_kwargs":{"b":{"a":-0.0,"z":1.5}},"task_id":"t"}`,
          timeout_seconds: 60,
          issued_by: json.issued_by
        })
        const dispatched = yield* get(json.id)
        assert.strictEqual(dispatched.status, "dispatched")
        assert.isNotNull(dispatched.dispatched_at)
        yield* ack(process, json.id)
        yield* sendResult(process, json.id, { result: `{"n":12345678901234567890,"f":1.0,"api_token":"x9"}` })
        const { text } = yield* request("GET", `/projects/${project.slug}/commands/${json.id}`, { token })
        assert.include(text, `"status":"completed"`)
        assert.include(text, `"result":{"api_token":"[REDACTED]","f":1.0,"n":12345678901234567890}`)
        const [row] =
          yield* sql`SELECT sealed_payload, worker_id, session_id, acked_at FROM commands WHERE id = ${json.id}`
        assert.deepInclude(row, {
          sealed_payload: null,
          worker_id: process.session.workerId,
          session_id: process.session.sessionId
        })
        assert.isNotNull(row?.acked_at)
      }))

    it.effect("a failure keeps the agent's words, with secrets masked and NUL replaced", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, get, project, restart, sendResult } = yield* world
        const process = yield* (yield* Line).connect({ agentId: agent_id, projectId: project.id })
        const { id } = yield* restart()
        yield* awaitFrames(process, 1)
        yield* sendResult(process, id, { status: "failed", result: null, error: "no\0 amqp://u:secret@host" })
        const command = yield* get(id)
        assert.deepInclude(command, { status: "failed", result: null })
        assert.include(command.error, "no\ufffd")
        assert.notInclude(command.error, "secret")
      }))

    it.effect("the purge token is made with the agent's own secret", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, commands, hmac_secret, inProject, project } = yield* world
        const process = yield* (yield* Line).connect({ agentId: agent_id, projectId: project.id })
        const purge = {
          agent_id,
          engine: null,
          queue: "q",
          confirm_token: null,
          observed_depth: 7,
          force: false,
          idempotency_key: null
        }
        yield* inProject(commands.purgeQueue(purge))
        yield* inProject(commands.purgeQueue({ ...purge, observed_depth: null, confirm_token: "given", force: true }))
        yield* awaitFrames(process, 2)
        const token = makePurgeToken(Buffer.from(hmac_secret, "base64url"), "q", 7)
        assert.deepStrictEqual(process.frames.map(({ parameters }) => JSON.parse(parameters)), [
          { confirm_token: token, queue: "q" },
          { confirm_token: "given", force: true, queue: "q" }
        ])
      }))

    it.effect("an agent that is away gets its commands when it comes, oldest first", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, cancelTask, get, project } = yield* world
        const ids: Array<CommandId> = []
        for (let index = 0; index < 3; index++) ids.push((yield* cancelTask(`t${index}`)).id)
        assert.strictEqual((yield* get(ids[0]!)).status, "pending")
        const process = yield* (yield* Line).connect({ agentId: agent_id, projectId: project.id })
        yield* awaitFrames(process, 3)
        assert.deepStrictEqual(process.frames.map(({ id }) => id), ids.toSorted())
      }))

    it.effect("a process that serves the engine refuses an action itself; the wrong engine gets nothing", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, cancelTask, commands, get, inProject, project } = yield* world
        const process = yield* (yield* Line).connect({
          agentId: agent_id,
          projectId: project.id,
          capabilities: { celery: ["cancel_task"] }
        })
        const other = yield* cancelTask("t", "rq")
        yield* inProject(
          commands.poolResize({ agent_id, engine: null, worker_name: "w", delta: -2, idempotency_key: null })
        )
        yield* awaitFrames(process, 1)
        assert.deepInclude(process.frames[0], { action: "pool_shrink", parameters: `{"delta":2,"worker_name":"w"}` })
        assert.strictEqual((yield* get(other.id)).status, "pending")
        const rq = yield* (yield* Line).connect({
          agentId: agent_id,
          projectId: project.id,
          engines: ["rq"],
          capabilities: { rq: ["cancel_task"] }
        })
        yield* awaitFrames(rq, 1)
        assert.strictEqual(rq.frames[0]?.id, other.id)
      }))

    it.effect("the process comes back: it gets what it had not finished again, with the same id; no other process does", () =>
      Effect.gen(function*() {
        const { ack, agent_id, awaitFrames, get, project, restart, sendResult, sql } = yield* world
        const { connect } = yield* Line
        const first = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1" })
        const { id } = yield* restart()
        yield* awaitFrames(first, 1)
        yield* ack(first, id)
        const done = yield* restart("w2")
        yield* awaitFrames(first, 2)
        yield* sendResult(first, done.id)
        yield* first.disconnect
        const stranger = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-2" })
        const marker = yield* restart("w3")
        yield* awaitFrames(stranger, 1)
        const again = yield* connect({ agentId: agent_id, projectId: project.id, workerId: "w-1", role: "web" })
        yield* awaitFrames(again, 1)
        assert.deepStrictEqual(again.frames, first.frames.slice(0, 1))
        assert.deepStrictEqual(stranger.frames.map((frame) => frame.id), [marker.id])
        const [row] = yield* sql`SELECT session_id FROM commands WHERE id = ${id}`
        assert.deepStrictEqual(row, { session_id: again.session.sessionId })
        yield* sendResult(again, id)
        assert.strictEqual((yield* get(id)).status, "completed")
      }))

    it.effect("a process without an id of its own is never sent anything twice", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, get, project, restart } = yield* world
        const { connect } = yield* Line
        const poll = { agentId: agent_id, projectId: project.id, workerId: agent_id, engines: [], capabilities: {} }
        const first = yield* connect(poll)
        const { id } = yield* restart()
        yield* awaitFrames(first, 1)
        yield* first.disconnect
        const second = yield* connect(poll)
        yield* restart()
        yield* awaitFrames(second, 1)
        assert.notStrictEqual(second.frames[0]?.id, id)
        assert.strictEqual((yield* get(id)).status, "dispatched")
      }))

    it.effect("what could not be written at all is handed back, and another process gets it", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, get, project, restart } = yield* world
        const { connect } = yield* Line
        const full = yield* connect({ agentId: agent_id, projectId: project.id, heartbeat: 2 })
        full.writable = false
        const { id } = yield* restart()
        const other = yield* connect({ agentId: agent_id, projectId: project.id, heartbeat: 1 })
        yield* full.disconnect
        yield* awaitFrames(other, 1)
        assert.strictEqual(other.frames[0]?.id, id)
        assert.strictEqual((yield* get(id)).status, "dispatched")
      }))

    it.effect("what a long-poll did not take is handed back, and another process gets it", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, get, project, restart } = yield* world
        const { connect } = yield* Line
        const first = yield* connect({ agentId: agent_id, projectId: project.id, heartbeat: 2 })
        const { id } = yield* restart()
        yield* awaitFrames(first, 1)
        yield* first.disconnect
        first.drop()
        const other = yield* connect({ agentId: agent_id, projectId: project.id, heartbeat: 1 })
        yield* awaitFrames(other, 1)
        assert.strictEqual(other.frames[0]?.id, id)
        assert.strictEqual((yield* get(id)).status, "dispatched")
      }))

    it.effect("a full outbox is tried again", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, project, restart } = yield* world
        const process = yield* (yield* Line).connect({ agentId: agent_id, projectId: project.id })
        process.writable = false
        const { id } = yield* restart()
        yield* until(Effect.sync(() => process.attempts), (attempts) => attempts > 2)
        process.writable = true
        yield* awaitFrames(process, 1)
        assert.deepStrictEqual(process.frames.map((frame) => frame.id), [id])
      }))

    it.effect("results count from the agent that was sent the command, and once", () =>
      Effect.gen(function*() {
        const { ack, agent_id, awaitFrames, get, inbox, project, restart, sendResult } = yield* world
        const other = yield* world
        const { connect } = yield* Line
        const process = yield* connect({ agentId: agent_id, projectId: project.id })
        const otherAgent = yield* connect({ agentId: other.agent_id, projectId: other.project.id })
        const adopter = yield* connect({ agentId: agent_id, projectId: project.id, role: "web" })
        const { id } = yield* restart()
        yield* awaitFrames(process, 1)
        yield* sendResult(otherAgent, id, { status: "failed" })
        yield* ack(otherAgent, id)
        yield* sendResult(process, yield* Ids.next)
        yield* sendResult(process, "no uuid")
        assert.strictEqual((yield* get(id)).status, "dispatched")
        // a later process of the deployment sends on what a dead one left in its buffer
        yield* sendResult(adopter, id, { result: `{"a":1}` })
        yield* sendResult(process, id, { status: "failed", result: null, error: "again" })
        assert.deepInclude(yield* get(id), { status: "completed", result: `{"a":1}`, error: null })
        const later = yield* other.restart("w", "rq")
        yield* inbox.offerResult({
          agentId: other.agent_id,
          sessionId: otherAgent.session.sessionId,
          workerId: otherAgent.session.workerId,
          commandId: later.id,
          status: "success",
          result: null,
          error: null,
          onCommit: () => {}
        })
        yield* inbox.awaitCommitted
        assert.strictEqual((yield* get(id)).status, "completed")
        assert.strictEqual((yield* other.get(later.id)).status, "pending")
      }))

    it.effect("cancel and dispatch: the first one wins, and what was cancelled is never sent", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, cancelTask, commands, inProject, project } = yield* world
        const { connect } = yield* Line
        const cancel = (id: CommandId) =>
          Effect.option(inProject(Effect.either(commands.cancel(id)))).pipe(
            Effect.map((either) => Option.isSome(either) && either.value._tag === "Right")
          )
        const before = yield* cancelTask("before")
        assert.isTrue(yield* cancel(before.id))
        const process = yield* connect({ agentId: agent_id, projectId: project.id })
        const after = yield* cancelTask("after")
        yield* awaitFrames(process, 1)
        assert.isFalse(yield* cancel(after.id))
        const raced = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, index) => index),
          (index) =>
            Effect.flatMap(cancelTask(`t${index}`), ({ id }) => Effect.map(cancel(id), (won) => ({ id, won }))),
          { concurrency: 8 }
        )
        yield* awaitFrames(process, 1 + raced.filter(({ won }) => !won).length)
        const frames = process.frames.map(({ id }) => id)
        assert.deepStrictEqual(
          frames.toSorted(),
          [after.id, ...raced.filter(({ won }) => !won).map(({ id }) => id)].toSorted()
        )
      }))

    it.effect("a thousand commands reach two processes once each", () =>
      Effect.gen(function*() {
        const { agent_id, cancelTask, commands, inProject, project } = yield* world
        const { connect } = yield* Line
        const ids = yield* Effect.forEach(Array.from({ length: 1000 }, (_, index) => index), (index) =>
          Effect.map(cancelTask(`t${index}`), ({ id }) => id), { concurrency: 8 })
        const one = yield* connect({ agentId: agent_id, projectId: project.id })
        const two = yield* connect({ agentId: agent_id, projectId: project.id, heartbeat: 5 })
        yield* until(
          Effect.sync(() =>
            one.frames.length + two.frames.length
          ),
          (sum) => sum >= 1000
        )
        assert.deepStrictEqual([...one.frames, ...two.frames].map(({ id }) => id).toSorted(), ids.toSorted())
        const { items } = yield* inProject(
          commands.list({ status: "pending", task: null, idPart: null, cursor: null, limit: null })
        )
        assert.deepStrictEqual(items, [])
      }))

    it.effect("what ended long ago is deleted", () =>
      Effect.gen(function*() {
        const { commands, get, inProject, project, restart, sql } = yield* world
        const retention = yield* Retention
        const old = yield* restart()
        const young = yield* restart()
        const open = yield* restart()
        for (const { id } of [old, young]) yield* inProject(commands.cancel(id))
        yield* sql`UPDATE commands SET completed_at = '2001-01-01T00:00:00.000000Z' WHERE id = ${old.id}`
        const link = { project_id: project.id, engine: "celery", task_id: "t" }
        // one more than a slice
        const longAgo = Array.from(
          { length: 501 },
          (_, n) => ({ ...link, new_task_id: `old ${n}`, command_id: Ids.minIdAt(Date.UTC(2001, 0, 1) + n) })
        )
        yield* sql`INSERT INTO task_retries ${
          sql.insert([...longAgo, { ...link, new_task_id: "young", command_id: young.id }])
        }`
        yield* retention.sweep()
        assert.deepStrictEqual(yield* sql`SELECT new_task_id FROM task_retries WHERE project_id = ${project.id}`, [{
          new_task_id: "young"
        }])
        assert.deepStrictEqual((yield* sql`SELECT id FROM commands WHERE id = ${old.id}`).length, 0)
        assert.strictEqual((yield* get(young.id)).status, "cancelled")
        assert.strictEqual((yield* get(open.id)).status, "pending")
      }))
  })

  layer(brainWithLine(engine, { commandTimeout: 1, bulkCommandTimeout: 2 }), { excludeTestServices: true })((it) => {
    it.effect("a command that no process takes waits until its time runs out, and is not sent afterwards", () =>
      Effect.gen(function*() {
        const { agent_id, awaitFrames, commands, inProject, project, reaches, restart, sql } = yield* world
        const { connect } = yield* Line
        const { id } = yield* restart()
        const ended = yield* reaches(id, "timeout")
        assert.match(ended.error ?? "", /^Never sent/)
        assert.isNotNull(ended.completed_at)
        const process = yield* connect({ agentId: agent_id, projectId: project.id })
        yield* restart("marker")
        yield* awaitFrames(process, 1)
        assert.strictEqual(process.frames.length, 1)
        assert.strictEqual(process.frames[0]?.timeout_seconds, 1)
        assert.notStrictEqual(process.frames[0]?.id, id)
        yield* sql`UPDATE agents SET engine_adapters = '["celery"]' WHERE id = ${agent_id}`
        assert.isTrue(
          (yield* inProject(commands.list({ status: "timeout", task: null, idPart: null, cursor: null, limit: null })))
            .items.some((
              item
            ) => item.id === id)
        )
      }))

    it.effect("no result: the outcome is unknown and the error says so; a late result is still taken, and audited", () =>
      Effect.gen(function*() {
        const { ack, agent_id, awaitFrames, commands, get, inProject, project, reaches, restart, sendResult, sql } =
          yield* world
        const process = yield* (yield* Line).connect({ agentId: agent_id, projectId: project.id })
        const silent = yield* restart()
        const slow = yield* restart("w2")
        yield* awaitFrames(process, 2)
        yield* ack(process, slow.id)
        assert.match((yield* reaches(silent.id, "timeout")).error ?? "", /did not confirm .* unknown/)
        const unknown = yield* reaches(slow.id, "timeout")
        assert.match(unknown.error ?? "", /confirmed it, but sent no result .* unknown/)
        yield* sendResult(process, slow.id, { result: `{"late":true}` })
        yield* sendResult(process, silent.id, { status: "failed", result: null, error: "no" })
        assert.deepInclude(yield* get(slow.id), { status: "completed", result: `{"late":true}`, error: null })
        assert.deepInclude(yield* get(silent.id), { status: "failed", error: "no" })
        const late = yield* sql<{ target_id: string; metadata: string }>`
          SELECT target_id, metadata FROM audit_log WHERE project_id = ${project.id} AND action = 'command.answered_late' ORDER BY seq`
        assert.deepStrictEqual(late.map(({ target_id }) => target_id), [slow.id, silent.id])
        assert.deepInclude(JSON.parse(late[0]?.metadata ?? "{}"), { action: "restart_worker", status: "completed" })
        const tooLate = yield* Effect.either(commands.cancel(slow.id)).pipe(inProject)
        assert.strictEqual(tooLate._tag, "Left")
      }))

    it.effect("the sealed arguments are wiped when the time runs out", () =>
      Effect.gen(function*() {
        const { agent_id, project, reaches, sql } = yield* world
        const { token } = yield* freshKey({ roles: { [project.id]: "operator" } })
        const { json } = yield* request("POST", `/projects/${project.slug}/commands/retry-task`, {
          token,
          body: { agent_id, engine: "celery", task_id: "t", override_args: [1], override_kwargs: {} }
        })
        yield* reaches(json.id, "timeout")
        assert.deepStrictEqual((yield* sql`SELECT sealed_payload FROM commands WHERE id = ${json.id}`)[0], {
          sealed_payload: null
        })
      }))
  })
})
