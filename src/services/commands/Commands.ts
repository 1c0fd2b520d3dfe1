import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { type Command, isCommandStatus } from "../../domain/commands/Command.ts"
import type {
  BulkRetry,
  PauseQueue,
  PurgeQueue,
  ResumeQueue,
  RetryTask
} from "../../domain/commands/Command/Requests.ts"
import type { Person } from "../../domain/kernel/Actor.ts"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { CommandId } from "../../domain/kernel/Id.ts"
import { decodeCursor, encodeCursor, type PageOf } from "../../domain/kernel/Page.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { Agents } from "../agents/Agents.ts"
import { makeQueuePauses } from "../agents/Queues/Pauses.ts"
import { QueuesRepo } from "../agents/Queues/Repo.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { WorkersRepo } from "../agents/Workers/Repo.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeQueueSelection, makeTaskSelection } from "../approvalGate/Subject.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { MemberNames } from "../identity/MemberNames.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { tracedFn } from "../kernel/TracedFn.ts"
import { TasksRepo } from "../tasks/Repo.ts"
import { observeCommandEnd } from "./EndMetrics.ts"
import { makeCommandIntents } from "./Intents.ts"
import { CommandIssue } from "./Issue.ts"
import type { Intent } from "./Model.ts"
import { makeRepetitions } from "./Repetitions.ts"
import { CommandsRepo } from "./Repo.ts"
import { CommandStatusRepo } from "./StatusRepo.ts"

const defaultLimit = 100

const notPendingError = ({ status }: Command) =>
  new Conflict({
    code: "command_not_pending",
    detail: `Only a pending command can be cancelled; this one is ${status}.`
  })

/**
 * Commands for agents. Each command is a row that waits for a process of its agent; `docs/commands.md` describes its
 * journey. `Dispatch.ts` says why no command is executed twice. All methods work in the current project and return the command as they leave it.
 */
