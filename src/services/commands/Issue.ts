import { Effect, Layer, Option } from "effect"
import { hash } from "node:crypto"
import { type Command, type CommandStatus, frameOverheadBytes, maxFrameBytes } from "../../domain/commands/Command.ts"
import { writeNote } from "../../domain/commands/Command/Note.ts"
import { repeatedRetrySeconds, type RetryTask } from "../../domain/commands/Command/Requests.ts"
import type { Actor } from "../../domain/kernel/Actor.ts"
import { canonicalize, type JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import { Conflict, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { CommandId, type ProjectId } from "../../domain/kernel/Id.ts"
import { idempotencyRetentionSeconds } from "../../domain/kernel/Idempotency.ts"
import { REDACTED } from "../../domain/kernel/Redaction/Texts.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { AgentsRepo } from "../agents/Repo.ts"
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
import { CommandsRepo } from "./Repo.ts"
import { type CommandInsert, makeCommandWriter } from "./Writer.ts"

const idempotencyConflict = new Conflict({
  code: "idempotency_conflict",
  detail: "This idempotency_key was used with another body. Use a new key for a new request."
})

/** A retry that ended in another way may be asked for again at once. */
const mayHaveRetried: ReadonlySet<CommandStatus> = new Set(["pending", "dispatched", "completed"])

/** A key in its scope, and the hash of its request. */
interface IdempotencyKey {
  readonly key: string
  readonly requestHash: string
}

// a request is JSON by its schema, and its overrides are CanonicalText
const hashRequest = (body: object): string => hash("sha256", canonicalize(body as JsonInput), "hex")

const actorKey = (actor: Actor): string => (actor.kind === "person" ? actor.user_id : `system ${actor.name}`)

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
  const { act, action, agent_id, engine, metadata, parameters, sealed = {}, target_id, target_type } = intent
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
      ...(act === undefined ? [] : [act]),
      {
        action: "command.issued",
        target_type: "command",
        target_id: id,
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
      }
    ]
  }
}

