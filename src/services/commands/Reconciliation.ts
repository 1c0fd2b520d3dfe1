import { Effect, Layer } from "effect"
import { AgentProcessesRepo } from "../agents/AgentProcesses/Repo.ts"
import { QueuesRepo } from "../agents/Queues/Repo.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { WorkersRepo } from "../agents/Workers/Repo.ts"
import { ProjectsRepo } from "../identity/Projects/Repo.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Settings } from "../kernel/Settings.ts"
import { Ingest } from "../tasks/Ingest.ts"
import { TaskOrphans } from "../tasks/Orphans.ts"
import { TasksRepo } from "../tasks/Repo.ts"
import { CommandDispatch } from "./Dispatch.ts"
import { makeTaskEvidence } from "./Reconciliation/Evidence.ts"
import { makeIssueQuestions, type OpenQuestions } from "./Reconciliation/Questions.ts"
import { makeReportResults } from "./Reconciliation/Results.ts"
import { CommandsRepo } from "./Repo.ts"

/** Maximum open questions. */
const maxOpenQuestions = 200

/**
 * Asks agents for the outcome of tasks that have no end, by `reconcile_task`, and reports the results as
 * `task.reconciled` events: of those that started long ago, and of those that wait for longer than they should, or whose
 * outcome is unknown. A question whose result is lost is asked again.
 */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  const { reconcileAfter } = yield* Settings
  if (reconcileAfter === 0) return
  const openQuestions: OpenQuestions = new Map()
  const evidence = yield* makeTaskEvidence
  const reportResults = yield* makeReportResults(openQuestions, evidence)
  const issueQuestions = yield* makeIssueQuestions(openQuestions, evidence)
  const tick = Effect.gen(function*() {
    yield* reportResults()
    if (openQuestions.size < maxOpenQuestions) yield* issueQuestions()
  })
  yield* loops.every("tasks reconcile", `${Math.min(10, Math.max(1, reconcileAfter / 10))} seconds`, tick)
})).pipe(Layer.provide([
  AgentProcessesRepo.layer,
  AgentsRepo.layer,
  CommandDispatch.layer,
  CommandsRepo.layer,
  Ingest.layer,
  ProjectsRepo.layer,
  QueuesRepo.layer,
  TaskOrphans.layer,
  TasksRepo.layer,
  WorkersRepo.layer
]))