// one object of short methods: reads, the cancel, and a request each for `Intents.ts` and `Issue.ts`
export class Commands extends Effect.Service<Commands>()("svc/Commands", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* CommandsRepo
    const statuses = yield* CommandStatusRepo
    const intents = yield* makeCommandIntents
    const { findEarlier, findEqualRetry } = yield* makeRepetitions
    const { issue, issueAll, issueWithin } = yield* CommandIssue
    const audit = yield* Audit
    const metrics = yield* Metrics
    const gate = yield* ApprovalGate
    const queues = yield* QueuesRepo
    const pauses = yield* makeQueuePauses
    const memberNames = yield* MemberNames
    const { restMaxPageSize } = yield* Settings

    const get = tracedFn("Commands.get")(function*(id: CommandId) {
      const project = yield* CurrentProject
      return yield* Option.match(yield* repo.findById(project.id, id), {
        onNone: () => new NotFound({ resource: "command" }),
        onSome: Effect.succeed
      })
    }, orDieOnSql)

    /** Newest first. An unknown status means all (interface, Commands). */
    const list = Effect.fn("Commands.list")(function*(
      query: {
        readonly status: string | null
        /** Only commands that concern it. */
        readonly task: TaskKey | null
        /** The beginning or end of their ids. */
        readonly idPart: string | null
        readonly cursor: string | null
        readonly limit: number | null
      }
    ) {
      const project = yield* CurrentProject
      const after = query.cursor === null ? null : decodeCursor("commands", query.cursor, 1)?.[0] ?? ""
      if (after !== null && !Ids.isUuid(after)) {
        return yield* ValidationFailed.at("cursor", "is not a cursor of this list")
      }
      const limit = Math.min(query.limit ?? defaultLimit, restMaxPageSize)
      const { more, rows } = yield* repo.listPage(
        project.id,
        { status: isCommandStatus(query.status) ? query.status : null, task: query.task, idPart: query.idPart },
        after,
        limit
      )
      const last = rows[rows.length - 1]
      const next_cursor = more && last !== undefined ? encodeCursor("commands", [last.id]) : null
      return { items: rows, next_cursor } satisfies PageOf<Command>
    }, orDieOnSql)

    /** As others in the project see it: who reads the command may not see e-mail addresses. */
    const findName = Effect.fnUntraced(function*({ user_id }: Person) {
      const key = { project_id: (yield* CurrentProject).id, user_id }
      return (yield* memberNames.find([key]))(key)
    })

    const cancelPending = Effect.fnUntraced(function*(id: CommandId) {
      const project = yield* CurrentProject
      const actor = yield* CurrentActor
      const name = actor.kind === "person" ? yield* findName(actor) : actor.name
      const now = yield* Timestamp.now
      const by = name === null ? "" : ` by ${name}`
      const cancelled = yield* statuses.cancelPending(project.id, id, now, `Cancelled${by} before it was sent.`)
      if (Option.isSome(cancelled)) {
        yield* audit.record(auditEntry("command.cancelled", "command", id, {
          project_id: project.id,
          metadata: { action: cancelled.value.action }
        }))
      }
      return cancelled
    }, sql.withTransaction)

    /** Cancels a pending command; fails with Conflict once it is dispatched or ended. */
    const cancel = Effect.fn("Commands.cancel")(function*(id: CommandId) {
      const cancelled = yield* cancelPending(id)
      const command = yield* get(id)
      if (Option.isNone(cancelled)) return yield* notPendingError(command)
      observeCommandEnd(metrics, cancelled.value, yield* Timestamp.now)
      return command
    }, orDieOnSql)

    /**
     * A method for requests, which issues a command once per idempotency key of actor and `route`. A repetition of the
     * same request returns the first command as it is now.
     */
    const makeMethod = <A extends { readonly idempotency_key: string | null }, E, R>(
      route: string,
      intentOf: (request: A) => Effect.Effect<Intent, E, R>
    ) =>
      tracedFn(`Commands.${route}`)(function*(request: A) {
        const { first, key } = yield* findEarlier(route, request)
        return Option.isSome(first) ? first.value : yield* issue(yield* intentOf(request), key)
      }, orDieOnSql)

    /**
     * A retry that equals another of the last seconds returns that command, unless `force`: a button was pressed twice.
     * One with other arguments is meant, since a person wrote them.
     */
    const retryTask = tracedFn("Commands.retry-task")(function*({ force, ...request }: RetryTask) {
      const { first, key } = yield* findEarlier("retry-task", request)
      if (Option.isSome(first)) return first.value
      const intent = yield* intents.retryTask(request)
      if (force === true || Object.keys(intent.sealed).length > 0) return yield* issue(intent, key)
      const equal = yield* findEqualRetry(intent, key)
      return Option.isSome(equal.first) ? equal.first.value : yield* issue(intent, equal.key)
    }, orDieOnSql)

    /** How deep the queue is in each of its engines, as the agents last reported it. */
    const describeDepth = Effect.fnUntraced(function*(queue: string) {
      const { id } = yield* CurrentProject
      const depths = Object.fromEntries(
        (yield* queues.listDepths(id, [queue])).map(({ depth, engine }) => [engine, depth])
      )
      return makeQueueSelection(queue, depths)
    })

    const purgeIntent = (request: PurgeQueue) => {
      const summary = `Purge the queue ${request.queue}`
      return Effect.zipRight(
        gate.check(
          { kind: "purge_queue", request, summary, subject: describeDepth(request.queue) },
          ({ purge }) => purge
        ),
        intents.purgeQueue(request)
      )
    }

    const bulkRetryIntent = (request: BulkRetry) => {
      const ids = request.filter?.task_ids
      const tasks = Math.min(Array.isArray(ids) ? ids.length : request.max, request.max)
      return Effect.zipRight(
        gate.checkBulk(
          {
            kind: "bulk_retry",
            request,
            summary: `Retry ${tasks} tasks`,
            subject: Effect.succeed(makeTaskSelection(tasks))
          },
          tasks
        ),
        intents.bulkRetry(request)
      )
    }
    const pauseQueue = tracedFn("Commands.pause-queue")(function*(request: PauseQueue) {
      const { first, key } = yield* findEarlier("pause-queue", request)
      if (Option.isSome(first)) return first.value
      const intent = yield* intents.pauseQueue(request)
      const project = yield* CurrentProject
      const actor = yield* CurrentActor
      const paused_at = yield* Timestamp.now
      return yield* issue(intent, key, (command_id) =>
        pauses.insert({
          project_id: project.id,
          engine: intent.engine,
          queue: request.queue,
          agent_id: request.agent_id,
          command_id,
          reason: request.reason,
          paused_by: actor.kind === "person" ? actor.user_id : null,
          paused_at,
          resume_at: request.resume_at
        }))
    }, orDieOnSql)

    const resumeQueue = tracedFn("Commands.resume-queue")(function*(request: ResumeQueue) {
      const { first, key } = yield* findEarlier("resume-queue", request)
      if (Option.isSome(first)) return first.value
      const intent = yield* intents.resumeQueue(request)
      const { id } = yield* CurrentProject
      const { engine } = intent
      return yield* issue(
        intent,
        key,
        (commandId) => pauses.setResuming({ project_id: id, engine, queue: request.queue }, commandId)
      )
    }, orDieOnSql)

    const purgeQueue = makeMethod("purge-queue", purgeIntent)
    const bulkRetry = makeMethod("bulk-retry", bulkRetryIntent)

    return {
      get,
      list,
      cancel,
      /**
       * For automation and schedules: a command without a request. The caller has checked that the agent belongs to
       * the project.
       */
      issue: Effect.fn("Commands.issue")((intent: Intent) => issue(intent), orDieOnSql),
      /** The same for many commands, in the caller's transaction (`CommandIssue.issueAll`). */
      issueAll: Effect.fn("Commands.issueAll")(issueAll),
      /** The same for one command with encrypted parameters (`CommandIssue.issueWithin`). */
      issueWithin: Effect.fn("Commands.issueWithin")(issueWithin),
      retryTask,
      cancelTask: makeMethod("cancel-task", intents.cancelTask),
      requeueDeadLetter: makeMethod("requeue-dead-letter", intents.requeueDeadLetter),
      bulkRetry: (request: BulkRetry) => gate.record(bulkRetry(request)),
      purgeQueue: (request: PurgeQueue) => gate.record(purgeQueue(request)),
      /** Stores who pauses the queue, why and until when with the command (`QueueResumption.ts` ends the pause). */
      pauseQueue,
      resumeQueue,
      restartWorker: makeMethod("restart-worker", intents.restartWorker),
      poolResize: makeMethod("pool-resize", intents.poolResize),
      addConsumer: makeMethod("add-consumer", intents.addConsumer),
      cancelConsumer: makeMethod("cancel-consumer", intents.cancelConsumer),
      rateLimit: makeMethod("rate-limit", intents.rateLimit)
    } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AgentProcessesRepo.layer,
      Agents.layer,
      AgentsRepo.layer,
      ApprovalGate.layer,
      CommandIssue.layer,
      CommandStatusRepo.layer,
      CommandsRepo.layer,
      MemberNames.layer,
      QueuesRepo.layer,
      TasksRepo.layer,
      WorkersRepo.layer
    ])
  )
}
