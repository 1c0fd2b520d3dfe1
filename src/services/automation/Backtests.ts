import { Effect, Layer, Option } from "effect"
import type { RuleCreate, RuleTrigger } from "../../domain/automation/Automation.ts"
import type { RuleBacktest, RuleBacktestRequest } from "../../domain/automation/Backtest.ts"
import { NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { type ProjectId, RuleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { makeReport } from "./BacktestReport.ts"
import { guardChains, loadChains } from "./Chains.ts"
import { activate, candidateOf, commandTypeOf } from "./Decide.ts"
import { RuleHistory, type StoredTrigger } from "./History.ts"
import { RuleHistoryRepo } from "./HistoryRepo.ts"
import { checkShape } from "./RuleChecks.ts"
import { type RuleRow, RulesRepo } from "./RulesRepo.ts"
import { type Match, simulate } from "./Simulation.ts"

/** Backtests that one process runs at once; further ones wait. */
const maxConcurrent = 2

const notExactlyOne = new ValidationFailed({
  issues: [{ path: "rule", message: "give either rule or rule_id" }]
})

const withoutHistory = (path: string) =>
  new ValidationFailed({
    issues: [{
      path,
      message: "the brain keeps no history of worker.offline: of a worker only its present state is stored. " +
        "Create the rule with dry_run instead, and read its log"
    }]
  })

/** Tries automation rules on stored history (docs/automation.md, Backtest). It writes nothing. */
export class RuleBacktests extends Effect.Service<RuleBacktests>()("svc/RuleBacktests", {
  effect: Effect.gen(function*() {
    const rules = yield* RulesRepo
    const history = yield* RuleHistory
    const historyRepo = yield* RuleHistoryRepo
    const settings = yield* Settings
    const permits = yield* Effect.makeSemaphore(maxConcurrent)

    /** The days for which rows of the trigger are kept. */
    const retentionDays = (trigger: StoredTrigger): number =>
      trigger === "schedule.misfired" ? settings.scheduleMisfiresRetentionDays : settings.tasksRetentionDays

    const toRow = (project_id: ProjectId, { trigger, ...rule }: RuleCreate, now: Timestamp.Timestamp) =>
      Effect.map(Ids.nextOf(RuleId), (id): RuleRow => ({
        ...rule,
        id,
        project_id,
        trigger_key: trigger,
        cb_tripped: false,
        cb_execution_count: 0,
        cb_reset_at: null,
        created_by: null,
        created_at: now,
        updated_at: now
      }))

    const findRule = Effect.fnUntraced(
      function*(projectId: ProjectId, { rule, rule_id }: RuleBacktestRequest, now: Timestamp.Timestamp) {
        if ((rule === undefined) === (rule_id === undefined)) return yield* notExactlyOne
        if (rule !== undefined) {
          yield* checkShape(rule)
          return yield* toRow(projectId, rule, now)
        }
        const found = rule_id === undefined ? Option.none() : yield* rules.find(projectId, rule_id)
        return yield* Option.match(found, {
          onNone: () => new NotFound({ resource: "automation rule" }),
          onSome: Effect.succeed
        })
      }
    )

    /** The loop guard of the simulated rule: it knows the stored chains of retries, and no command but the rule's own. */
    const loadGuards = Effect.fnUntraced(
      function*(
        projectId: ProjectId,
        trigger: StoredTrigger,
        matches: ReadonlyArray<Match>,
        from: Timestamp.Timestamp
      ) {
        // at the time of its event, a task had not changed further
        const state = trigger === "task.failed" ? "failure" : "started"
        const chains = new Map<string, (id: string) => ReadonlySet<string>>()
        for (const engine of new Set(matches.map(({ event }) => event.engine))) {
          if (engine === null) continue
          const ids = new Set(
            matches.flatMap(({ event, occurrence }) => {
              const candidate = event.engine === engine ? candidateOf(event, occurrence) : null
              return candidate === null ? [] : [candidate.task_id]
            })
          )
          chains.set(engine, yield* loadChains(historyRepo.listParents)(projectId, engine, [...ids]))
        }
        return guardChains({
          find: ({ task_id }) => ({ task_id, state, created_at: from, started_at: null, reporter: null }),
          chainOf: ({ engine, task_id }) => chains.get(engine)?.(task_id) ?? new Set([task_id]),
          commands: new Map(),
          openRetries: new Map()
        })
      }
    )

    const run = Effect.fn("RuleBacktests.run")(function*(request: RuleBacktestRequest) {
      const project = yield* CurrentProject
      const until = yield* Timestamp.now
      const saved = yield* findRule(project.id, request, until)
      const trigger = saved.trigger_key
      if (!isStored(trigger)) return yield* withoutHistory(request.rule === undefined ? "rule_id" : "rule.trigger")
      const days = Math.min(request.days, retentionDays(trigger))
      const from = Timestamp.addSeconds(until, -days * Timestamp.secondsPerDay)
      const rule: RuleRow = { ...saved, created_at: from }
      const tried = activate(rule, 0)
      return yield* permits.withPermits(1)(Effect.gen(function*() {
        const found = yield* history.find(trigger, { projectId: project.id, from, until }, tried)
        const isOnTasks = commandTypeOf(rule) !== undefined
        const chains = yield* loadGuards(project.id, trigger, isOnTasks ? found.matches : [], from)
        const report = makeReport()
        const { automationActionsPerMinute: actionsPerMinute } = settings
        yield* simulate(rule, found.matches, { chains, actionsPerMinute }, report.record)
        return {
          trigger,
          days: request.days,
          covered_from: found.from,
          covered_until: until,
          truncated: found.truncated,
          scanned: found.scanned,
          ...report.result(),
          notes: [...notesOf[trigger], ...(isOnTasks ? notesOfCommands : [])]
        } satisfies RuleBacktest
      }))
    }, orDieOnSql)

    return { run } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([RuleHistory.layer, RuleHistoryRepo.layer, RulesRepo.layer])
  )
}

const isStored = (trigger: RuleTrigger): trigger is StoredTrigger => trigger !== "worker.offline"

const deletedTasks = "Tasks that were deleted since are not counted."

/** What the stored rows of a trigger do not show. */
const notesOf: Readonly<Record<StoredTrigger, ReadonlyArray<string>>> = {
  "task.failed": [deletedTasks],
  "task.succeeded": [deletedTasks],
  "task.retried": [deletedTasks],
  "task.orphaned": [deletedTasks, "Of a task only its last orphaned attempt is stored."],
  "schedule.misfired": ["Misfires of deleted schedules are not counted."]
}

const notesOfCommands: ReadonlyArray<string> = [
  "This rule's actions would have changed later events, which are counted as they were.",
  "Which agents were connected is not stored: the backtest assumes that one was connected.",
  "Loop guard and ceiling count this rule's commands alone."
]
