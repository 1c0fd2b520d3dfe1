import { Effect, Layer, Option, Schema } from "effect"
import { canonicalize } from "../../domain/kernel/CanonicalJson.ts"
import { type AgentId, CommandId, type ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  type EngineAnswer,
  hasLeft,
  inferOutcome,
  inferWaitingOutcome,
  isActiveOn,
  isOfEarlierAttempt,
  type Outcome,
  ReconcileResult,
  type WorkerActivity
} from "../../domain/tasks/Task/Outcome.ts"
import * as TaskHistory from "../../domain/tasks/TaskHistory.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { ProjectsRepo } from "../identity/Projects/Repo.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { Ingest } from "../tasks/Ingest.ts"
import { TaskOrphans } from "../tasks/Orphans.ts"
import { type StartedTask, TasksRepo, type WaitingTask } from "../tasks/Repo.ts"
import { CommandDispatch } from "./Dispatch.ts"
import type { NewCommand } from "./Model.ts"
import { TaskEvidence } from "./Reconciliation/Evidence.ts"
import { makeProjectWalk } from "./Reconciliation/ProjectWalk.ts"
import { CommandsRepo } from "./Repo.ts"

/** Questions per tick: an agent answers its questions one after the other. Waiting tasks may be many, so they have fewer. */
const maxStartedQuestions = 20
const maxWaitingQuestions = 10
/** Maximum unanswered questions. */
const maxOpenQuestions = 200

interface StartedQuestion extends StartedTask {
  readonly kind: "started"
  readonly agent_id: AgentId
  readonly at: Timestamp.Timestamp
}

/** `since`: the time of the event that says that the task waits, or ran when it was last heard of. */
interface WaitingQuestion extends WaitingTask {
  readonly kind: "waiting"
  readonly since: Timestamp.Timestamp
  readonly agent_id: AgentId
  readonly at: Timestamp.Timestamp
}

type Question = StartedQuestion | WaitingQuestion

const decodeAnswer = Schema.decodeUnknownOption(Schema.parseJson(ReconcileResult))

/** How a Celery task says when its retry is due; its agent reports no eta. */
const retryDelay = /^Retry in (\d+(?:\.\d+)?)s/

/** When the task is due, as far as its events say. */
const dueAt = ({ eta, exception, state, updated_at }: WaitingTask): Timestamp.Timestamp => {
  const seconds = state === "retry" ? Number(retryDelay.exec(exception ?? "")?.[1] ?? 0) : 0
  const due = Timestamp.addSeconds(updated_at, Math.min(seconds, maxRetryDelay))
  return eta !== null && eta > due ? eta : due
}

/** Seconds; a longer one is no delay of a retry. */
const maxRetryDelay = 366 * Timestamp.secondsPerDay

/**
 * Asks agents for the outcome of tasks that have no end, by `reconcile_task`, and reports the answers as
 * `task.reconciled` events: of those that started long ago, and of those that wait for longer than they should, or whose
 * outcome is unknown. A lost answer is asked for again.
 */
