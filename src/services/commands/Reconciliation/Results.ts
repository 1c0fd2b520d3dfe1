import { Effect, Option, Schema } from "effect"
import { canonicalize } from "../../../domain/kernel/CanonicalJson.ts"
import type { AgentId, CommandId, ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import {
  hasLeft,
  inferOutcome,
  inferWaitingOutcome,
  isActiveOn,
  isOfEarlierAttempt,
  type Outcome,
  type ReconciledState,
  ReconcileResult,
  type WorkerActivity
} from "../../../domain/tasks/Task/Outcome.ts"
import { AgentsRepo } from "../../agents/Repo.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Ingest } from "../../tasks/Ingest.ts"
import { TaskOrphans } from "../../tasks/Orphans.ts"
import { CommandsRepo } from "../Repo.ts"
import type { TaskEvidence } from "./Evidence.ts"
import type { OpenQuestions, Question, StartedQuestion, WaitingQuestion } from "./Questions.ts"

const decodeResult = Schema.decodeUnknownOption(Schema.parseJson(ReconcileResult))

/** Reports the agents' results of the open questions. */
export const makeReportResults = Effect.fnUntraced(function*(
  openQuestions: OpenQuestions,
  { makeWaitingLookup, makeWorkerLookup }: TaskEvidence
) {
  const agentsRepo = yield* AgentsRepo
  const commands = yield* CommandsRepo
  const orphans = yield* TaskOrphans
  const ingest = yield* Ingest
  const { commandTimeout } = yield* Settings

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
  const markOrphan = Effect.fnUntraced(function*(question: StartedQuestion, worker: WorkerActivity, reason: string) {
    if (worker.silentSince === null || isActiveOn(question.task_id, worker)) return
    const workerName = worker.name === null ? "The process that ran it" : `Its worker ${worker.name}`
    const detail = `${workerName} has been silent since ${worker.silentSince}, and ${reason}.`
    yield* orphans.mark([{ ...question, detail }])
  })

  const isOnline = (project: ProjectId, agentId: AgentId) =>
    Effect.map(agentsRepo.listOnline(project), (agents) => agents.some(({ id }) => id === agentId))

  /** Whether nothing is left to do with the result: the ingest queue may be full. */
  const reportStarted = Effect.fnUntraced(
    function*(commandId: CommandId, question: StartedQuestion, engineResult: Option.Option<ReconciledState>) {
      const { project_id, started_at, task_id } = question
      const worker = (yield* makeWorkerLookup(project_id, [question], yield* Timestamp.now))(question)
      if (Option.isNone(engineResult)) {
        const isAsked = yield* isOnline(project_id, question.agent_id)
        if (isAsked) yield* markOrphan(question, worker, "its agent did not say what became of the task")
        return true
      }
      const outcome = isOfEarlierAttempt(engineResult.value.finished_at, started_at) && !hasLeft(task_id, worker)
        ? null
        : inferOutcome(engineResult.value, question, worker)
      // before the report: after a crash in between the question is asked again
      if (outcome?.outcome === "unknown") {
        yield* markOrphan(question, worker, `the engine says "${outcome.engine_state}"`)
      }
      return outcome === null || reportOutcome(commandId, question, outcome)
    }
  )

  const reportWaiting = Effect.fnUntraced(
    function*(commandId: CommandId, question: WaitingQuestion, engineResult: ReconciledState) {
      if (isOfEarlierAttempt(engineResult.finished_at, question.since)) return true
      const evidence = (yield* makeWaitingLookup(question.project_id, [question], yield* Timestamp.now))(question)
      const outcome = inferWaitingOutcome(engineResult, question.engine, evidence)
      // that it is still unknown is no news
      if (outcome === null || outcome.outcome === question.state) return true
      return reportOutcome(commandId, question, { ...outcome, waiting_since: question.since })
    }
  )

  /** Reports the results that have arrived. A result waits while the ingest queue is full. */
  return Effect.fn("TaskReconciliation.reportResults")(function*() {
    const overdue = Timestamp.addSeconds(yield* Timestamp.now, -2 * commandTimeout)
    for (const { id, result, status } of yield* commands.listEnded([...openQuestions.keys()])) {
      const question = openQuestions.get(id)
      if (question === undefined) continue
      const engineResult = Option.map(
        status === "completed" ? decodeResult(result) : Option.none(),
        (decoded): ReconciledState => ({ ...decoded, finished_at: Timestamp.parse(decoded.finished_at ?? "") ?? null })
      )
      const isReported = question.kind === "started"
        ? yield* reportStarted(id, question, engineResult)
        : Option.isNone(engineResult) || (yield* reportWaiting(id, question, engineResult.value))
      if (isReported) openQuestions.delete(id)
    }
    for (const [id, { at }] of openQuestions) if (at < overdue) openQuestions.delete(id)
  })
})
