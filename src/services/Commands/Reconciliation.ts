import { Effect, Layer, Option, Schema } from "effect"
import { canonicalize } from "../../domain/CanonicalJson.ts"
import { type AgentId, CommandId, type ProjectId } from "../../domain/Id.ts"
import {
  inferOutcome,
  isActiveOn,
  type Outcome,
  ReconcileResult,
  type WorkerActivity
} from "../../domain/Task/Outcome.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { AgentProcessesRepo } from "../AgentProcesses/Repo.ts"
import { AgentsRepo } from "../Agents/Repo.ts"
import * as Ids from "../Ids.ts"
import { Ingest } from "../Ingest.ts"
import { Loops } from "../Loops.ts"
import { ProjectsRepo } from "../Projects/Repo.ts"
import { Settings } from "../Settings.ts"
import { TaskOrphans } from "../Tasks/Orphans.ts"
import { type StartedTask, TasksRepo } from "../Tasks/Repo.ts"
import { WorkersRepo } from "../Workers/Repo.ts"
import { CommandDispatch } from "./Dispatch.ts"
import type { NewCommand } from "./Model.ts"
import { CommandsRepo } from "./Repo.ts"

/** Started tasks and questions per tick: an agent answers its questions one after the other. */
const maxTasksPerTick = 200
const maxQuestionsPerTick = 20
/** Projects per tick. */
const maxProjectsPerTick = 50
/** How far clocks may differ (agents' protocol, section 3.3). */
const clocksDifferSeconds = 60
/** Maximum unanswered questions. */
const maxOpenQuestions = 200

interface Question extends StartedTask {
  readonly agent_id: AgentId
  readonly at: Timestamp.Timestamp
}

const decodeAnswer = Schema.decodeUnknownOption(Schema.parseJson(ReconcileResult))

/**
 * Asks agents for the outcome of tasks that started long ago and never ended, by `reconcile_task`, and reports the
 * answers as `task.reconciled` events. A lost answer is asked for again.
 */