/** Issues commands: a row with its audit row, then a wake-up of the replicas that hold the agent's connections. */
export class CommandIssue extends Effect.Service<CommandIssue>()("svc/CommandIssue", {
  scoped: Effect.gen(function*() {
    const repo = yield* CommandsRepo
    const writer = yield* makeCommandWriter
    const dispatch = yield* CommandDispatch
    const vault = yield* Vault
    const { admit } = yield* makeCommandAdmission
    const metrics = yield* Metrics

    /** The earlier command of the key, if there is one; fails when its request was different. */
    const findByIdempotencyKey = Effect.fnUntraced(function*({ key, requestHash }: IdempotencyKey) {
      const project = yield* CurrentProject
      const since = Timestamp.addSeconds(yield* Timestamp.now, -idempotencyRetentionSeconds)
      const earlierCommand = yield* repo.findByIdempotencyKey(project.id, key, since)
      if (Option.isNone(earlierCommand)) return Option.none<Command>()
      const { id, request_hash } = earlierCommand.value
      const first = yield* Effect.option(vault.open("commands.request_hash", id, request_hash))
      return Option.contains(first, requestHash) ? yield* repo.findById(project.id, id) : yield* idempotencyConflict
    })

    const sealParameters = (id: CommandId, { sealed = {} }: Intent) =>
      Object.keys(sealed).length === 0
        ? Effect.succeed(null)
        : vault.seal("commands.sealed_payload", id, canonicalize(sealed))

    /** Inserts row and audit row, both or neither; none when another command has the key. */
    const insert = Effect.fnUntraced(
      function*(intent: Intent, initialState: InitialState, idempotency: IdempotencyKey | null) {
        const project = yield* CurrentProject
        const actor = yield* CurrentActor
        const id = yield* Ids.nextOf(CommandId)
        const issued_at = yield* Timestamp.now
        const isPending = initialState.status === "pending"
        const sealed_payload = isPending ? yield* sealParameters(id, intent) : null
        // encrypted, since a plain hash would allow a search for the secrets in the request's arguments
        const request_hash = idempotency === null
          ? null
          : yield* vault.seal("commands.request_hash", id, idempotency.requestHash)
        const plain = makeInsert({ actor, id, initialState, intent, issued_at, project_id: project.id })
        const command = { ...plain.command, sealed_payload, idempotency_key: idempotency?.key ?? null, request_hash }
        return yield* writer.insert({ ...plain, command })
      }
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

    /** Issues a command in the current project. The caller has checked that the agent belongs to it. */
    const issue = Effect.fnUntraced(function*(intent: Intent, idempotency: IdempotencyKey | null = null) {
      yield* checkSize(intent)
      const { initialState: beginning, facts } = yield* admit(intent)
      const inserted = yield* insert(intent, beginning, idempotency)
      if (Option.isSome(inserted)) {
        const row = inserted.value
        if (beginning.status === "pending") yield* dispatch.notify(intent.agent_id)
        else observeCommandEnd(metrics, row, row.issued_at)
        return { ...row, note: writeNote(row, facts) } satisfies Command
      }
      const first = idempotency === null ? Option.none<Command>() : yield* findByIdempotencyKey(idempotency)
      return yield* Effect.orDie(first) // the unique index refused the row, so another command has the key
    })

    /** A request's idempotency key of actor and route, and the command that it issued before. */
    const findEarlier = Effect.fnUntraced(
      function*(route: string, { idempotency_key, ...body }: { readonly idempotency_key: string | null }) {
        if (idempotency_key === null) return { idempotency: null, first: Option.none<Command>() }
        const key = `${actorKey(yield* CurrentActor)}:${route}:${idempotency_key}`
        const idempotency: IdempotencyKey = { key, requestHash: hashRequest(body) }
        return { idempotency, first: yield* findByIdempotencyKey(idempotency) }
      }
    )

    /**
     * Issues a request's command once per idempotency key of actor and route. A repetition of the same request returns
     * the first command as it is now; a different request with the key is refused.
     */
    const issueOnce = <A extends { readonly idempotency_key: string | null }, E, R>(
      route: string,
      request: A,
      intentOf: (request: A) => Effect.Effect<Intent, E, R>
    ) =>
      Effect.gen(function*() {
        const { first, idempotency } = yield* findEarlier(route, request)
        return Option.isSome(first) ? first.value : yield* issue(yield* intentOf(request), idempotency)
      })

    /** The last equal retry of the task that was issued a moment ago. */
    const findRetry = Effect.fnUntraced(function*({ engine, parameters, target_id }: Intent) {
      if (engine === null || target_id === null) return Option.none()
      const project = yield* CurrentProject
      const since = Timestamp.addSeconds(yield* Timestamp.now, -repeatedRetrySeconds)
      const retry = { engine, task_id: target_id, payload: canonicalize({ ...parameters }), since }
      return yield* repo.findRetry(project.id, retry)
    })

    /**
     * The key of a retry without one: of two at the same moment, which both find the same earlier one, the unique index
     * refuses the second.
     */
    const makeRetryKey = (
      { engine, parameters, target_id }: Intent,
      now: Timestamp.Timestamp,
      failed: CommandId | undefined
    ): IdempotencyKey => {
      const slot = Math.floor(Timestamp.toEpochSeconds(now) / repeatedRetrySeconds)
      const requestHash = hashRequest({ engine, parameters, target_id, failed: failed ?? null })
      return { key: `retry:${slot}:${requestHash}`, requestHash }
    }

    /**
     * Issues a retry like `issueOnce`. One that equals another of the last seconds returns that command, unless `force`:
     * a button was pressed twice. One with other arguments is meant, since a person wrote them.
     */
    const issueRetry = <E, R>(
      route: string,
      request: RetryTask,
      intentOf: (request: RetryTask) => Effect.Effect<Intent, E, R>
    ) =>
      Effect.gen(function*() {
        const { force, ...rest } = request
        const { first, idempotency } = yield* findEarlier(route, rest)
        if (Option.isSome(first)) return first.value
        const intent = yield* intentOf(request)
        if (force === true || Object.keys(intent.sealed ?? {}).length > 0) return yield* issue(intent, idempotency)
        const equal = Option.getOrUndefined(yield* findRetry(intent))
        if (equal !== undefined && mayHaveRetried.has(equal.status)) {
          const { id } = yield* CurrentProject
          const first = yield* repo.findById(id, equal.id)
          if (Option.isSome(first)) return first.value
        }
        return yield* issue(intent, idempotency ?? makeRetryKey(intent, yield* Timestamp.now, equal?.id))
      })

    return { issue, issueAll, issueWithin, issueOnce, issueRetry } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([AgentProcessesRepo.layer, AgentsRepo.layer, CommandDispatch.layer, CommandsRepo.layer])
  )
}