export class TaskReconciliation extends Effect.Service<TaskReconciliation>()("svc/TaskReconciliation", {
  effect: Effect.gen(function*() {
    const agentsRepo = yield* AgentsRepo
    const projectsRepo = yield* ProjectsRepo
    const tasksRepo = yield* TasksRepo
    const { makeWaitingLookup, makeWorkerLookup } = yield* TaskEvidence
    const commands = yield* CommandsRepo
    const dispatch = yield* CommandDispatch
    const orphans = yield* TaskOrphans
    const ingest = yield* Ingest
    const { commandTimeout, reconcileAfter } = yield* Settings

    const openQuestions = new Map<CommandId, Question>()

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
    const markOrphan = Effect.fnUntraced(function*(question: StartedQuestion, worker: WorkerActivity, answer: string) {
      if (worker.silentSince === null || isActiveOn(question.task_id, worker)) return
      const workerName = worker.name === null ? "The process that ran it" : `Its worker ${worker.name}`
      const detail = `${workerName} has been silent since ${worker.silentSince}, and ${answer}.`
      yield* orphans.mark([{ ...question, detail }])
    })

    const isOnline = (project: ProjectId, agentId: AgentId) =>
      Effect.map(agentsRepo.listOnline(project), (agents) => agents.some(({ id }) => id === agentId))

    /** Whether nothing is left to do with the answer: the ingest queue may be full. */
    const reportStarted = Effect.fnUntraced(
      function*(commandId: CommandId, question: StartedQuestion, answer: Option.Option<EngineAnswer>) {
        const { project_id, started_at, task_id } = question
        const worker = (yield* makeWorkerLookup(project_id, [question], yield* Timestamp.now))(question)
        if (Option.isNone(answer)) {
          const isAsked = yield* isOnline(project_id, question.agent_id)
          if (isAsked) yield* markOrphan(question, worker, "its agent did not say what became of the task")
          return true
        }
        const outcome = isOfEarlierAttempt(answer.value.finished_at, started_at) && !hasLeft(task_id, worker)
          ? null
          : inferOutcome(answer.value, task_id, worker)
        // before the report: after a crash in between the question is asked again
        if (outcome?.outcome === "unknown") {
          yield* markOrphan(question, worker, `the engine says "${outcome.engine_state}"`)
        }
        return outcome === null || reportOutcome(commandId, question, outcome)
      }
    )

    const reportWaiting = Effect.fnUntraced(
      function*(commandId: CommandId, question: WaitingQuestion, answer: EngineAnswer) {
        if (isOfEarlierAttempt(answer.finished_at, question.since)) return true
        const evidence = (yield* makeWaitingLookup(question.project_id, [question], yield* Timestamp.now))(question)
        const outcome = inferWaitingOutcome(answer, question.engine, evidence)
        // that it is still unknown is no news
        if (outcome === null || outcome.outcome === question.state) return true
        return reportOutcome(commandId, question, { ...outcome, waiting_since: question.since })
      }
    )

    /** Reports the answers that have arrived. An answer waits while the ingest queue is full. */
    const reportAnswers = Effect.fn("TaskReconciliation.reportAnswers")(function*() {
      const overdue = Timestamp.addSeconds(yield* Timestamp.now, -2 * commandTimeout)
      for (const { id, result, status } of yield* commands.listEnded([...openQuestions.keys()])) {
        const question = openQuestions.get(id)
        if (question === undefined) continue
        const answer = Option.map(
          status === "completed" ? decodeAnswer(result) : Option.none(),
          (answer): EngineAnswer => ({ ...answer, finished_at: Timestamp.parse(answer.finished_at ?? "") ?? null })
        )
        const isReported = question.kind === "started"
          ? yield* reportStarted(id, question, answer)
          : Option.isNone(answer) || (yield* reportWaiting(id, question, answer.value))
        if (isReported) openQuestions.delete(id)
      }
      for (const [id, { at }] of openQuestions) if (at < overdue) openQuestions.delete(id)
    })

    /** Issues the questions. `key`: whichever replica asks first inserts the only command of a question. */
    const ask = Effect.fnUntraced(function*(questions: ReadonlyArray<Question>, key: (question: Question) => string) {
      if (questions.length === 0) return
      const byId = new Map<CommandId, Question>()
      for (const question of questions) byId.set(yield* Ids.nextOf(CommandId), question)
      const inserted = yield* commands.insert(
        [...byId].map(([id, question]): NewCommand => ({
          id,
          project_id: question.project_id,
          agent_id: question.agent_id,
          issued_by: null,
          action: "reconcile_task",
          engine: question.engine,
          target_type: "task",
          target_id: question.task_id,
          payload: canonicalize({ task_id: question.task_id }),
          sealed_payload: null,
          idempotency_key: `reconcile:${key(question)}:${question.engine}:${question.task_id}`,
          request_hash: null,
          bound_session_id: null,
          bulk_job_id: null,
          worker_before: null,
          issued_at: question.at,
          timeout_at: Timestamp.addSeconds(question.at, commandTimeout),
          status: "pending",
          result: null,
          error: null,
          completed_at: null
        }))
      )
      for (const { agent_id, id } of inserted) {
        openQuestions.set(id, byId.get(id)!)
        if (agent_id !== null) yield* dispatch.notify(agent_id)
      }
    })

    /** The agent to ask: another agent may have another broker, which does not know the task. */
    const makeRouting = Effect.fnUntraced(function*(project: ProjectId) {
      const agents = yield* agentsRepo.listOnline(project)
      return (engine: string, reporter: string | null) => {
        const serving = agents.filter(({ engines }) => engines.includes(engine))
        return serving.find(({ id }) => id === reporter) ?? serving[0]
      }
    })

    const walkStarted = makeProjectWalk({
      maxQuestionsPerTick: maxStartedQuestions,
      list: (project, after, limit) =>
        Effect.flatMap(
          Timestamp.now,
          (now) => tasksRepo.listStarted(project, after, Timestamp.addSeconds(now, -reconcileAfter), limit)
        ),
      select: Effect.fnUntraced(function*(project: ProjectId, tasks: ReadonlyArray<StartedTask>) {
        const worker = yield* makeWorkerLookup(project, tasks, yield* Timestamp.now)
        return tasks.filter((task) => !isActiveOn(task.task_id, worker(task)))
      }),
      ask: Effect.fnUntraced(function*(project: ProjectId, tasks: ReadonlyArray<StartedTask>) {
        if (tasks.length === 0) return
        const at = yield* Timestamp.now
        const route = yield* makeRouting(project)
        const round = Math.floor(Timestamp.toEpochMillis(at) / (reconcileAfter * 1000))
        const questions = tasks.flatMap((task): ReadonlyArray<Question> => {
          const agent = route(task.engine, task.reporter)
          return agent === undefined ? [] : [{ ...task, kind: "started", agent_id: agent.id, at }]
        })
        yield* ask(questions, () => `${round}`)
      })
    })

    /** Whether it is time to ask again: the pauses double, so that a long backlog does not keep the agents busy. */
    const isDue = (task: WaitingTask, now: Timestamp.Timestamp): boolean => {
      const due = dueAt(task)
      if (due > Timestamp.addSeconds(now, -reconcileAfter)) return false
      if (task.asked_at === null) return true
      const [asked, since, at] = [task.asked_at, due, now].map(Timestamp.toEpochMillis) as [number, number, number]
      return at - asked >= Math.max(reconcileAfter * 1000, asked - since)
    }

    const walkWaiting = makeProjectWalk({
      maxQuestionsPerTick: maxWaitingQuestions,
      list: tasksRepo.listWaiting,
      select: Effect.fnUntraced(function*(project: ProjectId, tasks: ReadonlyArray<WaitingTask>) {
        const now = yield* Timestamp.now
        const due = tasks.filter((task) => isDue(task, now))
        const evidence = yield* makeWaitingLookup(project, due, now)
        return due.filter((task) => !evidence(task).isListed)
      }),
      ask: Effect.fnUntraced(function*(project: ProjectId, tasks: ReadonlyArray<WaitingTask>) {
        if (tasks.length === 0) return
        const at = yield* Timestamp.now
        const route = yield* makeRouting(project)
        const histories = yield* tasksRepo.listHistories(project, tasks.map(({ id }) => id))
        const questions = tasks.flatMap((task): ReadonlyArray<Question> => {
          const history = histories.get(task.id)
          if (history === undefined) return []
          const { entries } = TaskHistory.decode(history)
          const last = TaskHistory.findOpenEntry(entries) ?? entries[0]
          const agent = route(task.engine, last?.agentId ?? null)
          return agent === undefined
            ? []
            : [{ ...task, kind: "waiting", since: last?.at ?? task.updated_at, agent_id: agent.id, at }]
        })
        yield* ask(questions, (question) => `waiting ${question.kind === "waiting" ? question.asked_at ?? "" : ""}`)
      })
    })

    /** Reads the next tasks without an end, project after project, and asks about those that no worker lists. */
    const scanTasks = Effect.fn("TaskReconciliation.scanTasks")(function*() {
      const projects = yield* projectsRepo.listIds
      yield* walkStarted(projects)
      yield* walkWaiting(projects)
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
      CommandDispatch.layer,
      CommandsRepo.layer,
      Ingest.layer,
      ProjectsRepo.layer,
      TaskEvidence.layer,
      TaskOrphans.layer,
      TasksRepo.layer
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
