import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { type Command, frameOverheadBytes, maxFrameBytes } from "../../domain/commands/Command.ts"
import type { Actor } from "../../domain/kernel/Actor.ts"
import { canonicalize } from "../../domain/kernel/CanonicalJson.ts"
import { ValidationFailed } from "../../domain/kernel/Errors.ts"
import { CommandId, type ProjectId } from "../../domain/kernel/Id.ts"
import { REDACTED } from "../../domain/kernel/Redaction/Texts.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { auditEntry } from "../audit/Row.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { runAfterCommit } from "../kernel/sql/AfterCommit.ts"
import { makeCommandAdmission, pendingState } from "./Admission.ts"
import { CommandDispatch } from "./Dispatch.ts"
import { encodeTarget } from "./EncodeCommand.ts"
import { observeCommandEnd } from "./EndMetrics.ts"
import type { InitialState, Intent } from "./Model.ts"
import { type IdempotencyKey, makeRepetitions } from "./Repetitions.ts"
import { addFacts, CommandsRepo } from "./Repo.ts"
import { type CommandInsert, makeCommandWriter } from "./Writer.ts"

/** A command to be issued, with its id. */
export interface IssuedIntent {
  readonly id: CommandId
  readonly project_id: ProjectId
  readonly intent: Intent
}

interface InsertOptions extends IssuedIntent {
  readonly actor: Actor
  readonly initialState: InitialState
  readonly issued_at: Timestamp.Timestamp
}

/** The row of a command, without encrypted parameters and idempotency key, and its audit rows. */
const makeInsert = ({ actor, id, initialState, intent, issued_at, project_id }: InsertOptions): CommandInsert => {
  const { action, agent_id, cause, engine, metadata, parameters, sealed = {}, target_id, target_type } = intent
  const { worker_before = null } = intent
  const isPending = initialState.status === "pending"
  const masks = Object.fromEntries(Object.keys(sealed).map((name) => [name, REDACTED]))
  return {
    actor,
    command: {
      id,
      project_id,
      agent_id,
      issued_by: actor.kind === "person" ? actor.user_id : null,
      action,
      engine,
      target_type,
      target_id,
      payload: canonicalize({ ...parameters, ...masks }),
      sealed_payload: null,
      idempotency_key: null,
      request_hash: null,
      bound_session_id: intent.bound_session_id ?? null,
      bulk_job_id: intent.bulk_job_id ?? null,
      worker_before: worker_before === null ? null : JSON.stringify(worker_before),
      issued_at,
      timeout_at: Timestamp.addSeconds(issued_at, intent.timeout_seconds),
      completed_at: isPending ? null : issued_at,
      ...initialState
    },
    entries: [
      ...(cause === undefined ? [] : [cause]),
      auditEntry("command.issued", "command", id, {
        project_id,
        metadata: {
          action,
          agent_id,
          engine,
          target_type,
          target_id,
          ...metadata,
          ...(!isPending && { status: initialState.status })
        }
      })
    ]
  }
}

/** What else is written with a command, by its id. */
type IssueWith<E, R> = (id: CommandId) => Effect.Effect<unknown, E, R>

/** Rolls a transaction back: another command has the idempotency key. */
const keyTaken = Symbol("another command has the idempotency key")

