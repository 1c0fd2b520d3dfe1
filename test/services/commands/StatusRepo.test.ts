import { SqlClient, type SqlError } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { canFollow, type CommandStatus, commandStatuses } from "../../../src/domain/commands/Command.ts"
import { AgentId, CommandId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { NewCommand } from "../../../src/services/commands/Model.ts"
import { CommandsRepo } from "../../../src/services/commands/Repo.ts"
import { CommandStatusRepo } from "../../../src/services/commands/StatusRepo.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { brainOn, freshProject } from "../../brain.ts"
import { engines } from "../../databases.ts"

const repos = Layer.merge(CommandsRepo.layer, CommandStatusRepo.layer)

/** A row that was brought into the status without the repository, and how to read it. */
const insertCommand = Effect.fnUntraced(function*(status: CommandStatus) {
  const sql = yield* SqlClient.SqlClient
  const project = yield* freshProject()
  const id = yield* Ids.nextOf(CommandId)
  const agent_id = yield* Ids.nextOf(AgentId)
  const session_id = yield* Ids.next
  const now = yield* Timestamp.now
  const command: NewCommand = {
    id,
    project_id: project.id,
    agent_id,
    issued_by: null,
    action: "retry_task",
    engine: "celery",
    target_type: "task",
    target_id: "t",
    payload: "{}",
    sealed_payload: "sealed",
    idempotency_key: null,
    request_hash: null,
    bound_session_id: null,
    bulk_job_id: null,
    worker_before: null,
    status: "pending",
    result: null,
    error: null,
    issued_at: now,
    timeout_at: Timestamp.addSeconds(now, 60),
    completed_at: null
  }
  yield* (yield* CommandsRepo).insert([command])
  const claim = { id, agent_id, worker_id: "w1", session_id, claimed_at: now }
  yield* sql`UPDATE commands SET status = ${status}, session_id = ${session_id}, dispatched_at = ${now} WHERE id = ${id}`
  const read = Effect.map(sql`SELECT * FROM commands WHERE id = ${id}`, ([row]) => row)
  return { claim, command, now, read }
})

type Inserted = Effect.Effect.Success<ReturnType<typeof insertCommand>>

const endedAt = (now: Timestamp.Timestamp) => ({ acked_at: now, completed_at: now, created_task_id: null })

/** For each status, what gives it to a command. */
const attempts = (statuses: CommandStatusRepo): Record<
  CommandStatus,
  (inserted: Inserted) => Effect.Effect<unknown, SqlError.SqlError>
> => ({
  pending: ({ claim, now }) => statuses.release([claim], now),
  dispatched: ({ claim, now }) => statuses.claim([claim], now),
  completed: ({ claim: { id }, now }) =>
    statuses.finish([{ id, status: "completed", result: "{}", error: null, ...endedAt(now) }]),
  failed: ({ claim: { id }, now }) =>
    statuses.finish([{ id, status: "failed", result: null, error: "no", ...endedAt(now) }]),
  timeout: ({ command }) => statuses.expire(command.timeout_at, 500),
  cancelled: ({ command }) => statuses.cancelUnfinished({ agent: command.agent_id })
})

describe.each(engines)("the status of a command on %s", (engine) => {
  layer(repos.pipe(Layer.provideMerge(brainOn(engine))), { excludeTestServices: true })((it) => {
    for (const from of commandStatuses) {
      for (const to of commandStatuses) {
        const allowed = canFollow(from, to)
        it.effect(`${from} to ${to} is ${allowed ? "written" : "refused: the row is unchanged"}`, () =>
          Effect.gen(function*() {
            const inserted = yield* insertCommand(from)
            const before = yield* inserted.read
            yield* attempts(yield* CommandStatusRepo)[to](inserted)
            const after = yield* inserted.read
            if (allowed) assert.strictEqual(after?.status, to)
            else assert.deepStrictEqual(after, before)
          }))
      }
    }

    it.effect("a release clears process and session; an end sets its time and deletes the encrypted parameters", () =>
      Effect.gen(function*() {
        const statuses = yield* CommandStatusRepo
        const { claim, command, now, read } = yield* insertCommand("pending")
        assert.deepStrictEqual((yield* statuses.claim([claim], now)).map(({ id }) => id), [claim.id])
        const claimed = { worker_id: "w1", session_id: claim.session_id, dispatched_at: now, completed_at: null }
        assert.deepInclude(yield* read, claimed)
        yield* statuses.release([claim], now)
        const released = { worker_id: null, session_id: null, dispatched_at: null, sealed_payload: "sealed" }
        assert.deepInclude(yield* read, released)
        yield* statuses.cancelUnfinished({ project: command.project_id })
        const ended = yield* read
        assert.deepInclude(ended, { status: "cancelled", error: "The project was deleted.", sealed_payload: null })
        assert.isNotNull(ended?.completed_at)
      }))

    it.effect("only a pending command is cancelled by a person, and only a dispatched one fails as undecryptable", () =>
      Effect.gen(function*() {
        const statuses = yield* CommandStatusRepo
        for (const from of commandStatuses) {
          const cancelled = yield* insertCommand(from)
          yield* statuses.cancelPending(cancelled.command.project_id, cancelled.claim.id, cancelled.now, "no")
          assert.strictEqual((yield* cancelled.read)?.status, from === "pending" ? "cancelled" : from)
          const failed = yield* insertCommand(from)
          yield* statuses.failUndecryptable(failed.claim.id, failed.now)
          assert.strictEqual((yield* failed.read)?.status, from === "dispatched" ? "failed" : from)
        }
      }))
  })
})
