import { Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Occurrence, TriggerEvent } from "../../domain/triggers/Trigger.ts"
import { type ActorEntry, Audit, auditEntry } from "../audit/Audit.ts"
import { Commands } from "../commands/Commands.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import type { IssuedIntent } from "../commands/Issue.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { TriggerEventsRepo, type WaitingEvent } from "../triggers/TriggerEvents/Repo.ts"
import { type LoadedChains, RetryChains } from "./Chains.ts"
import { activate, type ActiveRule, type BatchEvent, candidateOf, commandTypeOf, decide } from "./Decide.ts"
import { ExecutionsRepo } from "./ExecutionsRepo.ts"
import { RuleMessages } from "./Messages.ts"
import { RulesRepo } from "./RulesRepo.ts"

/** Who issues the commands of rules. The audit row of each names its rule. */
const automation = system("automation")

/** Events of one transaction. Each has up to 100 occurrences, which are compared with up to 200 rules in one go. */
const eventsAtOnce = 25

/** How long an event waits for the result of a retry that may have caused it. */
const waitSeconds = 2

/**
 * Takes trigger events out of the outbox and lets the rules of their projects act. The removal of the events, the log,
 * the breakers, the messages and the commands are one transaction: a process that dies acts once or not yet.
 */
export class AutomationEngine extends Effect.Service<AutomationEngine>()("svc/AutomationEngine", {
  effect: Effect.gen(function*() {
    const rules = yield* RulesRepo
    const executions = yield* ExecutionsRepo
    const chains = yield* RetryChains
    const messages = yield* RuleMessages
    const events = yield* TriggerEventsRepo
    const agents = yield* EngineAgents
    const commands = yield* Commands
    const audit = yield* Audit
    const { automationActionsPerMinute, commandTimeout } = yield* Settings

    /** The rules that an event of the batch can concern, with the executions in the windows of their breakers. */
    const loadRules = Effect.fnUntraced(
      function*(projectId: ProjectId, batch: ReadonlyArray<WaitingEvent>, now: Timestamp.Timestamp) {
        const triggers = new Set<string>(batch.map(({ event }) => event.trigger))
        const concerned = (yield* rules.listActive(projectId)).filter(({ trigger_key }) => triggers.has(trigger_key))
        if (concerned.length === 0) return []
        const windows = concerned.map((rule) => {
          const windowStart = Timestamp.addSeconds(now, -rule.window_seconds)
          // a reset after `now` is one before the clock was set back: it would open the breaker until then
          const isReset = rule.cb_reset_at !== null && rule.cb_reset_at > windowStart && rule.cb_reset_at <= now
          return { rule_id: rule.id, since: isReset ? rule.cb_reset_at : windowStart }
        })
        const counts = yield* executions.countSince(windows, now)
        return concerned.map((rule) => activate(rule, counts.get(rule.id) ?? 0))
      }
    )

    const loadChains = (
      projectId: ProjectId,
      batch: ReadonlyArray<WaitingEvent>,
      active: ReadonlyArray<ActiveRule>,
      now: Timestamp.Timestamp
    ) => {
      const onTasks = active.filter(({ rule }) => commandTypeOf(rule) !== undefined)
      const candidates = batch.flatMap(({ event }) =>
        event.occurrences.flatMap((occurrence) => {
          const candidate = candidateOf(event, occurrence)
          return candidate !== null && onTasks.some((rule) => concerns(rule, event, occurrence)) ? [candidate] : []
        })
      )
      return chains.load(projectId, candidates, now)
    }

    const postpone = Effect.fnUntraced(
      function*({ created_at, event }: WaitingEvent, occurrences: ReadonlyArray<Occurrence>, now: Timestamp.Timestamp) {
        if (occurrences.length === 0) return
        yield* events.insert([{
          id: yield* Ids.next,
          consumer: "rules",
          project_id: event.project_id,
          payload: JSON.stringify({ ...event, occurrences }),
          due_at: Timestamp.addSeconds(now, waitSeconds),
          created_at
        }])
      }
    )

    const processProject = Effect.fnUntraced(
      function*(projectId: ProjectId, batch: ReadonlyArray<WaitingEvent>, now: Timestamp.Timestamp) {
        yield* rules.lockProject(projectId)
        const active = yield* loadRules(projectId, batch, now)
        if (active.length === 0) return nothing
        const loaded = yield* loadChains(projectId, batch, active, now)
        const parts = batch.map((waiting) => splitEvent(waiting, active, loaded))
        for (const [index, { waiting }] of parts.entries()) yield* postpone(batch[index]!, waiting, now)
        const chooseRetry = yield* agents.chooseIn(projectId, "retry_task")
        const chooseCancel = yield* agents.chooseIn(projectId, "cancel_task")
        const actions = yield* messages.countRecent(projectId, now)
        const decisions = yield* decide(active, parts.map(({ now }) => now), {
          chains: loaded,
          agentFor: (action, engine, reporter) => (action === "retry" ? chooseRetry : chooseCancel)(engine, reporter),
          now,
          timeoutSeconds: commandTimeout,
          actionsLeft: automationActionsPerMinute - actions
        })
        for (const { id, task_id } of loaded.claims) yield* executions.claim(id, task_id)
        if (decisions.executions.length > 0) yield* executions.insert(decisions.executions)
        yield* rules.saveBreakers(active.map(({ breaker, rule: { id } }) => ({
          id,
          cb_tripped: breaker.is_tripped,
          cb_execution_count: breaker.executions
        })))
        const tripped = active.filter(({ breaker, wasTripped }) => breaker.is_tripped && !wasTripped)
        yield* messages.add(decisions.messages, tripped.map(({ rule }) => rule), now)
        yield* messages.sendDue(projectId, automationActionsPerMinute - actions - decisions.issues.length, now)
        return { issues: decisions.issues, entries: tripped.map(tripEntry) }
      }
    )

    /** In the transaction that takes the events. Projects come in one order on every replica, so that two cannot deadlock. */
    const process = Effect.fn("AutomationEngine.process")(function*(batch: ReadonlyArray<WaitingEvent>) {
      const now = yield* Timestamp.now
      const issues: Array<IssuedIntent> = []
      const entries: Array<ActorEntry> = []
      for (const projectId of [...new Set(batch.map(({ event }) => event.project_id))].sort()) {
        const own = batch.filter(({ event }) => event.project_id === projectId)
        const done = yield* processProject(projectId, own, now)
        issues.push(...done.issues)
        entries.push(...done.entries)
      }
      yield* audit.recordAll(entries)
      yield* commands.issueAll(issues).pipe(Effect.provideService(CurrentActor, automation))
    })

    return { process } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      Commands.layer,
      EngineAgents.layer,
      ExecutionsRepo.layer,
      RetryChains.layer,
      RuleMessages.layer,
      RulesRepo.layer,
      TriggerEventsRepo.layer
    ])
  )

  static readonly layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
    const engine = yield* AutomationEngine
    const triggerEvents = yield* TriggerEvents
    yield* triggerEvents.consumeForever("automation rules", "rules", engine.process, { limit: eventsAtOnce })
  })).pipe(Layer.provide([this.layer, TriggerEvents.layer]))
}

