import { SqlClient } from "@effect/sql"
import { Effect, Layer, Struct } from "effect"
import {
  type AutomationSettings,
  type Rule,
  type RuleCreate,
  ruleFields,
  type RuleShape,
  type RuleUpdate
} from "../../domain/automation/Automation.ts"
import type { ListedRule } from "../../domain/automation/Execution.ts"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { RuleId } from "../../domain/kernel/Id.ts"
import { selectChanges } from "../../domain/kernel/Patch.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ChannelsRepo } from "../alerting/Channels/Repo.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeChange, makeNew } from "../approvalGate/Subject.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject, requireRole } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { decodeStart, pageOf } from "../kernel/sql/RowPage.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { TriggerEvents } from "../triggers/TriggerEvents.ts"
import { ExecutionsRepo } from "./ExecutionsRepo.ts"
import { RuleMessagesRepo } from "./MessagesRepo.ts"
import { checkShape, makeRuleChecks, roleFor } from "./RuleChecks.ts"
import { type RuleRow, RulesRepo } from "./RulesRepo.ts"

interface ExecutionsQuery {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

/** Rules of a project. The list has no pages, and each event is compared with all of them. */
const maxRules = 200

const tooManyRules = new Conflict({
  code: "too_many_automation_rules",
  detail: `The project has ${maxRules} rules, which is the limit. Delete one first.`
})

const orNotFound = orFail(new NotFound({ resource: "automation rule" }))

const toRule = ({ cb_reset_at: _, trigger_key: trigger, ...row }: RuleRow): Rule => ({ ...row, trigger })

const shapeOf = ({ actions, conditions, trigger_key: trigger }: RuleRow): RuleShape => ({
  actions,
  conditions,
  trigger
})

/** All that a person can set of a rule. */
const definitionOf = (rule: RuleRow) => Struct.pick(toRule(rule), ...Struct.keys(ruleFields))

/** The same with its breaker. */
const armingOf = (rule: RuleRow) => ({
  ...definitionOf(rule),
  cb_tripped: rule.cb_tripped,
  cb_execution_count: rule.cb_execution_count
})

/**
 * The automation rules of a project (docs/automation.md): what the brain does by itself when something happens. A rule
 * belongs to its project and stays active when its creator leaves.
 */
// one object of short methods: each checks, writes and audits one change of a rule
export class AutomationRules extends Effect.Service<AutomationRules>()("svc/AutomationRules", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* RulesRepo
    const executions = yield* ExecutionsRepo
    const messages = yield* RuleMessagesRepo
    const triggerEvents = yield* TriggerEvents
    const gate = yield* ApprovalGate
    const { authorize, checkApproval, checkChannels } = yield* makeRuleChecks
    const audit = yield* Audit
    const { restMaxPageSize } = yield* Settings

    const recordChange = (verb: string, rule: RuleRow, metadata: Readonly<Record<string, unknown>> = {}) =>
      audit.record(auditEntry(`automation.rule.${verb}`, "automation_rule", rule.id, {
        project_id: rule.project_id,
        metadata: { name: rule.name, ...metadata }
      }))

    const describeShape = (rule: RuleRow) => ({
      trigger: rule.trigger_key,
      conditions: rule.conditions,
      actions: rule.actions,
      dry_run: rule.dry_run,
      is_enabled: rule.is_enabled
    })

    const list = Effect.fn("AutomationRules.list")(function*() {
      const { id } = yield* CurrentProject
      const rows = yield* repo.list(id)
      return {
        items: rows.map(({ last_occurred_at: occurred_at, last_outcome: outcome, ...row }): ListedRule => ({
          ...toRule(row),
          last_execution: outcome === null || occurred_at === null ? null : { outcome, occurred_at }
        }))
      }
    }, orDieOnSql)

    const get = Effect.fn("AutomationRules.get")(function*(id: RuleId) {
      const project = yield* CurrentProject
      return toRule(yield* Effect.flatMap(repo.find(project.id, id), orNotFound))
    }, orDieOnSql)

    const create = Effect.fn("AutomationRules.create")(
      function*(input: RuleCreate) {
        const { trigger, ...request } = input
        const project = yield* CurrentProject
        const actor = yield* CurrentActor
        yield* authorize(project.id, [request])
        yield* checkShape({ ...request, trigger })
        yield* checkChannels(project.id, request)
        yield* lockName(sql, `rules ${project.id}`)
        if ((yield* repo.count(project.id)) >= maxRules) return yield* tooManyRules
        yield* checkApproval("rule_create", input, input, makeNew(input), [input])
        const now = yield* Timestamp.now
        const rule: RuleRow = {
          ...request,
          id: yield* Ids.nextOf(RuleId),
          project_id: project.id,
          trigger_key: trigger,
          cb_tripped: false,
          cb_execution_count: 0,
          cb_reset_at: null,
          created_by: actor.kind === "person" ? actor.user_id : null,
          created_at: now,
          updated_at: now
        }
        yield* repo.insertSettings(project.id, now)
        yield* repo.insert(rule)
        yield* triggerEvents.bumpRevision(project.id)
        yield* recordChange("created", rule, describeShape(rule))
        return toRule(rule)
      },
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    const update = Effect.fn("AutomationRules.update")(
      function*(id: RuleId, body: RuleUpdate) {
        const project = yield* CurrentProject
        const before = yield* Effect.flatMap(repo.findForUpdate(project.id, id), orNotFound)
        const { trigger, ...changes } = selectChanges(ruleFields, body)
        const rule: RuleRow = {
          ...before,
          ...changes,
          trigger_key: trigger ?? before.trigger_key,
          updated_at: yield* Timestamp.now
        }
        yield* authorize(project.id, [before, rule])
        yield* checkShape(shapeOf(rule))
        if (changes.actions !== undefined) yield* checkChannels(project.id, rule)
        const change = makeChange(definitionOf(before), definitionOf(rule))
        yield* checkApproval("rule_update", { rule_id: id, body }, before, change, [before, rule])
        yield* repo.update(rule)
        if (!rule.is_enabled) yield* messages.dropDue({ rule: rule.id })
        yield* triggerEvents.bumpRevision(project.id)
        yield* recordChange("updated", rule, { ...describeShape(rule), changed: Object.keys(changes) })
        return toRule(rule)
      },
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    const remove = Effect.fn("AutomationRules.remove")(function*(id: RuleId) {
      const project = yield* CurrentProject
      const rule = yield* Effect.flatMap(repo.findForUpdate(project.id, id), orNotFound)
      yield* requireRole(project.id, roleFor([rule])) // without a step-up: a rule that does harm must end at once
      yield* repo.delete(project.id, id)
      yield* triggerEvents.bumpRevision(project.id)
      yield* recordChange("deleted", rule)
    }, inTransaction(sql))

    /** Arms the breaker: executions before this moment no longer count. */
    const resetCircuit = Effect.fn("AutomationRules.resetCircuit")(
      function*(id: RuleId) {
        const project = yield* CurrentProject
        const before = yield* Effect.flatMap(repo.findForUpdate(project.id, id), orNotFound)
        yield* authorize(project.id, [before])
        const now = yield* Timestamp.now
        const rule: RuleRow = { ...before, cb_tripped: false, cb_execution_count: 0, cb_reset_at: now, updated_at: now }
        // the count grows with each execution; a breaker that was armed and tripped since is another one
        const { cb_reset_at, cb_tripped } = before
        const change = makeChange(armingOf(before), armingOf(rule), {
          ...definitionOf(before),
          cb_reset_at,
          cb_tripped
        })
        yield* checkApproval("rule_reset", { rule_id: id }, before, change, [before])
        yield* repo.update(rule)
        yield* recordChange("circuit_reset", rule, {
          was_tripped: before.cb_tripped,
          executions: before.cb_execution_count
        })
        return toRule(rule)
      },
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    /** What the rule did or would have done, newest first. */
    const listExecutions = Effect.fn("AutomationRules.listExecutions")(
      function*(id: RuleId, { cursor, limit = 100 }: ExecutionsQuery) {
        const project = yield* CurrentProject
        yield* Effect.flatMap(repo.find(project.id, id), orNotFound)
        const list = "rule_executions"
        const page = { cursor, limit: Math.min(limit, restMaxPageSize) }
        const after = yield* decodeStart(list, page)
        return pageOf(
          list,
          page,
          yield* executions.listPage(project.id, id, { after, limit: page.limit + 1, now: yield* Timestamp.now })
        )
      },
      orDieOnSql
    )

    const getSettings = Effect.fn("AutomationRules.getSettings")(function*() {
      const { id } = yield* CurrentProject
      return { automation_enabled: yield* repo.isEnabled(id) }
    }, orDieOnSql)

    const setSettings = Effect.fn("AutomationRules.setSettings")(function*({ automation_enabled }: AutomationSettings) {
      const { id } = yield* CurrentProject
      yield* repo.setEnabled(id, automation_enabled, yield* Timestamp.now)
      if (!automation_enabled) yield* messages.dropDue({ project: id })
      yield* triggerEvents.bumpRevision(id)
      yield* audit.record(auditEntry("automation.settings.updated", "project", id, {
        project_id: id,
        metadata: { automation_enabled }
      }))
      return { automation_enabled }
    }, inTransaction(sql))

    return { list, get, create, update, remove, resetCircuit, listExecutions, getSettings, setSettings } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      ApprovalGate.layer,
      ChannelsRepo.layer,
      ExecutionsRepo.layer,
      RuleMessagesRepo.layer,
      RulesRepo.layer,
      TriggerEvents.layer
    ])
  )
}