export class TaskReconciliation extends Effect.Service<TaskReconciliation>()("svc/TaskReconciliation", {
  effect: Effect.gen(function*() {
    const agentsRepo = yield* AgentsRepo
    const agentWorkers = yield* AgentProcessesRepo
    const projectsRepo = yield* ProjectsRepo
    const tasksRepo = yield* TasksRepo
    const workersRepo = yield* WorkersRepo
    const commands = yield* CommandsRepo
    const dispatch = yield* CommandDispatch
    const orphans = yield* TaskOrphans
    const ingest = yield* Ingest
    const { agentOfflineAfter, commandTimeout, reconcileAfter } = yield* Settings

    const openQuestions = new Map<CommandId, Question>()
    let cursor: { readonly project: ProjectId | null; readonly after: string | null } = { project: null, after: null }

    /** The workers of these tasks. A task without a worker's name depends on the processes of its engine. */
    const makeWorkerLookup = Effect.fnUntraced(
      function*(project: ProjectId, tasks: ReadonlyArray<StartedTask>, now: Timestamp.Timestamp) {
        const workers = yield* workersRepo.listActivity(project, [
          ...new Set(tasks.flatMap(({ worker_name }) => worker_name ?? []))
        ])
        const nameless = tasks.filter(({ worker_name }) => worker_name === null)
        const processes = nameless.length === 0 ? [] : yield* agentWorkers.listOnlineEngines(project)
        const fresh = Timestamp.addSeconds(now, -2 * agentOfflineAfter)
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
          const isGone = state === "offline" && (last_heartbeat ?? task.started_at) < silent
          return {
            name: task.worker_name,
            activeTaskIds: hasFreshList ? active : null,
            silentSince: isGone ? last_heartbeat ?? task.started_at : null
          }
        }
      }
    )

    const reportOutcome = (commandId: CommandId, question: Question, outcome: Outcome): boolean =>
      ingest.offer({
        projectId: question.project_id,
        agentId: question.agent_id,
        reporter: "",
        size: 500,
        onCommit: () => {},
        events: [{
          id: commandId,
          kind: "task.reconciled",
          engine: question.engine,
          taskId: question.task_id,
          // the time of the question: a later start is another attempt
          occurredAt: question.at,
          data: new Map(Object.entries(outcome).map(([field, value]) => [field, canonicalize(value)]))
        }]
      })

    /** Marks the task as orphaned where its worker is gone. Without a connected agent that is not known. */
    const markOrphan = Effect.fnUntraced(function*(question: Question, worker: WorkerActivity, answer: string) {
      if (worker.silentSince === null || isActiveOn(question.task_id, worker)) return
      const workerName = worker.name === null ? "The process that ran it" : `Its worker ${worker.name}`
      const detail = `${workerName} has been silent since ${worker.silentSince}, and ${answer}.`
      yield* orphans.mark([{ ...question, detail }])
    })

    const isOnline = (project: ProjectId, agentId: AgentId) =>
      Effect.map(agentsRepo.listOnline(project), (agents) => agents.some(({ id }) => id === agentId))

    /** Reports the answers that have arrived. An answer waits while the ingest queue is full. */
    const reportAnswers = Effect.fn("TaskReconciliation.reportAnswers")(function*() {
      const now = yield* Timestamp.now
      const overdue = Timestamp.addSeconds(now, -2 * commandTimeout)
      for (const answer of yield* commands.listEnded([...openQuestions.keys()])) {
        const question = openQuestions.get(answer.id)
        if (question === undefined) continue
        const reconciled = answer.status === "completed" ? decodeAnswer(answer.result) : Option.none()
        const worker = (yield* makeWorkerLookup(question.project_id, [question], now))(question)
        if (Option.isNone(reconciled)) {
          const isAsked = yield* isOnline(question.project_id, question.agent_id)
          if (isAsked) yield* markOrphan(question, worker, "its agent did not say what became of the task")
        } else {
          const finished_at = Timestamp.parse(reconciled.value.finished_at ?? "") ?? null
          // an end long before the start belongs to an earlier attempt, one shortly before it to another host's clock
          const isOld = finished_at !== null &&
            finished_at < Timestamp.addSeconds(question.started_at, -clocksDifferSeconds)
          const outcome = isOld ? null : inferOutcome({ ...reconciled.value, finished_at }, question.task_id, worker)
          // before the report: after a crash in between the question is asked again
          if (outcome?.outcome === "unknown") {
            yield* markOrphan(question, worker, `the engine says "${outcome.engine_state}"`)
          }
          if (outcome !== null && !reportOutcome(answer.id, question, outcome)) continue
        }
        openQuestions.delete(answer.id)
      }
      for (const [id, { at }] of openQuestions) if (at < overdue) openQuestions.delete(id)
    })

    const askAgents = Effect.fnUntraced(
      function*(project: ProjectId, tasks: ReadonlyArray<StartedTask>, now: Timestamp.Timestamp) {
        const agents = yield* agentsRepo.listOnline(project)
        const round = Math.floor(Timestamp.toEpochMillis(now) / (reconcileAfter * 1000))
        const questions = new Map<CommandId, Question>()
        for (const task of tasks) {
          const serving = agents.filter(({ engines }) => engines.includes(task.engine))
          // another agent may have another broker, which does not know the task
          const agent = serving.find(({ id }) => id === task.reporter) ?? serving[0]
          if (agent !== undefined) questions.set(yield* Ids.nextOf(CommandId), { ...task, agent_id: agent.id, at: now })
        }
        if (questions.size === 0) return
        const inserted = yield* commands.insert(
          [...questions].map(([id, { agent_id, engine, task_id }]): NewCommand => ({
            id,
            project_id: project,
            agent_id,
            issued_by: null,
            action: "reconcile_task",
            engine,
            target_type: "task",
            target_id: task_id,
            payload: canonicalize({ task_id }),
            sealed_payload: null,
            // one question per task and round, whichever replica asks first
            idempotency_key: `reconcile:${round}:${engine}:${task_id}`,
            request_hash: null,
            bound_session_id: null,
            bulk_job_id: null,
            issued_at: now,
            timeout_at: Timestamp.addSeconds(now, commandTimeout),
            status: "pending",
            result: null,
            error: null,
            completed_at: null
          }))
        )
        for (const { agent_id, id } of inserted) {
          openQuestions.set(id, questions.get(id)!)
          if (agent_id !== null) yield* dispatch.notify(agent_id)
        }
      }
    )

    /** Reads the next started tasks, project after project, and asks about those that no worker lists. */
    const scanTasks = Effect.fn("TaskReconciliation.scanTasks")(function*() {
      const now = yield* Timestamp.now
      const before = Timestamp.addSeconds(now, -reconcileAfter)
      const projects = yield* projectsRepo.listIds
      const first = Math.max(0, projects.findIndex((id) => id >= (cursor.project ?? "")))
      let tasksLeft = maxTasksPerTick
      let questionsLeft = maxQuestionsPerTick
      for (const project of [...projects.slice(first), ...projects.slice(0, first)].slice(0, maxProjectsPerTick)) {
        const tasks = yield* tasksRepo.listStarted(
          project,
          project === cursor.project ? cursor.after : null,
          before,
          tasksLeft
        )
        const worker = yield* makeWorkerLookup(project, tasks, now)
        const unlistedTasks = tasks.filter((task) => !isActiveOn(task.task_id, worker(task)))
        const questions = unlistedTasks.slice(0, questionsLeft)
        yield* askAgents(project, questions, now)
        tasksLeft -= tasks.length
        questionsLeft -= questions.length
        if (tasksLeft > 0 && questionsLeft > 0) continue
        cursor = { project, after: (questions.length < unlistedTasks.length ? questions : tasks).at(-1)?.id ?? null }
        return
      }
      const next = projects.length <= maxProjectsPerTick
        ? undefined
        : projects[(first + maxProjectsPerTick) % projects.length]
      cursor = { project: next ?? null, after: null }
    })

    const tick = Effect.gen(function*() {
      yield* reportAnswers()
      if (openQuestions.size < maxOpenQuestions) yield* scanTasks()
    })

    return { tick } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AgentsRepo.layer,
      AgentProcessesRepo.layer,
      CommandDispatch.layer,
      CommandsRepo.layer,
      Ingest.layer,
      ProjectsRepo.layer,
      TaskOrphans.layer,
      TasksRepo.layer,
      WorkersRepo.layer
    ])
  )

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const loops = yield* Loops
    const { reconcileAfter } = yield* Settings
    if (reconcileAfter === 0) return
    const { tick } = yield* TaskReconciliation
    yield* loops.every("tasks reconcile", `${Math.min(10, Math.max(1, reconcileAfter / 10))} seconds`, tick)
  })).pipe(Layer.provide(this.layer))
}