const concerns = ({ matches, rule }: ActiveRule, event: TriggerEvent, occurrence: Occurrence): boolean =>
  rule.trigger_key === event.trigger && matches(event, occurrence)

const nothing: { readonly issues: ReadonlyArray<IssuedIntent>; readonly entries: ReadonlyArray<ActorEntry> } = {
  issues: [],
  entries: []
}

/** Splits an event into the occurrences for now, and those that wait for the result of a retry. */
const splitEvent = (
  { created_at, event }: WaitingEvent,
  active: ReadonlyArray<ActiveRule>,
  loaded: LoadedChains
) => {
  const retries = active.filter(({ rule }) => commandTypeOf(rule)?.type === "retry")
  const waits = (occurrence: Occurrence): boolean => {
    const candidate = candidateOf(event, occurrence)
    return candidate !== null && retries.some((rule) => concerns(rule, event, occurrence)) &&
      loaded.mustWait(candidate)
  }
  const waiting = event.occurrences.filter(waits)
  const occurrences = event.occurrences.filter((occurrence) => !waiting.includes(occurrence))
  return { now: { event, occurrences, created_at } satisfies BatchEvent, waiting }
}

const tripEntry = ({ breaker, rule }: ActiveRule): ActorEntry => ({
  actor: automation,
  entry: auditEntry("automation.rule.circuit_tripped", "automation_rule", rule.id, {
    project_id: rule.project_id,
    metadata: { name: rule.name, executions: breaker.executions, window_seconds: rule.window_seconds }
  })
})
