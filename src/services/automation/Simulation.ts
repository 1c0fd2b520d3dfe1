import { Effect } from "effect"
import type { ExecutedAction, Outcome } from "../../domain/automation/Execution.ts"
import { AgentId } from "../../domain/kernel/Id.ts"
import { toEpochMillis } from "../../domain/kernel/Timestamp.ts"
import type { Occurrence, TriggerEvent } from "../../domain/triggers/Trigger.ts"
import { yieldToEventLoop } from "../kernel/concurrency/EventLoop.ts"
import * as Ids from "../kernel/Ids.ts"
import type { LoadedChains } from "./Chains.ts"
import { activate, type ActiveRule, decide } from "./Decide.ts"
import { ceilingSeconds } from "./ExecutionsRepo.ts"
import type { RuleRow } from "./RulesRepo.ts"

/** Something that happened, on which the rule's conditions hold. */
export interface Match {
  readonly event: TriggerEvent
  readonly occurrence: Occurrence
}

/** What the rule would have done about a match. */
export interface Verdict extends Match {
  readonly action: ExecutedAction
  readonly outcome: Outcome
  readonly detail: string | null
  /** Whether this match tripped the breaker. */
  readonly trips: boolean
}

interface Surroundings {
  readonly chains: LoadedChains
  readonly actionsPerMinute: number
}

/** Decisions in one turn of the event loop. */
const decisionsAtOnce = 200

/** Which agents were connected is not stored: one is assumed to have been. */
const anyAgent = AgentId.make(Ids.minId)

/** Moments within the last `seconds`. Moments come in order. */
const makeWindow = (seconds: number) => {
  const moments: Array<number> = []
  let first = 0
  return {
    add: (moment: number): void => void moments.push(moment),
    countAt: (now: number): number => {
      while (first < moments.length && moments[first]! <= now - seconds * 1000) first++
      if (first > 1000 && first * 2 > moments.length) {
        moments.splice(0, first)
        first = 0
      }
      return moments.length - first
    }
  }
}

/**
 * Lets the engine's own decisions run over matches in the order of their time, as if each had been taken at that time and
 * the rule were live and the only one. Nothing is written.
 */
export const simulate = (
  rule: RuleRow,
  matches: ReadonlyArray<Match>,
  { actionsPerMinute, chains }: Surroundings,
  record: (verdict: Verdict) => void
): Effect.Effect<void> =>
  Effect.gen(function*() {
    // the conditions were compared when the history was read
    const active: ActiveRule = {
      ...activate({ ...rule, dry_run: false, cb_tripped: false }, 0),
      matches: () => true
    }
    const executions = makeWindow(rule.window_seconds)
    const commands = makeWindow(ceilingSeconds)
    for (const [index, { event, occurrence }] of matches.entries()) {
      if (index % decisionsAtOnce === 0) yield* yieldToEventLoop
      const now = occurrence.occurred_at
      const millis = toEpochMillis(now)
      const wasTripped = active.breaker.is_tripped
      active.breaker = { is_tripped: wasTripped, executions: executions.countAt(millis) }
      const decisions = yield* decide([active], [{ event, occurrences: [occurrence], created_at: now }], {
        chains,
        agentFor: () => anyAgent,
        now,
        timeoutSeconds: 0,
        actionsLeft: actionsPerMinute - commands.countAt(millis)
      })
      for (const { action, detail, outcome } of decisions.executions) {
        if (outcome === "executed") executions.add(millis)
        record({ event, occurrence, action, outcome, detail, trips: active.breaker.is_tripped && !wasTripped })
      }
      if (decisions.issues.length > 0) commands.add(millis)
    }
  })
