import { Array as Arr, Clock, Effect } from "effect"
import type { RuleTrigger } from "../../domain/automation/Automation.ts"
import { attemptExecution, type Breaker } from "../../domain/automation/Breaker.ts"
import type { Outcome } from "../../domain/automation/Execution.ts"
import { compileConditions } from "../../domain/automation/Match.ts"
import { formatDuration } from "../../domain/kernel/Duration.ts"
import { type AgentId, CommandId } from "../../domain/kernel/Id.ts"
import type { TaskState } from "../../domain/kernel/TaskState.ts"
import { addSeconds, type Timestamp } from "../../domain/kernel/Timestamp.ts"
import { isKnownName } from "../../domain/tasks/UnknownName.ts"
import type { Occurrence, TriggerEvent } from "../../domain/triggers/Trigger.ts"
import { auditEntry } from "../audit/Row.ts"
import type { IssuedIntent } from "../commands/Issue.ts"
import type { Intent } from "../commands/Model.ts"
import { refusalReason } from "../commands/Refusal.ts"
import * as Ids from "../kernel/Ids.ts"
import type { Candidate, LoadedChains } from "./Chains.ts"
import { ExecutionRows, type Verdict } from "./ExecutionRows.ts"
import type { KnownTask, NewExecution } from "./ExecutionsRepo.ts"
import type { RuleRow } from "./RulesRepo.ts"

/** A rule with its compiled conditions and its breaker, for one batch of events. */
export interface ActiveRule {
  readonly rule: RuleRow
  readonly matches: (event: TriggerEvent, occurrence: Occurrence) => boolean
  breaker: Breaker
  wasTripped: boolean
}

export const activate = (rule: RuleRow, executions: number): ActiveRule => ({
  rule,
  matches: compileConditions(rule.conditions),
  breaker: { is_tripped: rule.cb_tripped, executions },
  wasTripped: rule.cb_tripped
})

/** An event of the batch, with the occurrences that are decided now. */
export interface BatchEvent {
  readonly event: TriggerEvent
  readonly occurrences: ReadonlyArray<Occurrence>
  readonly created_at: Timestamp
}

/** What a rule reports about a condition. */
export interface RuleMessage {
  readonly rule: RuleRow
  readonly event: TriggerEvent
  readonly occurrences: ReadonlyArray<Occurrence>
}

export const commandTypeOf = ({ actions }: Pick<RuleRow, "actions">) =>
  actions.find((action) => action.type === "retry" || action.type === "cancel")

export const candidateOf = (event: TriggerEvent, { task_id }: Occurrence): Candidate | null =>
  event.engine === null || task_id === null
    ? null
    : { engine: event.engine, task_id, task_name: event.task_name ?? "" }

interface Surroundings {
  readonly chains: LoadedChains
  /** The agent that takes the action for the engine now: `reporter`, if it does. */
  readonly agentFor: (action: "retry" | "cancel", engine: string, reporter: AgentId | null) => AgentId | null
  readonly now: Timestamp
  readonly timeoutSeconds: number
  /** Actions that the project's rules may still take within this minute. */
  readonly actionsLeft: number
}

/** What a batch of events of one project becomes. */
export interface Decisions {
  readonly executions: ReadonlyArray<NewExecution>
  readonly issues: ReadonlyArray<IssuedIntent>
  readonly messages: ReadonlyArray<RuleMessage>
}

const actionNames = { retry: "retry_task", cancel: "cancel_task" } as const

/** The states in which a task still needs what its trigger says; absent: all. */
const needyStates: Partial<Record<RuleTrigger, ReadonlyArray<TaskState>>> = {
  "task.failed": ["failure"],
  "task.orphaned": ["started", "unknown"]
}

/**
 * How much later than its end an attempt may seem to have started. Celery's main process reports a start when it learns
 * of it from its child, which may have failed by then.
 */
const maxReportSkewSeconds = 2

const startedAgain = "The task was started again since."

/** Why a retry comes too late: the task changed after the event. Null: it did not. */
const overtakenBy = (
  trigger: RuleTrigger,
  { started_at, state }: KnownTask,
  { occurred_at }: Occurrence
): string | null => {
  if (started_at !== null && started_at > addSeconds(occurred_at, maxReportSkewSeconds)) {
    return startedAgain
  }
  return needyStates[trigger]?.includes(state) === false ? `The task's state is ${state} now.` : null
}

/** Another start showed that the worker was lost: a retry would run the task twice at once. */
const isAboutLostStart = ({ fingerprint, trigger }: TriggerEvent): boolean =>
  trigger === "task.orphaned" && fingerprint !== null

const degradedDetail = ({ max_executions_per_window, window_seconds }: RuleRow) =>
  `The breaker is tripped: ${max_executions_per_window} executions within ${formatDuration(window_seconds)}.`

const intentOf = (
  { id, name }: RuleRow,
  type: "retry" | "cancel",
  { engine, task_id, task_name }: Candidate,
  agent_id: AgentId
): Omit<Intent, "timeout_seconds"> => ({
  agent_id,
  action: actionNames[type],
  engine,
  target_type: "task",
  target_id: task_id,
  parameters: { task_id, ...(type === "retry" && task_name !== "" && isKnownName(task_name) && { task_name }) },
  metadata: { rule_id: id, rule: name }
})

