import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { type AgentId, type ProjectId, ScheduleId, type ScheduleStreamId } from "../../domain/kernel/Id.ts"
import * as Redaction from "../../domain/kernel/Redaction.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import {
  assignKnown,
  chooseNames,
  makeExternalSchedule,
  type NamedRow,
  planClaims,
  publishedNames,
  qualifyName
} from "../../domain/schedules/Schedule/Claims.ts"
import type { Publication } from "../../domain/schedules/Schedule/External.ts"
import { findMissedSlots } from "../../domain/schedules/Schedule/ExternalRun.ts"
import { Audit } from "../audit/Audit.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { nextToken } from "./ControlToken.ts"
import { MisfiresRepo } from "./MisfiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"
import { isOpen, type NewClaim, type ScheduleStream, StreamsRepo } from "./StreamsRepo.ts"

/** The audit rows of what agents publish. */
const agents = system("agents")

interface Counts {
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/** Where the claims are that a transaction has changed. */
interface Scope {
  readonly projectId: ProjectId
  readonly scheduler: string
}

/**
 * Writes what agents publish: the claims of each stream, and the schedules that follow from them (`domain/schedules/Schedule/Claims.ts`).
 * Each publication is one transaction. One constructor: all that changes claims ends in `writeSchedules`.
 */
export class Publications extends Effect.Service<Publications>()("svc/Publications", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const schedules = yield* SchedulesRepo
    const streams = yield* StreamsRepo
    const misfires = yield* MisfiresRepo
    const audit = yield* Audit
    const hints = yield* Hints
    const redaction = Redaction.make((yield* Settings).redactExtraKeys)

    /**
     * One revision for all schedules of a transaction. It is taken in a transaction of its own: schedulers do not watch
     * schedules that the service does not fire, and the lock of the revisions would hold back all fires.
     */
    const nextRevision = schedules.takeRevisions(1)

    /** The schedule that a new source_key is about: the one with the key, else one with the name, else a new one. */
    const assignSchedules = Effect.fnUntraced(function*(
      { projectId, scheduler }: Scope,
      added: ReadonlyArray<NamedRow>,
      claimed: ReadonlySet<ScheduleId>
    ) {
      if (added.length === 0) return new Map<string, ScheduleId>()
      const found = yield* schedules.listByNames(projectId, scheduler, {
        keys: added.map(({ row }) => row.source_key),
        names: added.map(({ name }) => name)
      })
      const assigned = assignKnown(added, found, claimed)
      for (const { row } of added) {
        if (!assigned.has(row.source_key)) assigned.set(row.source_key, yield* Ids.nextOf(ScheduleId))
      }
      return assigned
    })

    /** Writes the claims of a publication; returns the schedules whose claims have changed. */
    const writeClaims = Effect.fnUntraced(function*(stream: ScheduleStream, publication: Publication) {
      const { stream_id } = stream
      const stored = new Map((yield* streams.listClaims(stream_id)).map((claim) => [claim.source_key, claim]))
      const published = new Set(publication.schedules.map(({ source_key }) => source_key))
      const deletedKeys = publication.isComplete
        ? [...stored.keys()].filter((key) => !published.has(key))
        : publication.deletedSourceKeys.filter((key) => stored.has(key) && !published.has(key))
      const names = publishedNames(publication, stored)
      const deleted = new Set(deletedKeys)
      const remaining = new Set(
        [...stored.values()].flatMap((claim) => deleted.has(claim.source_key) ? [] : [claim.schedule_id])
      )
      const named = publication.schedules.map((row) => ({ row, name: names.get(row.source_key) ?? row.name }))
      const assigned = yield* assignSchedules(
        { projectId: stream.project_id, scheduler: stream.scheduler },
        named.filter(({ row }) => !stored.has(row.source_key)),
        remaining
      )
      const changed = named.flatMap(({ name, row }): ReadonlyArray<NewClaim> => {
        const before = stored.get(row.source_key)
        if (before?.name === name && before.projection_digest === row.projection_digest) return []
        const schedule_id = before?.schedule_id ?? assigned.get(row.source_key)
        return schedule_id === undefined ? [] : [{ stream_id, schedule_id, name, row }]
      })
      yield* streams.deleteClaims(stream_id, deletedKeys)
      yield* streams.writeClaims(changed)
      const isFirst = stream.status === "activating" // until now its claims did not count as live
      return {
        count: stored.size - deletedKeys.length + assigned.size,
        touched: new Set([
          ...(isFirst ? stored.values() : []),
          ...changed,
          ...deletedKeys.flatMap((key) => stored.get(key) ?? [])
        ].map(({ schedule_id }) => schedule_id))
      }
    })

    /** Writes the schedules again that follow from changed claims, all under one revision. */
    const writeSchedules = Effect.fnUntraced(function*(
      scope: Scope,
      touched: ReadonlyArray<ScheduleId>,
      schedule_revision: number
    ) {
      if (touched.length === 0) return { inserted: 0, updated: 0, deleted: 0 }
      const now = yield* Timestamp.now
      const claimsOf = Arr.groupBy(yield* streams.listClaimsOf(touched), ({ schedule_id }) => schedule_id)
      const current = new Map((yield* schedules.lockByIds(touched)).map((schedule) => [schedule.id, schedule]))
      const deletes: Array<Schedule> = []
      const writes: Array<{ readonly schedule: Schedule; readonly before: Schedule | null }> = []
      const counts = { inserted: 0, updated: 0, deleted: 0 }
      for (const id of touched) {
        const before = current.get(id) ?? null
        const plan = planClaims(before, claimsOf[id] ?? [], scope.scheduler, now, redaction.json)
        if (plan.kind === "keep") continue
        if (plan.kind === "delete") {
          if (before === null) continue
          counts.deleted++
          deletes.push(before)
          continue
        }
        if (before === null) counts.inserted++
        else if (plan.isDefinitionChanged) counts.updated++
        const { fields, isDefinitionChanged } = plan
        const control_token = isDefinitionChanged || before === null ? yield* nextToken : before.control_token
        writes.push({
          before,
          schedule: makeExternalSchedule({
            id,
            project_id: scope.projectId,
            scheduler: scope.scheduler,
            before,
            fields,
            isDefinitionChanged,
            control_token,
            now
          })
        })
      }
      // a run after a row of missed ticks says how many they were
      const missed = writes.flatMap(({ before, schedule }) => before === null ? [] : findMissedSlots(before, schedule))
      if (missed.length > 0) yield* misfires.setSlots(missed)
      const named = yield* resolveNames(scope, writes.map(({ schedule }) => schedule), deletes)
      const renamed = writes.flatMap(({ before }, index) =>
        before !== null && before.name !== named[index]?.name ? [before.id] : []
      )
      yield* schedules.deleteAll(deletes)
      if (renamed.length > 0) yield* schedules.releaseNames(renamed)
      yield* schedules.writeAll(named.map((schedule) => ({ ...schedule, schedule_revision })))
      if (named.length + deletes.length > 0) yield* hints.publish("schedules", scope.projectId)
      return counts
    })

    /** Names that no other schedule of the scheduler has: a claimed name may be another agent's. */
    const resolveNames = Effect.fnUntraced(function*(
      { projectId, scheduler }: Scope,
      written: ReadonlyArray<Schedule>,
      deletes: ReadonlyArray<Schedule>
    ) {
      if (written.length === 0) return written
      const found = yield* schedules.listByNames(projectId, scheduler, {
        keys: [],
        names: written.flatMap(({ name, source_key }) => [name, qualifyName(name, source_key ?? "")])
      })
      const moving = new Set([...written, ...deletes].map(({ id }) => id))
      return chooseNames(written, found.flatMap(({ id, name }) => moving.has(id) ? [] : [name]))
    })

    const record = (stream: ScheduleStream, { deleted, inserted, updated }: Counts) =>
      inserted + updated + deleted === 0 ? Effect.void : audit.recordAll([{
        actor: agents,
        entry: {
          action: "schedules.published",
          target_type: "agent",
          target_id: stream.agent_id,
          project_id: stream.project_id,
          metadata: { scheduler: stream.scheduler, inserted, updated, deleted }
        }
      }])

    const apply = Effect.fnUntraced(
      function*(projectId: ProjectId, publication: Publication, revision: number) {
        // the cast: any text may be requested, and finds no stream
        const locked = yield* streams.lock(projectId, publication.epoch.stream_id as ScheduleStreamId)
        if (locked === null || !isNewer(locked, publication)) return "stale" as const
        const { count, touched } = yield* writeClaims(locked, publication)
        const now = yield* Timestamp.now
        // before the schedules: the claims are live from now on
        yield* streams.update({
          ...locked,
          accepted_sequence: publication.sequence,
          schedule_count: count,
          error: null,
          error_at: null,
          ...(publication.isComplete &&
            {
              status: "live",
              snapshot_digest: publication.digest,
              snapshot_at: now,
              observed_at: publication.observedAt
            })
        })
        yield* record(locked, yield* writeSchedules(scopeOf(locked), [...touched], revision))
        return "accepted" as const
      },
      sql.withTransaction
    )

    /**
     * Applies a verified publication. `stale`: it is of another epoch, or not newer than the last one; nothing is
     * written. A run alone writes no audit row.
     */
    const accept = Effect.fn("Publications.accept")(function*(projectId: ProjectId, publication: Publication) {
      return yield* apply(projectId, publication, yield* nextRevision)
    })

    const release = Effect.fnUntraced(
      function*(epoch: OpenEpoch, status: "ended" | "failed" | "not_allowed", error: string | null, revision: number) {
        const stream = yield* streams.lock(epoch.project_id, epoch.stream_id)
        if (stream === null || stream.epoch_number !== epoch.epoch_number || !isOpen(stream)) return
        const now = yield* Timestamp.now
        yield* streams.update({ ...stream, status, ended_at: now, ...(error !== null && { error, error_at: now }) })
        const shared = yield* streams.listShared(stream.stream_id)
        yield* record(stream, yield* writeSchedules(scopeOf(stream), shared, revision))
      },
      sql.withTransaction
    )

    /**
     * Ends the stream's epoch, unless another one has begun: its session ended, or the agent refused. Schedules that
     * another live stream claims too are that stream's from now on.
     */
    const end = Effect.fn("Publications.end")(
      function*(epoch: OpenEpoch, status: "ended" | "failed" | "not_allowed", error: string | null) {
        yield* release(epoch, status, error, yield* nextRevision)
      }
    )

    /**
     * Withdraws all claims of an agent that is being deleted, in the caller's transaction, which records it: schedules of
     * that agent alone are deleted with it. Returns their number. `revision` is of `nextRevision`, from before the
     * transaction.
     */
    const withdraw = Effect.fn("Publications.withdraw")(function*(
      projectId: ProjectId,
      agentId: AgentId,
      revision: number
    ) {
      let count = 0
      for (const { scheduler, stream_id } of yield* streams.listByAgents([agentId])) {
        const stream = yield* streams.lock(projectId, stream_id)
        if (stream === null) continue
        const stored = yield* streams.listClaims(stream_id)
        yield* streams.deleteClaims(stream_id, stored.map(({ source_key }) => source_key))
        const touched = [...new Set(stored.map(({ schedule_id }) => schedule_id))]
        if (touched.length === 0) continue
        count += (yield* writeSchedules({ projectId, scheduler }, touched, revision)).deleted
      }
      return count
    })

    return { accept, end, nextRevision, withdraw } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([MisfiresRepo.layer, SchedulesRepo.layer, StreamsRepo.layer])
  )
}

const scopeOf = ({ project_id, scheduler }: ScheduleStream): Scope => ({ projectId: project_id, scheduler })

const isNewer = (stream: ScheduleStream, { epoch, isComplete, sequence }: Publication): boolean =>
  isOpen(stream) && stream.epoch_uuid === epoch.epoch_uuid &&
  stream.epoch_number === epoch.epoch_number && sequence > stream.accepted_sequence &&
  (isComplete || stream.status === "live")

type OpenEpoch = Pick<ScheduleStream, "stream_id" | "epoch_number" | "project_id">
