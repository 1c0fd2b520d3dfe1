import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, Option } from "effect"
import { type BulkJobOutcomes, tasksOf } from "../../../domain/commands/BulkJob.ts"
import { type AgentId, CommandId, type ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit } from "../../audit/Audit.ts"
import { Lease } from "../../kernel/concurrency/Leader.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { Scans } from "../../tasks/Scans.ts"
import { TaskSearch } from "../../tasks/Search.ts"
import { Commands } from "../Commands.ts"
import type { IssuedIntent } from "../Issue.ts"
import { finishEntryOf } from "./FinishEntry.ts"
import { type BulkJobRow, BulkJobsRepo, countSkippedAtEnd } from "./Repo.ts"
import { cancelAction } from "./View.ts"

/** Tasks that are skipped in one step, after the deadline. */
const maxSkips = 1000

/** Outcomes that are counted in one step. */
const maxOutcomes = 1000

/** Pause between reads for an engine without a connected agent. */
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
  /** The agent that reported the task's worker; null: none is known. */
  readonly reporter: AgentId | null
}

type ChooseAgent = (engine: string, preferred: AgentId | null) => AgentId | null

/** A task of an engine without an agent: its job waits as long as the task matches. */
interface WaitingTask {
  readonly id: string
  /** When it was last seen to match, in epoch milliseconds. */
  readonly seenAt: number
}

type CommandCounts = Effect.Effect.Success<ReturnType<BulkJobsRepo["countCommands"]>>

const total = (counts: CommandCounts, kind: "ended" | "open") => counts.reduce((sum, count) => sum + count[kind], 0)

const noOutcomes: BulkJobOutcomes = { pending: 0, succeeded: 0, failed: 0, unknown: 0 }

/** With the outcomes that were taken; the other commands of the job are pending. */
const addOutcomes = (
  { done, outcomes }: Pick<BulkJobRow, "done" | "outcomes">,
  taken: ReadonlyArray<{ readonly outcome: "succeeded" | "failed" | "unknown" }>
): BulkJobOutcomes => {
  const sums = { ...(outcomes ?? noOutcomes) }
  for (const { outcome } of taken) sums[outcome]++
  return { ...sums, pending: done - sums.succeeded - sums.failed - sums.unknown }
}

/**
 * Issues the cancel commands of a job's tasks, by engine, the oldest first, and counts how the commands come out. The
 * cursor moves in the transaction that inserts the commands, so that no crash cancels a task twice or leaves it out.
 */
