import { Clock, Effect, Layer, Option } from "effect"
import { tasksOf } from "../../../domain/commands/BulkJob.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Audit } from "../../audit/Audit.ts"
import { Lease } from "../../kernel/concurrency/Leader.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Scans } from "../../tasks/Scans.ts"
import { TaskSearch } from "../../tasks/Search.ts"
import { Commands } from "../Commands.ts"
import { type ChooseAgent, EngineAgents } from "../EngineAgents.ts"
import { actionOf, makeIssues } from "./Issues.ts"
import { BulkJobsRepo } from "./Repo.ts"
import { addOutcomes, type BulkWalk, complete, walkEntry } from "./Row.ts"
import { noStep, type Step } from "./Step.ts"

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

/** A task of an engine without an agent: its job waits as long as the task matches. */
interface WaitingTask {
  readonly id: string
  /** When it was last seen to match, in epoch milliseconds. */
  readonly seenAt: number
}

/** By engine. */
type WaitingTasks = Map<string, WaitingTask>

const filterOf = ({ action, as_of, filter }: BulkWalk) => tasksOf(action, filter, as_of)

/** The cursors after these tasks; an engine without further tasks has none. */
const advance = (cursors: BulkWalk["cursors"], slices: ReadonlyArray<Slice>): BulkWalk["cursors"] => {
  const advanced: Record<string, string> = { ...cursors }
  for (const { engine, ids, isLast } of slices) {
    if (isLast) delete advanced[engine]
    else advanced[engine] = ids.at(-1) ?? Ids.minId
  }
  return advanced
}

type CommandCounts = Effect.Effect.Success<ReturnType<BulkJobsRepo["countCommands"]>>

const total = (counts: CommandCounts, kind: "ended" | "open") => counts.reduce((sum, count) => sum + count[kind], 0)

/**
 * Issues the cancel commands of a job's tasks, by engine, the oldest first, and counts how the commands come out. The
 * cursor moves in the transaction that inserts the commands, so that no crash cancels a task twice or leaves it out.
 */
