import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Option } from "effect"
import { tasksOf } from "../../domain/BulkJob.ts"
import { isEndState } from "../../domain/Command/Note.ts"
import { type AgentId, CommandId } from "../../domain/Id.ts"
import type { TaskState } from "../../domain/TaskState.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Audit } from "../Audit.ts"
import { Commands } from "../Commands.ts"
import { EngineAgents } from "../Commands/EngineAgents.ts"
import type { IssuedIntent } from "../Commands/Issue.ts"
import { idIn } from "../Dialect.ts"
import * as Ids from "../Ids.ts"
import { Lease } from "../Leader.ts"
import { Settings } from "../Settings.ts"
import { Scans } from "../Tasks/Scans.ts"
import { TaskSearch } from "../Tasks/Search.ts"
import { finishEntryOf } from "./FinishEntry.ts"
import { type BulkJobRow, BulkJobsRepo, skippedAtEnd } from "./Repo.ts"
import { cancelAction, outcomesOf } from "./View.ts"

/** Tasks that are skipped in one step, after the deadline. */
const maxSkips = 1000

/** How often the tasks of an engine are looked for that has no connected agent. */
const recheckMillis = 10_000

/** The next tasks of an engine. */
interface Slice {
  readonly engine: string
  readonly ids: ReadonlyArray<string>
  /** No further task of the engine matches. */
  readonly isLast: boolean
}

interface TaskToCancel {
  readonly engine: string
  readonly task_id: string
  readonly state: TaskState
  /** The agent that reported the task's worker; null: none is known. */
  readonly reporter: AgentId | null
}

type ChooseAgent = (engine: string, preferred: AgentId | null) => AgentId | null

/**
 * Commands the cancellation of a job's tasks, by engine, the oldest first. The cursor moves in the transaction that
 * inserts the commands, so that no crash cancels a task twice or leaves it out.
 */
