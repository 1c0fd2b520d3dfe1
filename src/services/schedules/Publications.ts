import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import type { AgentId, ProjectId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Publication } from "../../domain/schedules/Schedule/External.ts"
import { isOpen, type ScheduleStream } from "../../domain/schedules/Schedule/Stream.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { makeClaimedSchedules } from "./ClaimedSchedules.ts"
import { ClaimsRepo } from "./ClaimsRepo.ts"
import { MisfiresRepo } from "./MisfiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"
import { StreamsRepo } from "./StreamsRepo.ts"

/** The audit rows of what agents publish. */
const agents = system("agents")

interface Counts {
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/**
 * Writes what agents publish: the claims of each stream, and the schedules that follow from them (`ClaimedSchedules.ts`).
 * Each publication is one transaction.
 */
export class Publications extends Effect.Service<Publications>()("svc/Publications", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const schedules = yield* SchedulesRepo
    const streams = yield* StreamsRepo
    const claims = yield* ClaimsRepo
    const { writeClaims, writeSchedules } = yield* makeClaimedSchedules
    const audit = yield* Audit

    /**
     * One revision for all schedules of a transaction. It is taken in a transaction of its own: schedulers do not watch
     * schedules that the service does not fire, and the lock of the revisions would hold back all fires.
     */
    const nextRevision = schedules.takeRevisions(1)

    const record = (stream: ScheduleStream, { deleted, inserted, updated }: Counts) =>
      inserted + updated + deleted === 0 ? Effect.void : audit.recordAll([{
        actor: agents,
        entry: auditEntry("schedules.published", "agent", stream.agent_id, {
          project_id: stream.project_id,
          metadata: { scheduler: stream.scheduler, inserted, updated, deleted }
        })
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
        yield* record(locked, yield* writeSchedules(locked, [...touched], revision))
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
        const shared = yield* claims.listShared(stream.stream_id)
        yield* record(stream, yield* writeSchedules(stream, shared, revision))
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
      for (const { stream_id } of yield* streams.listByAgents([agentId])) {
        const stream = yield* streams.lock(projectId, stream_id)
        if (stream === null) continue
        const stored = yield* claims.list(stream_id)
        yield* claims.delete(stream_id, stored.map(({ source_key }) => source_key))
        const touched = [...new Set(stored.map(({ schedule_id }) => schedule_id))]
        if (touched.length === 0) continue
        count += (yield* writeSchedules(stream, touched, revision)).deleted
      }
      return count
    })

    return { accept, end, nextRevision, withdraw } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ClaimsRepo.layer, MisfiresRepo.layer, SchedulesRepo.layer, StreamsRepo.layer])
  )
}

const isNewer = (stream: ScheduleStream, { epoch, isComplete, sequence }: Publication): boolean =>
  isOpen(stream) && stream.epoch_uuid === epoch.epoch_uuid &&
  stream.epoch_number === epoch.epoch_number && sequence > stream.accepted_sequence &&
  (isComplete || stream.status === "live")

type OpenEpoch = Pick<ScheduleStream, "stream_id" | "epoch_number" | "project_id">