/** Issues commands: a row with its audit row, then a wake-up of the replicas that hold the agent's connections. */
export class CommandIssue extends Effect.Service<CommandIssue>()("svc/CommandIssue", {
  scoped: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { findByKey } = yield* makeRepetitions
    const writer = yield* makeCommandWriter
    const dispatch = yield* CommandDispatch
    const vault = yield* Vault
    const { admit } = yield* makeCommandAdmission
    const metrics = yield* Metrics

    const sealParameters = (id: CommandId, { sealed = {} }: Intent) =>
      Object.keys(sealed).length === 0
        ? Effect.succeed(null)
        : vault.seal("commands.sealed_payload", id, canonicalize(sealed))

    const prepare = Effect.fnUntraced(
      function*(id: CommandId, intent: Intent, initialState: InitialState, key: IdempotencyKey | null) {
        const project = yield* CurrentProject
        const actor = yield* CurrentActor
        const issued_at = yield* Timestamp.now
        const isPending = initialState.status === "pending"
        const sealed_payload = isPending ? yield* sealParameters(id, intent) : null
        // encrypted, since a plain hash would allow a search for the secrets in the request's arguments
        const request_hash = key === null ? null : yield* vault.seal("commands.request_hash", id, key.requestHash)
        const plain = makeInsert({ actor, id, initialState, intent, issued_at, project_id: project.id })
        const command = { ...plain.command, sealed_payload, idempotency_key: key?.key ?? null, request_hash }
        return { ...plain, command } satisfies CommandInsert
      }
    )

    /** Inserts row, audit row and what `within` writes, all or nothing; none when another command has the key. */
    const insertTogether = <E, R>(id: CommandId, command: CommandInsert, within: IssueWith<E, R>) =>
      Effect.gen(function*() {
        yield* within(id)
        const [row] = yield* writer.insertAll([command])
        return row ?? (yield* Effect.fail(keyTaken))
      }).pipe(
        sql.withTransaction,
        Effect.asSome,
        Effect.catchIf((error): error is typeof keyTaken => error === keyTaken, () => Effect.succeedNone)
      )

    /**
     * Issues commands in the caller's transaction, and wakes their agents at its commit. The caller has chosen agents
     * that take the commands. Call it last in the transaction: it writes the audit log.
     */
    const issueAll = Effect.fnUntraced(function*(issues: ReadonlyArray<IssuedIntent>) {
      const actor = yield* CurrentActor
      const issued_at = yield* Timestamp.now
      yield* writer.insertAll(
        issues.map((issued) => makeInsert({ ...issued, actor, initialState: pendingState, issued_at }))
      )
      for (const agentId of new Set(issues.map(({ intent }) => intent.agent_id))) {
        yield* runAfterCommit(dispatch.notify(agentId))
      }
    })

    /**
     * Issues one command with encrypted parameters in the caller's transaction; else as `issueAll`. Fails where its
     * frame would exceed what agents accept.
     */
    const issueWithin = Effect.fnUntraced(function*({ id, intent, project_id }: IssuedIntent) {
      yield* checkSize(intent)
      const actor = yield* CurrentActor
      const issued_at = yield* Timestamp.now
      const plain = makeInsert({ id, intent, project_id, actor, initialState: pendingState, issued_at })
      const command = { ...plain.command, sealed_payload: yield* sealParameters(id, intent) }
      yield* writer.insertAll([{ ...plain, command }])
      yield* runAfterCommit(dispatch.notify(intent.agent_id))
    })

    /** Refuses a command whose frame would exceed what agents accept; without the check it would be lost later. */
    const checkSize = (intent: Intent) => {
      const parameters = canonicalize({ ...intent.parameters, ...intent.sealed })
      const bytes = Buffer.byteLength(parameters) + Buffer.byteLength(encodeTarget(intent)) + frameOverheadBytes
      return bytes <= maxFrameBytes
        ? Effect.void
        : ValidationFailed.at(
          "",
          `the command would have ${bytes} bytes, and agents accept at most ${maxFrameBytes}${
            intent.action === "bulk_retry"
              ? "; send fewer ids, or create a bulk-retry request, which is split into commands that fit"
              : ""
          }`
        )
    }

    /**
     * Issues a command in the current project. The caller has checked that the agent belongs to it. Returns the other
     * command where another one has the key. `within` writes in the transaction of a command that its agent may
     * execute, by the command's id.
     */
    const issue = Effect.fnUntraced(function*<E = never, R = never>(
      intent: Intent,
      key: IdempotencyKey | null = null,
      within: IssueWith<E, R> | null = null
    ) {
      yield* checkSize(intent)
      const { facts, initialState } = yield* admit(intent)
      const id = yield* Ids.nextOf(CommandId)
      const prepared = yield* prepare(id, intent, initialState, key)
      const inserted = within !== null && initialState.status === "pending"
        ? yield* insertTogether(id, prepared, within)
        : yield* writer.insert(prepared)
      if (Option.isNone(inserted)) {
        const first = key === null ? Option.none<Command>() : yield* findByKey(key)
        return yield* Effect.orDie(first) // the unique index refused the row, so another command has the key
      }
      const row = inserted.value
      if (initialState.status === "pending") yield* dispatch.notify(intent.agent_id)
      else observeCommandEnd(metrics, row, row.issued_at)
      return addFacts(row, facts)
    })

    return { issue, issueAll, issueWithin } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AgentProcessesRepo.layer,
      AgentsRepo.layer,
      CommandDispatch.layer,
      CommandsRepo.layer
    ])
  )
}
