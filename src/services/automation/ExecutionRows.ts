import type { ExecutedAction, Outcome } from "../../domain/automation/Execution.ts"
import { ExecutionId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { Occurrence, TriggerEvent } from "../../domain/triggers/Trigger.ts"
import type { IssuedIntent } from "../commands/Issue.ts"
import * as Ids from "../kernel/Ids.ts"
import type { NewExecution } from "./ExecutionsRepo.ts"
import type { RuleRow } from "./RulesRepo.ts"

/** What a rule does about an occurrence. */
export interface Verdict {
  readonly outcome: Outcome
  readonly detail: string | null
  readonly command?: IssuedIntent
}

/** The rows that a batch writes into the log. Matches without an execution share a row, so that a storm writes a few. */
export class ExecutionRows {
  private readonly rows = new Map<string, NewExecution>()

  /** `millis`: of the ids. */
  constructor(private readonly millis: number, private readonly now: Timestamp) {}

  add(
    rule: RuleRow,
    event: TriggerEvent,
    occurrences: ReadonlyArray<Occurrence>,
    action: ExecutedAction,
    { command, detail, outcome }: Verdict
  ): void {
    const [first] = occurrences
    if (first === undefined) return
    const isExecuted = outcome === "executed" || outcome === "dry_run"
    const isOwn = isExecuted && action !== "notify"
    const key = isOwn ? `${this.rows.size}` : `${rule.id} ${outcome} ${detail} ${isExecuted ? event.condition : ""}`
    const same = this.rows.get(key)
    const times = occurrences.length + (same?.occurrences ?? 0)
    const occurred_at = occurrences.reduce(
      (newest, occurrence) => (occurrence.occurred_at > newest ? occurrence.occurred_at : newest),
      same?.occurred_at ?? first.occurred_at
    )
    if (same !== undefined) {
      this.rows.set(key, { ...same, occurrences: times, task_id: null, occurred_at })
      return
    }
    this.rows.set(key, {
      id: ExecutionId.make(Ids.uuidv7(this.millis), { disableValidation: true }),
      project_id: rule.project_id,
      rule_id: rule.id,
      rule_name: rule.name,
      trigger_key: rule.trigger_key,
      condition_key: event.condition,
      action,
      outcome,
      occurrences: times,
      engine: event.engine,
      task_id: times === 1 ? first.task_id : null,
      task_name: event.task_name,
      command_id: command?.id ?? null,
      detail,
      occurred_at,
      created_at: this.now
    })
  }

  list(): ReadonlyArray<NewExecution> {
    return [...this.rows.values()]
  }
}