// one object of short methods: each is a part of `step`
export class BulkJobCancellation extends Effect.Service<BulkJobCancellation>()("svc/BulkJobCancellation", {
  effect: Effect.gen(function*() {
    const repo = yield* BulkJobsRepo
    const search = yield* TaskSearch
    const engineAgents = yield* EngineAgents
    const commands = yield* Commands
    const audit = yield* Audit
    const { bulkCommandTimeout, bulkRetryOpenCommands } = yield* Settings

    /**
     * Whether a task of the engine still waits for an agent; reads one task instead of scanning all tasks before it.
     */
    const isWaiting = Effect.fnUntraced(function*(job: BulkWalk, engine: string, waiting: WaitingTasks) {
      const task = waiting.get(engine)
      if (task === undefined) return false
      if ((yield* Clock.currentTimeMillis) - task.seenAt < recheckMillis) return true
      const matches = yield* search.listMatches(job.project_id, filterOf(job), [task.id])
      if (matches.length === 0) return false
      waiting.set(engine, { ...task, seenAt: yield* Clock.currentTimeMillis })
      return true
    })

    const listNext = (job: BulkWalk, engine: string, limit: number) => {
      const tasks = filterOf(job)
      return tasks.engine !== null && tasks.engine !== engine
        ? Effect.succeed([])
        : search.listArrived(job.project_id, { ...tasks, engine }, {
          after: job.cursors[engine] ?? Ids.minId,
          asOf: job.as_of,
          limit
        })
    }

    /** The next tasks of each engine, as far as its agents allow; after the deadline those to be skipped. */
    const selectSlices = Effect.fnUntraced(
      function*(job: BulkWalk, choose: ChooseAgent | null, counts: CommandCounts, waiting: WaitingTasks) {
        const slices: Array<Slice> = []
        for (const engine of Object.keys(job.cursors)) {
          const isServed = choose === null || choose(engine) !== null
          if (!isServed && (yield* isWaiting(job, engine, waiting))) continue
          const openCommands = counts.find((count) => count.engine === engine)?.open ?? 0
          const limit = choose === null ? maxSkips : isServed ? bulkRetryOpenCommands - openCommands : 1
          if (limit <= 0) continue
          const ids = yield* listNext(job, engine, limit)
          const [first] = ids
          if (isServed || first === undefined) {
            waiting.delete(engine)
            slices.push({ engine, ids, isLast: ids.length < limit })
          } else waiting.set(engine, { id: first, seenAt: yield* Clock.currentTimeMillis })
        }
        return slices
      }
    )

    /** The commands for those tasks that still match and have an agent. */
    const issueFor = Effect.fnUntraced(function*(job: BulkWalk, ids: ReadonlyArray<string>, choose: ChooseAgent) {
      const matching = yield* search.lockMatches(job.project_id, filterOf(job), ids)
      const tasks = yield* repo.listTasks(job.project_id, matching)
      const served = tasks.flatMap(({ engine, reporter, task_id }) => {
        const agent_id = choose(engine, reporter)
        return agent_id === null ? [] : [{ agent_id, engine, task_id }]
      })
      return yield* makeIssues(job, served, bulkCommandTimeout)
    })

    /** Ends a job of which no task and no command is left. The outcomes of commands that retention has deleted are unknown. */
    const endJob = Effect.fnUntraced(function*(job: BulkWalk) {
      const now = yield* Timestamp.now
      const counted = { ...job, claimed: 0, unknown: job.unknown + job.claimed }
      const isStopped = job.finished_at !== null
      const ended = isStopped ? { ...counted, resolved_at: now } : complete(counted, now)
      yield* repo.walks.save(ended)
      if (!isStopped) yield* audit.record(walkEntry("finished", ended))
      return { moved: 1, openCommands: 0 }
    })

    /** Writes a step, unless the job has changed since the step was planned. */
    const write = Effect.fnUntraced(
      function*(snapshot: BulkWalk, planned: ReadonlyArray<Slice>, choose: ChooseAgent | null, isOver: boolean) {
        const locked = Option.getOrUndefined(yield* repo.walks.lock(snapshot.project_id, snapshot.id))
        if (locked === undefined || locked.resolved_at !== null) return noStep
        const outcomes = yield* repo.takeOutcomes(locked.id, maxOutcomes)
        const job = addOutcomes({ ...locked, claimed: locked.claimed - outcomes.length }, outcomes)
        const isRunning = job.finished_at === null
        if (isOver && outcomes.length === 0 && (!isRunning || Object.keys(job.cursors).length === 0)) {
          return yield* endJob(job)
        }
        const isStale = planned.some(({ engine }) => job.cursors[engine] !== snapshot.cursors[engine])
        const slices = isRunning && !isStale ? planned : []
        const ids = slices.flatMap((slice) => slice.ids)
        const issues = choose === null || ids.length === 0 ? [] : yield* issueFor(job, ids, choose)
        const claimed = job.claimed + issues.length
        const unobserved = job.unobserved + ids.length - issues.length
        yield* repo.walks.save({ ...job, cursors: advance(job.cursors, slices), claimed, unobserved })
        if (issues.length > 0) yield* commands.issueAll(issues)
        return {
          moved: slices.length === 0 ? outcomes.length : Math.max(1, ids.length),
          openCommands: claimed
        } satisfies Step
      }
    )

    const step = Effect.fn("BulkJobCancellation.step")(function*(job: BulkWalk, waiting: WaitingTasks) {
      const lease = yield* Lease
      const counts = yield* repo.countCommands(job.id)
      const isLeft = job.finished_at === null && Object.keys(job.cursors).length > 0
      const isLate = job.deadline_at <= (yield* Timestamp.now)
      const choose = isLeft && !isLate ? yield* engineAgents.chooseIn(job.project_id, actionOf.cancel) : null
      const slices = isLeft ? yield* selectSlices(job, choose, counts, waiting) : []
      const openCommands = total(counts, "open")
      const isOver = !isLeft && openCommands === 0
      if (slices.length === 0 && total(counts, "ended") === 0 && !isOver) {
        return { moved: 0, openCommands } satisfies Step
      }
      return yield* lease.withTransaction(write(job, slices, choose, isOver))
    })

    /** The steps of a job. They know which of its tasks wait for an agent. */
    const makeSteps = () => {
      const waiting: WaitingTasks = new Map()
      return (job: BulkWalk) => step(job, waiting)
    }

    return { makeSteps } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([BulkJobsRepo.layer, Commands.layer, EngineAgents.layer, TaskSearch.layer]),
    Layer.provide(Scans.layer)
  )
}
