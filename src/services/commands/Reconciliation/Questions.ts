import { Effect } from "effect"
import { canonicalize } from "../../../domain/kernel/CanonicalJson.ts"
import { type AgentId, CommandId, type ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { isActiveOn } from "../../../domain/tasks/Task/Outcome.ts"
import * as TaskHistory from "../../../domain/tasks/TaskHistory.ts"
import { AgentsRepo } from "../../agents/Repo.ts"
import { ProjectsRepo } from "../../identity/Projects/Repo.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { type StartedTask, TasksRepo, type WaitingTask } from "../../tasks/Repo.ts"
import { CommandDispatch } from "../Dispatch.ts"
import { makeQuestionCommand } from "../QuestionCommand.ts"
import { CommandsRepo } from "../Repo.ts"
import type { TaskEvidence } from "./Evidence.ts"
import { makeProjectWalk } from "./ProjectWalk.ts"

/** Questions per tick: an agent processes one question after the other. Waiting tasks may be many, so they have fewer. */
const maxStartedQuestions = 20
const maxWaitingQuestions = 10

export interface StartedQuestion extends StartedTask {
  readonly kind: "started"
  readonly agent_id: AgentId
  readonly at: Timestamp.Timestamp
}

/** `since`: the time of the event that says that the task waits, or ran when it was last heard of. */
export interface WaitingQuestion extends WaitingTask {
  readonly kind: "waiting"
  readonly since: Timestamp.Timestamp
  readonly agent_id: AgentId
  readonly at: Timestamp.Timestamp
}

export type Question = StartedQuestion | WaitingQuestion

/** The questions that this replica has asked, and whose results have not been reported. */
export type OpenQuestions = Map<CommandId, Question>

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

/** Whether it is time to ask again: the pauses double, so that a long backlog does not keep the agents busy. */
const isDue = (task: WaitingTask, reconcileAfter: number, now: Timestamp.Timestamp): boolean => {
  const due = dueAt(task)
  if (due > Timestamp.addSeconds(now, -reconcileAfter)) return false
  if (task.asked_at === null) return true
  const asked = Timestamp.toEpochMillis(task.asked_at)
  const pause = Math.max(reconcileAfter * 1000, asked - Timestamp.toEpochMillis(due))
  return Timestamp.toEpochMillis(now) - asked >= pause
}

/** Issues questions about the next tasks without an end. */
export const makeIssueQuestions = Effect.fnUntraced(function*(
  openQuestions: OpenQuestions,
  { makeWaitingLookup, makeWorkerLookup }: TaskEvidence
) {
  const agentsRepo = yield* AgentsRepo
  const projectsRepo = yield* ProjectsRepo
  const tasksRepo = yield* TasksRepo
  const commands = yield* CommandsRepo
  const dispatch = yield* CommandDispatch
  const { commandTimeout, reconcileAfter } = yield* Settings

  /** `key`: of several replicas, the first one inserts the only command of a question. */
  const issue = Effect.fnUntraced(function*(questions: ReadonlyArray<Question>, key: (question: Question) => string) {
    if (questions.length === 0) return
    const byId = new Map<CommandId, Question>()
    for (const question of questions) byId.set(yield* Ids.nextOf(CommandId), question)
    const inserted = yield* commands.insert(
      [...byId].map(([id, question]) =>
        makeQuestionCommand({
          id,
          project_id: question.project_id,
          agent_id: question.agent_id,
          action: "reconcile_task",
          engine: question.engine,
          target_type: "task",
          target_id: question.task_id,
          payload: canonicalize({ task_id: question.task_id }),
          idempotency_key: `reconcile:${key(question)}:${question.engine}:${question.task_id}`,
          issued_at: question.at
        }, commandTimeout)
      )
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
      yield* issue(questions, () => `${round}`)
    })
  })

  const walkWaiting = makeProjectWalk({
    maxQuestionsPerTick: maxWaitingQuestions,
    list: tasksRepo.listWaiting,
    select: Effect.fnUntraced(function*(project: ProjectId, tasks: ReadonlyArray<WaitingTask>) {
      const now = yield* Timestamp.now
      const due = tasks.filter((task) => isDue(task, reconcileAfter, now))
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
      yield* issue(questions, (question) => `waiting ${question.kind === "waiting" ? question.asked_at ?? "" : ""}`)
    })
  })

  /** Reads the next tasks without an end, project after project, and asks about those that no worker lists. */
  return Effect.fn("TaskReconciliation.issueQuestions")(function*() {
    const projects = yield* projectsRepo.listIds
    yield* walkStarted(projects)
    yield* walkWaiting(projects)
  })
})