export class BulkJobCancellation extends Effect.Service<BulkJobCancellation>()("svc/BulkJobCancellation", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* BulkJobsRepo
    const search = yield* TaskSearch
    const commands = yield* Commands
    const audit = yield* Audit
    const { bulkCommandTimeout, bulkRetryOpenCommands } = yield* Settings

    /** By job and engine. */
    const waitingTasks = new Map<string, WaitingTask>()

    const filterOf = ({ act, as_of, filter }: BulkJobRow) => tasksOf(act, filter, as_of)

    /**
     * Whether a task of the engine still waits for an agent; reads one task instead of scanning all tasks before it.
     */
    const isWaiting = Effect.fnUntraced(function*(job: BulkJobRow, key: string) {
      const task = waitingTasks.get(key)
      if (task === undefined) return false
      if ((yield* Clock.currentTimeMillis) - task.seenAt < recheckMillis) return true
      const matches = yield* search.listMatches(job.project_id, filterOf(job), [task.id])
      if (matches.length === 0) return false
      waitingTasks.set(key, { ...task, seenAt: yield* Clock.currentTimeMillis })
      return true
    })

    const listNext = Effect.fnUntraced(function*(job: BulkJobRow, engine: string, limit: number) {
      const tasks = filterOf(job)
      const newest = Ids.maxIdAt(Timestamp.toEpochMillis(job.as_of))
      const after = job.cursors[engine] ?? Ids.minId
      const found = tasks.engine !== null && tasks.engine !== engine
        ? []
        : yield* search.listIds(job.project_id, { ...tasks, engine }, { direction: "oldest", after, limit })
      return found.filter((id) => id <= newest)
    })

    /** The next tasks of each engine, as far as its agents allow; after the deadline those to be skipped. */
    const selectSlices = Effect.fnUntraced(
      function*(job: BulkJobRow, choose: ChooseAgent | null, counts: CommandCounts) {
        const slices: Array<Slice> = []
        for (const engine of Object.keys(job.cursors)) {
          const isServed = choose === null || choose(engine, null) !== null
          const key = `${job.id} ${engine}`
          if (!isServed && (yield* isWaiting(job, key))) continue
          const open = counts.find((count) => count.engine === engine)?.open ?? 0
          const limit = choose === null ? maxSkips : isServed ? bulkRetryOpenCommands - open : 1
          if (limit <= 0) continue
          const ids = yield* listNext(job, engine, limit)
          const [first] = ids
          if (isServed || first === undefined) {
            waitingTasks.delete(key)
            slices.push({ engine, ids, isLast: ids.length < limit })
          } else waitingTasks.set(key, { id: first, seenAt: yield* Clock.currentTimeMillis })
        }
        return slices
      }
    )

    const listTasks = (projectId: BulkJobRow["project_id"], ids: ReadonlyArray<string>) =>
      sql<TaskToCancel>`SELECT t.engine, t.task_id, w.agent_id AS reporter FROM tasks t
        LEFT JOIN workers w ON w.project_id = t.project_id AND w.engine = t.engine AND w.name = t.worker_name
        WHERE t.project_id = ${projectId} AND ${idIn(sql, ids, "t.id")} ORDER BY t.id`

    /** Ids of one millisecond are in no order, and commands are sent in the order of their ids. */
    const nextIds = (count: number) =>
      Effect.map(Effect.replicateEffect(Ids.nextOf(CommandId), count), (ids) => [...ids].sort())

    /** The commands for those tasks that still match and have an agent. */
    const makeIssues = Effect.fnUntraced(
      function*(job: BulkJobRow, slices: ReadonlyArray<Slice>, choose: ChooseAgent) {
        const { id, project_id } = job
        const matching = yield* search.lockMatches(project_id, filterOf(job), slices.flatMap(({ ids }) => ids))
        const tasks = yield* listTasks(project_id, matching)
        const ids = yield* nextIds(tasks.length)
        return tasks.flatMap(({ engine, reporter, task_id }, index): ReadonlyArray<IssuedIntent> => {
          const agent_id = choose(engine, reporter)
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

    /** Ends a job of which no task and no command is left. The outcomes of commands that retention has deleted are unknown. */
    const settle = Effect.fnUntraced(function*(job: BulkJobRow) {
      const now = yield* Timestamp.now
      const { pending, unknown, ...others } = addOutcomes(job, [])
      const outcomes = { ...others, pending: 0, unknown: unknown + pending }
      const isStopped = job.finished_at !== null
      const skipped = isStopped ? job.skipped : countSkippedAtEnd(job)
      yield* repo.update(job.id, {
        outcomes,
        skipped,
        settled_at: now,
        ...(!isStopped && { status: "completed", finished_at: now })
      })
      for (const engine of Object.keys(job.cursors)) waitingTasks.delete(`${job.id} ${engine}`)
      if (!isStopped) yield* audit.record(finishEntryOf({ ...job, outcomes, skipped }))
    })

    /** Writes a step, unless the job has changed since the step was planned. */
    const write = Effect.fnUntraced(
      function*(seen: BulkJobRow, slices: ReadonlyArray<Slice>, choose: ChooseAgent | null, isOver: boolean) {
        const locked = Option.getOrUndefined(yield* repo.lock(seen.project_id, seen.id))
        if (locked === undefined || locked.settled_at !== null) return 0
        const taken = yield* repo.takeOutcomes(locked.id, maxOutcomes)
        const job = { ...locked, outcomes: addOutcomes(locked, taken) }
        const isRunning = job.finished_at === null
        if (isOver && taken.length === 0 && (!isRunning || Object.keys(job.cursors).length === 0)) {
          yield* settle(job)
          return 1
        }
        const isStale = slices.some(({ engine }) => job.cursors[engine] !== seen.cursors[engine])
        if (slices.length === 0 || !isRunning || isStale) {
          if (taken.length > 0) yield* repo.update(job.id, { outcomes: job.outcomes })
          return taken.length
        }
        const cursors: Record<string, string> = { ...job.cursors }
        for (const { engine, ids, isLast } of slices) {
          if (isLast) delete cursors[engine]
          else cursors[engine] = ids.at(-1) ?? Ids.minId
        }
        const found = slices.reduce((sum, { ids }) => sum + ids.length, 0)
        const issues = choose === null ? [] : yield* makeIssues(job, slices, choose)
        const done = job.done + issues.length
        yield* repo.update(job.id, {
          cursors,
          done,
          outcomes: addOutcomes({ done, outcomes: job.outcomes }, []),
          skipped: job.skipped + found - issues.length
        })
        if (issues.length > 0) yield* commands.issueAll(issues)
        return Math.max(1, found)
      }
    )

    /**
     * One step; returns how many tasks and outcomes it moved, 0 where it waits for agents or outcomes. `chooseIn`: the
     * agents of a project as they are now.
     */
    const advance = Effect.fn("BulkJobCancellation.advance")(
      function*<E, R>(job: BulkJobRow, chooseIn: (projectId: ProjectId) => Effect.Effect<ChooseAgent, E, R>) {
        const lease = yield* Lease
        const counts = yield* repo.countCommands(job.id)
        const isLeft = job.finished_at === null && Object.keys(job.cursors).length > 0
        const isLate = job.deadline_at <= (yield* Timestamp.now)
        const choose = isLeft && !isLate ? yield* chooseIn(job.project_id) : null
        const slices = isLeft ? yield* selectSlices(job, choose, counts) : []
        const isOver = !isLeft && total(counts, "open") === 0
        if (slices.length === 0 && total(counts, "ended") === 0 && !isOver) return 0
        return yield* lease.withTransaction(write(job, slices, choose, isOver))
      }
    )

    return { advance } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkJobsRepo.layer, Commands.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