/** The audit row that the command names as its cause. */
const executedEntry = (
  { id, name, project_id }: RuleRow,
  action: "retry" | "cancel",
  { engine, task_id, task_name }: Candidate,
  command_id: CommandId
) =>
  auditEntry("automation.rule.executed", "automation_rule", id, {
    project_id,
    metadata: { name, action, engine, task_id, task_name, command_id }
  })

/**
 * Decides what each rule does about each event. It reads nothing and writes nothing. Plain code but for the clock: a
 * storm brings 10 000 occurrences for each of up to 200 rules. One function, since each step counts for the later ones.
 */
export const decide = (
  rules: ReadonlyArray<ActiveRule>,
  events: ReadonlyArray<BatchEvent>,
  surroundings: Surroundings
) =>
  Effect.gen(function*() {
    const { agentFor, chains, now, timeoutSeconds } = surroundings
    const issues: Array<IssuedIntent> = []
    /** A command of this batch is not sent yet: what happened to its task cannot be its result. */
    const issued = new Set<string>()
    const messages: Array<RuleMessage> = []
    const millis = yield* Clock.currentTimeMillis
    const rows = new ExecutionRows(millis, now)
    let { actionsLeft } = surroundings

    const attempt = (active: ActiveRule): boolean => {
      const { breaker, is_admitted } = attemptExecution(active.breaker, active.rule.max_executions_per_window)
      active.breaker = breaker
      return is_admitted
    }

    const decideCommand = (
      active: ActiveRule,
      type: "retry" | "cancel",
      candidate: Candidate,
      occurrence: Occurrence
    ): Verdict => {
      const { rule } = active
      const refuse = (outcome: Outcome, detail: string): Verdict => ({ outcome, detail })
      const task = chains.find(candidate)
      if (task === undefined) return refuse("not_allowed", "The task is no longer known.")
      const overtaken = type === "retry" ? overtakenBy(rule.trigger_key, task, occurrence) : null
      if (overtaken !== null) return refuse("not_allowed", overtaken)
      const commandKey = `${type} ${candidate.engine} ${candidate.task_id}`
      if (issued.has(commandKey) || chains.hasCommandSince(candidate, type, occurrence.occurred_at)) {
        return refuse("loop_guard", `A rule has issued a ${type} for this event of the task already.`)
      }
      const action = rule.actions.find((each) => each.type === type)
      if (action?.type === "retry") {
        chains.claimOrigin(candidate)
        const retries = chains.countRetries(candidate)
        if (retries >= action.max_retries) {
          return refuse("loop_guard", `${action.max_retries} retries of the task and of its retries are used up.`)
        }
      }
      const agent_id = agentFor(type, candidate.engine, task.reporter)
      if (agent_id === null) return refuse("not_allowed", `No connected agent takes ${type} for ${candidate.engine}.`)
      const intent = { ...intentOf(rule, type, candidate, agent_id), timeout_seconds: timeoutSeconds }
      const refusal = refusalReason(intent)
      if (refusal !== null) return refuse("not_allowed", refusal)
      if (!rule.dry_run && actionsLeft <= 0) {
        return refuse("ceiling", "The project's rules acted as often as they may within a minute.")
      }
      if (!attempt(active)) return refuse("degraded", degradedDetail(rule))
      if (rule.dry_run) return { outcome: "dry_run", detail: null }
      actionsLeft--
      const id = CommandId.make(Ids.uuidv7(millis), { disableValidation: true })
      issued.add(commandKey)
      chains.add(candidate, { action: type, occurred_at: occurrence.occurred_at })
      const command: IssuedIntent = {
        id,
        project_id: rule.project_id,
        intent: { ...intent, cause: executedEntry(rule, type, candidate, id) }
      }
      return { outcome: "executed", detail: null, command }
    }

    for (const { created_at, event, occurrences } of events) {
      for (const active of rules) {
        const { rule } = active
        if (rule.trigger_key !== event.trigger || rule.created_at > created_at) continue
        const matched = occurrences.filter((occurrence) => active.matches(event, occurrence))
        if (matched.length === 0) continue
        const type = commandTypeOf(rule)?.type
        if (type === undefined) {
          const [refused, admitted] = Arr.partition(matched, () => attempt(active))
          const outcome = rule.dry_run ? "dry_run" : "executed"
          rows.add(rule, event, admitted, "notify", { outcome, detail: null })
          rows.add(rule, event, refused, "notify", { outcome: "degraded", detail: degradedDetail(rule) })
        } else {
          for (const occurrence of matched) {
            const candidate = candidateOf(event, occurrence)
            const verdict: Verdict = candidate === null
              ? { outcome: "not_allowed", detail: "The event is about no task." }
              : type === "retry" && isAboutLostStart(event)
              ? { outcome: "not_allowed", detail: startedAgain }
              : decideCommand(active, type, candidate, occurrence)
            rows.add(rule, event, [occurrence], type, verdict)
            if (verdict.command !== undefined) issues.push(verdict.command)
          }
        }
        if (!rule.dry_run && rule.actions.some((action) => action.type === "notify")) {
          messages.push({ rule, event, occurrences: matched })
        }
      }
    }
    return { executions: rows.list(), issues, messages } satisfies Decisions
  })