export class BulkJobCancellation extends Effect.Service<BulkJobCancellation>()("svc/BulkJobCancellation", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* BulkJobsRepo
    const search = yield* TaskSearch
    const engineAgents = yield* EngineAgents
    const commands = yield* Commands
    const audit = yield* Audit
    const { bulkCommandTimeout, bulkRetryOpenCommands } = yield* Settings

    /** When an engine of a job without an agent was last found to have a task, in epoch milliseconds. */
    const seenAt = new Map<string, number>()

    /** The next tasks of each engine, as far as its agents allow; after the deadline those to be skipped. */
    const selectSlices = Effect.fnUntraced(function*(
      { act, created_at, cursors, filter, id, project_id }: BulkJobRow,
      choose: ChooseAgent | null,
      openByEngine: ReadonlyMap<string, number>
    ) {
      const tasks = tasksOf(act, filter, created_at)
      const newest = Ids.maxIdAt(Timestamp.toEpochMillis(created_at))
      const now = yield* Clock.currentTimeMillis
      const slices: Array<Slice> = []
      for (const [engine, after] of Object.entries(cursors)) {
        const isServed = choose === null || choose(engine, null) !== null
        const waiting = `${id} ${engine}`
        // its tasks may end while they wait for an agent
        if (!isServed && now - (seenAt.get(waiting) ?? 0) < recheckMillis) continue
        const open = openByEngine.get(engine) ?? 0
        const limit = choose === null ? maxSkips : isServed ? bulkRetryOpenCommands - open : 1
        if (limit <= 0) continue
        const found = tasks.engine !== null && tasks.engine !== engine
          ? []
          : yield* search.listIds(project_id, { ...tasks, engine }, { direction: "oldest", after, limit })
        const ids = found.filter((id) => id <= newest)
        if (isServed || ids.length === 0) {
          seenAt.delete(waiting)
          slices.push({ engine, ids, isLast: ids.length < limit })
        } else seenAt.set(waiting, now)
      }
      return slices
    })

    const listTasks = (projectId: BulkJobRow["project_id"], ids: ReadonlyArray<string>) =>
      sql<TaskToCancel>`SELECT t.engine, t.task_id, t.state, w.agent_id AS reporter FROM tasks t
        LEFT JOIN workers w ON w.project_id = t.project_id AND w.engine = t.engine AND w.name = t.worker_name
        WHERE t.project_id = ${projectId} AND ${idIn(sql, ids, "t.id")} ORDER BY t.id`

    /** Ids of one millisecond are in no order, and commands are sent in the order of their ids. */
    const nextIds = (count: number) =>
      Effect.map(Effect.replicateEffect(Ids.nextOf(CommandId), count), (ids) => [...ids].sort())

    /** The commands of those tasks that can still be cancelled. */
    const makeIssues = Effect.fnUntraced(
      function*({ id, project_id }: BulkJobRow, slices: ReadonlyArray<Slice>, choose: ChooseAgent) {
        const tasks = yield* listTasks(project_id, slices.flatMap(({ ids }) => ids))
        const ids = yield* nextIds(tasks.length)
        return tasks.flatMap(({ engine, reporter, state, task_id }, index): ReadonlyArray<IssuedIntent> => {
          const agent_id = isEndState(state) ? null : choose(engine, reporter)
          const command_id = ids[index]
          return agent_id === null || command_id === undefined ? [] : [{
            id: command_id,
            project_id,
            intent: {
              agent_id,
              action: cancelAction,
              engine,
              target_type: "task",
              target_id: task_id,
              parameters: { task_id },
              timeout_seconds: bulkCommandTimeout,
              bulk_job_id: id,
              metadata: { bulk_job_id: id }
            }
          }]
        })
      }
    )

    /** Ends a job of which no task and no command is left. */
    const settle = Effect.fnUntraced(function*(job: BulkJobRow) {
      const now = yield* Timestamp.now
      const outcomes = outcomesOf(job, yield* repo.countCommandsWithin([job.id]))
      if (outcomes.pending > 0) return
      const isStopped = job.finished_at !== null
      const skipped = isStopped ? job.skipped : skippedAtEnd(job)
      yield* repo.update(job.id, {
        outcomes,
        skipped,
        settled_at: now,
        ...(!isStopped && { status: "completed", finished_at: now })
      })
      if (!isStopped) yield* audit.record(finishEntryOf({ ...job, outcomes, skipped }))
    })

    /** Writes a step, as far as the job is as it was when the step was planned. */
    const write = Effect.fnUntraced(
      function*(seen: BulkJobRow, slices: ReadonlyArray<Slice>, choose: ChooseAgent | null) {
        const job = Option.getOrUndefined(yield* repo.lock(seen.project_id, seen.id))
        if (job === undefined || job.settled_at !== null) return 0
        const isRunning = job.finished_at === null
        if (slices.length === 0 || !isRunning) {
          yield* settle(job)
          return 1
        }
        const cursors: Record<string, string> = { ...job.cursors }
        for (const { engine, ids, isLast } of slices) {
          if (job.cursors[engine] !== seen.cursors[engine]) return 0
          if (isLast) delete cursors[engine]
          else cursors[engine] = ids.at(-1) ?? Ids.minId
        }
        const found = slices.reduce((sum, { ids }) => sum + ids.length, 0)
        const issues = choose === null ? [] : yield* makeIssues(job, slices, choose)
        yield* repo.update(job.id, {
          cursors,
          done: job.done + issues.length,
          skipped: job.skipped + found - issues.length
        })
        if (issues.length > 0) yield* commands.issueAll(issues)
        return Math.max(1, found)
      }
    )

    /** One step; returns how many tasks it moved, 0 where it waits for agents or outcomes. */
    const advance = Effect.fn("BulkJobCancellation.advance")(function*(job: BulkJobRow) {
      const lease = yield* Lease
      const openByEngine = yield* repo.countOpenCommands(job.id)
      const isRunning = job.finished_at === null
      const choose = job.deadline_at <= (yield* Timestamp.now)
        ? null
        : yield* engineAgents.chooseIn(job.project_id, cancelAction)
      const slices = isRunning ? yield* selectSlices(job, choose, openByEngine) : []
      const isLeft = isRunning && Object.keys(job.cursors).length > 0
      if (slices.length === 0 && (isLeft || openByEngine.size > 0)) return 0
      return yield* lease.withTransaction(write(job, slices, choose))
    })

    return { advance } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkJobsRepo.layer, Commands.layer, EngineAgents.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
