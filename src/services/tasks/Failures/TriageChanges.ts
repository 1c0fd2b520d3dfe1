import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Layer } from "effect"
import { system } from "../../../domain/kernel/Actor.ts"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { Triage } from "../../../domain/tasks/Failure/Triage.ts"
import { makeSingleEvent, type TriggerEvent } from "../../../domain/triggers/Trigger.ts"
import { Audit, auditEntry } from "../../audit/Audit.ts"
import type { AuditEntry } from "../../audit/Row.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { orDieOnSql, Reader } from "../../kernel/sql/Database.ts"
import { noKeySkipLocked } from "../../kernel/sql/Dialect.ts"
import { recordset } from "../../kernel/sql/Recordset.ts"
import { hasRows } from "../../kernel/sql/Rows.ts"
import { TriggerEvents } from "../../triggers/TriggerEvents.ts"
import { escalationOf, startOfEscalation } from "./Escalation.ts"

const server = system("failure triage")

/** Groups of one transaction. */
const groupsAtOnce = 100

/** Characters of an event's detail (`domain/triggers/Trigger.ts`). */
const maxDetailLength = 300

interface ChangedGroup {
  readonly project_id: ProjectId
  readonly fingerprint: string
  readonly engine: string
  readonly task_name: string
  readonly sample_exception: string | null
  readonly sample_task_id: string
}

/** A change of a group's triage, as the activity names it. */
export const triageEntry = (
  { fingerprint, project_id, task_name }: Pick<ChangedGroup, "project_id" | "fingerprint" | "task_name">,
  action: string,
  metadata: Readonly<Record<string, unknown>>
): AuditEntry => (auditEntry(`failure_group.${action}`, "failure_group", fingerprint, {
  project_id,
  metadata: { name: task_name, ...metadata }
}))

/** Of an exception, as events and messages have it. */
export const firstLineOf = (exception: string | null): string | null =>
  (exception?.split(/[\r\n]/, 1)[0] ?? "").slice(0, maxDetailLength).toWellFormed() || null

/** A group that failed after it was resolved. */
export const regressedEvent = (
  { engine, fingerprint, project_id, sample_exception, sample_task_id, task_name }: ChangedGroup,
  at: Timestamp.Timestamp
): TriggerEvent =>
  makeSingleEvent({
    project_id,
    trigger: "failure_group.regressed",
    condition: fingerprint,
    engine,
    task_name,
    fingerprint,
    subject: { type: "failure_group", id: fingerprint, name: task_name }
  }, {
    occurred_at: at,
    task_id: sample_task_id,
    detail: firstLineOf(sample_exception)
  })

/** A change that no person makes: which groups `g` it concerns, and what they become. */
interface Change {
  readonly isDue: (now: Timestamp.Timestamp) => Statement.Fragment
  readonly triage: Triage
  readonly action: string
  readonly eventsOf?: typeof regressedEvent
}

/**
 * What the brain changes in the triage of groups: a resolved one that failed again regresses, and mutes end. The ingest
 * does not look at triage at all; partial indexes have the groups to change, which are few.
 */
export const makeTriageChanges = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const audit = yield* Audit
  const triggers = yield* TriggerEvents

  const changes: ReadonlyArray<Change> = [
    {
      isDue: () => sql.literal("g.triage = 'resolved' AND g.last_seen_at > g.triaged_at"),
      triage: "regressed",
      action: "regressed",
      eventsOf: regressedEvent
    },
    {
      isDue: (now) => sql`g.triage = 'muted' AND g.muted_until <= ${now}`, // a word is greater than every time
      triage: "open",
      action: "unmuted"
    },
    {
      isDue: (now) =>
        sql`g.triage = 'muted' AND g.muted_until = 'escalates' AND g.last_seen_at >= ${startOfEscalation(now)}
          AND ${escalationOf(sql, now, "triaged_at")} IS NOT NULL`,
      triage: "open",
      action: "unmuted"
    },
    {
      isDue: (now) =>
        sql`g.triage = 'muted' AND g.muted_until = 'next_deploy' AND EXISTS (
          SELECT 1 FROM deploys d WHERE d.project_id = g.project_id AND d.at > g.triaged_at AND d.at <= ${now})`,
      triage: "open",
      action: "unmuted"
    }
  ]

  const apply = ({ action, eventsOf, isDue, triage }: Change, now: Timestamp.Timestamp) =>
    Effect.gen(function*() {
      const groups = yield* sql<ChangedGroup>`
        SELECT g.project_id, g.fingerprint, g.engine, g.task_name, g.sample_exception, g.sample_task_id
        FROM failure_groups g WHERE ${isDue(now)} ORDER BY g.project_id, g.fingerprint LIMIT ${groupsAtOnce}
        ${noKeySkipLocked(sql)}`
      if (groups.length === 0) return
      const keys = groups.map(({ fingerprint, project_id }) => ({ project_id, fingerprint }))
      yield* sql`UPDATE failure_groups SET triage = ${triage}, triaged_at = ${now}, triaged_by = NULL, muted_until = NULL
        FROM ${recordset(sql, "r", { project_id: "uuid", fingerprint: "text" }, keys)}
        WHERE failure_groups.project_id = r.project_id AND failure_groups.fingerprint = r.fingerprint`
      if (eventsOf !== undefined) yield* triggers.record(groups.map((group) => eventsOf(group, now)))
      yield* audit.recordAll(groups.map((group) => ({ actor: server, entry: triageEntry(group, action, {}) })))
    }).pipe(sql.withTransaction)

  /** Makes the changes that are due. Every replica may: each takes the groups that no other one has locked. */
  return Effect.fn("FailureTriage.applyChanges")(function*() {
    const now = yield* Timestamp.now
    for (const change of changes) {
      const isSome = yield* hasRows(read`SELECT 1 FROM failure_groups g WHERE ${change.isDue(now)} LIMIT 1`)
      if (isSome) yield* apply(change, now)
    }
  }, orDieOnSql)
})

export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  const applyChanges = yield* makeTriageChanges
  yield* loops.every("failure triage", "2 seconds", applyChanges())
})).pipe(Layer.provide(TriggerEvents.layer))
