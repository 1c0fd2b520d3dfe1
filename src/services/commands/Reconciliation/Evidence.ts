import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { WaitingEvidence, WorkerActivity } from "../../../domain/tasks/Task/Outcome.ts"
import { AgentProcessesRepo } from "../../agents/AgentProcesses/Repo.ts"
import { QueuesRepo } from "../../agents/Queues/Repo.ts"
import { WorkersRepo } from "../../agents/Workers/Repo.ts"
import { Settings } from "../../kernel/Settings.ts"
import type { StartedTask, WaitingTask } from "../../tasks/Repo.ts"

/** Nothing is heard of a task for this long: the brain concludes that its outcome is unknown. */
const forgottenAfter = Timestamp.secondsPerDay

/** Seconds. Celery's published agent asks its worker so often. */
const listInterval = 60

/** Where heartbeats do not say it: Celery's default. */
const defaultPrefetchMultiplier = 4

export type TaskEvidence = Effect.Effect.Success<typeof makeTaskEvidence>

/** What workers and processes say of tasks that may run or wait. */
export const makeTaskEvidence = Effect.gen(function*() {
  const agentWorkers = yield* AgentProcessesRepo
  const queuesRepo = yield* QueuesRepo
  const workersRepo = yield* WorkersRepo
  const { agentOfflineAfter, reconcileAfter } = yield* Settings

  const freshAt = (now: Timestamp.Timestamp) => Timestamp.addSeconds(now, -listInterval - 2 * agentOfflineAfter)

  /** The workers of these tasks. A task without a worker's name depends on the processes of its engine. */
  const makeWorkerLookup = Effect.fnUntraced(
    function*(project: ProjectId, tasks: ReadonlyArray<StartedTask>, now: Timestamp.Timestamp) {
      const workers = yield* workersRepo.listActivity(project, [
        ...new Set(tasks.flatMap(({ worker_name }) => worker_name ?? []))
      ])
      const nameless = tasks.filter(({ worker_name }) => worker_name === null)
      const processes = nameless.length === 0 ? [] : yield* agentWorkers.listOnlineEngines(project)
      const fresh = freshAt(now)
      const silent = Timestamp.addSeconds(now, -reconcileAfter)
      return (task: StartedTask): WorkerActivity => {
        if (task.worker_name === null) {
          const mayRun = processes.some(({ engines, since }) =>
            engines.includes(task.engine) && since <= task.started_at
          )
          return { name: null, activeTaskIds: null, silentSince: mayRun ? null : task.started_at }
        }
        const workerRow = workers.find(({ engine, name }) => engine === task.engine && name === task.worker_name)
        if (workerRow === undefined) {
          return { name: task.worker_name, activeTaskIds: null, silentSince: task.started_at }
        }
        const { active, described_at, last_heartbeat, state } = workerRow
        const hasFreshList = described_at !== null && described_at >= fresh && described_at > task.started_at
        const isGone = state !== "online" && (last_heartbeat ?? task.started_at) < silent
        return {
          name: task.worker_name,
          activeTaskIds: hasFreshList ? active : null,
          silentSince: isGone ? last_heartbeat ?? task.started_at : null
        }
      }
    }
  )

  type Load = Effect.Effect.Success<ReturnType<typeof workersRepo.listLoads>>[number]

  /** Celery takes one message more from its broker for each task that it holds for its eta. */
  const mayHoldForLater = ({ concurrency, prefetch_count, prefetch_multiplier }: Load): boolean => {
    if (prefetch_count === null || concurrency === null) return false
    return prefetch_count === 0 || prefetch_count > concurrency * (prefetch_multiplier ?? defaultPrefetchMultiplier)
  }

  const isFreeFor = ({ queue }: WaitingTask) => ({ active, concurrency, queues }: Load): boolean =>
    concurrency !== null && (active?.size ?? 0) < concurrency &&
    (queue === null || queues.length === 0 || queues.includes(queue))

  const workersFor = (task: WaitingTask, loads: ReadonlyArray<Load>, now: Timestamp.Timestamp) => {
    const fresh = freshAt(now)
    const areKnown = loads.length > 0 &&
      loads.every((load) =>
        load.active !== null && load.described_at !== null && load.described_at >= fresh &&
        load.described_at > task.updated_at && !mayHoldForLater(load)
      )
    return areKnown ? { online: loads.length, free: loads.filter(isFreeFor(task)).length } : null
  }

  /** What is known of the processes that may have these tasks. */
  const makeWaitingLookup = Effect.fnUntraced(
    function*(project: ProjectId, tasks: ReadonlyArray<WaitingTask>, now: Timestamp.Timestamp) {
      const engines = [...new Set(tasks.map(({ engine }) => engine))]
      const loads = new Map<string, ReadonlyArray<Load>>()
      for (const engine of engines) loads.set(engine, yield* workersRepo.listLoads(project, engine))
      const processes = engines.length === 0 ? [] : yield* agentWorkers.listOnlineEngines(project)
      const depths = yield* queuesRepo.listDepths(project, tasks.flatMap(({ queue }) => queue ?? []))
      return (task: WaitingTask): WaitingEvidence => {
        const ofEngine = loads.get(task.engine) ?? []
        const serving = processes.filter(({ engines }) => engines.includes(task.engine))
        return {
          isListed: ofEngine.some(({ active }) => active?.has(task.task_id) === true),
          workers: workersFor(task, ofEngine, now),
          isHolderGone: serving.length > 0 && serving.every(({ since }) => since > task.updated_at),
          queueDepth: depths.find(({ engine, name }) => engine === task.engine && name === task.queue)?.depth ?? null,
          lastEventAt: task.updated_at,
          isForgotten: task.updated_at < Timestamp.addSeconds(now, -forgottenAfter)
        }
      }
    }
  )

  return { makeWorkerLookup, makeWaitingLookup } as const
})
