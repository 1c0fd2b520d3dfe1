import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId, ScheduleId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { hasRows } from "../kernel/sql/Rows.ts"
import { decodeSchedules, type ScheduleRow } from "./Repo.ts"
import type { StreamStatus } from "./StreamsRepo.ts"

/** The stream of a schedule, as far as it says whether a run was to be seen. */
export interface WatchedStream {
  readonly stream_status: StreamStatus
  readonly observed_at: Timestamp | null
  readonly snapshot_at: Timestamp | null
  readonly ended_at: Timestamp | null
}

/** The condition of the index `schedules_external_due`. */
const isDue = "s.stream_id IS NOT NULL AND s.is_enabled = 1 AND s.due_at IS NOT NULL"

export class ExternalMisfiresRepo extends Effect.Service<ExternalMisfiresRepo>()("svc/ExternalMisfiresRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    return {
      /**
       * Schedules whose run is due without a misfire, and whose stream has shown it as late, ended before it, or is
       * silent since `silentBefore`.
       */
      listDue: (now: Timestamp, silentBefore: Timestamp, limit: number) =>
        Effect.map(
          read<ScheduleRow & WatchedStream>`SELECT s.*, st.status AS stream_status, st.observed_at, st.snapshot_at,
              st.ended_at
            FROM schedules s JOIN schedule_streams st ON st.stream_id = s.stream_id
            LEFT JOIN schedule_misfires m ON m.schedule_id = s.id AND m.expected_fire_at = s.due_at
            WHERE ${read.literal(isDue)} AND s.due_at < ${now} AND s.quarantined_at IS NULL AND m.id IS NULL
              AND (st.observed_at > s.due_at
                OR (st.status IN ('ended', 'failed') AND st.ended_at < s.due_at)
                OR (st.status = 'live' AND st.snapshot_at < ${silentBefore}))
            ORDER BY s.due_at LIMIT ${limit}`,
          (rows) => {
            const schedules = decodeSchedules(rows)
            return rows.flatMap((stream, at) => {
              const schedule = schedules[at]
              return schedule === undefined ? [] : [{ schedule, stream }]
            })
          }
        ),
      /** Whether a worker of BullMQ that takes the queue's jobs is connected. */
      hasWorker: (projectId: ProjectId, queue: string) =>
        hasRows(
          read`SELECT 1 FROM workers WHERE project_id = ${projectId} AND engine = 'bullmq' AND state = 'online'
            AND queues LIKE ${`%${JSON.stringify(queue).replace(/[\\%_]/g, "\\$&")}%`} ESCAPE '\\' LIMIT 1`
        ),
      /** Ended streams whose schedules have no next run yet. */
      listUnawaited: (endedBefore: Timestamp, limit: number) =>
        sql<{ readonly stream_id: ScheduleStreamId; readonly ended_at: Timestamp }>`
          SELECT stream_id, ended_at FROM schedule_streams
          WHERE status IN ('ended', 'failed') AND is_awaited = 0 AND ended_at < ${endedBefore}
          ORDER BY stream_id LIMIT ${limit}`,
      /**
       * Enabled schedules of the stream whose next run is not known: it never said it, or it was due before the stream
       * ended, and no snapshot has shown whether it came.
       */
      listOpen: (id: ScheduleStreamId, endedAt: Timestamp) =>
        Effect.map(
          sql<ScheduleRow>`SELECT * FROM schedules
            WHERE stream_id = ${id} AND is_enabled = 1 AND (due_at IS NULL OR due_at <= ${endedAt})`,
          decodeSchedules
        ),
      /** Stores the next runs; nothing where the stream is open again. */
      await: (
        stream: { readonly stream_id: ScheduleStreamId; readonly ended_at: Timestamp },
        runs: ReadonlyArray<{ readonly id: ScheduleId; readonly due_at: Timestamp }>
      ) =>
        Effect.gen(function*() {
          const isEnded = yield* hasRows(
            sql`UPDATE schedule_streams SET is_awaited = 1 WHERE stream_id = ${stream.stream_id}
              AND status IN ('ended', 'failed') AND ended_at = ${stream.ended_at} RETURNING 1`
          )
          if (!isEnded || runs.length === 0) return
          yield* sql`UPDATE schedules SET due_at = r.due_at FROM ${
            recordset(sql, "r", { id: "uuid", due_at: "text" }, runs)
          } WHERE schedules.id = r.id AND schedules.stream_id = ${stream.stream_id}
            AND (schedules.due_at IS NULL OR schedules.due_at <= ${stream.ended_at})`
        }),
      /** A run ended the row of late ticks: the misfire at `expected` stands for so many. */
      setSlots: (
        rows: ReadonlyArray<{
          readonly schedule_id: ScheduleId
          readonly expected_fire_at: Timestamp
          readonly slots: number
        }>
      ) =>
        sql`UPDATE schedule_misfires SET slots = r.slots FROM ${
          recordset(sql, "r", { schedule_id: "uuid", expected_fire_at: "text", slots: "integer" }, rows)
        } WHERE schedule_misfires.schedule_id = r.schedule_id
          AND schedule_misfires.expected_fire_at = r.expected_fire_at AND schedule_misfires.slots < r.slots`
    } as const
  })
}) {
  static readonly layer = this.Default
}
