import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { ProjectId, ScheduleId, ScheduleStreamId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { ScheduleStream, StreamStatus } from "../../domain/schedules/Schedule/Stream.ts"
import { Reader } from "../kernel/sql/Database.ts"
import { recordset } from "../kernel/sql/Recordset.ts"
import { hasRows } from "../kernel/sql/Rows.ts"
import { decodeSchedules, type ScheduleRow } from "./Repo.ts"

/** A stream whose schedules have no next run yet. */
interface EndedStream {
  readonly stream_id: ScheduleStreamId
  readonly ended_at: Timestamp
}

/** The stream of a schedule, as far as it says whether a run was to be seen. */
export interface WatchedStream extends Pick<ScheduleStream, "observed_at" | "snapshot_at" | "ended_at"> {
  readonly stream_status: StreamStatus
}

/** The runs that engines' own schedulers are to make, and what they depend on. */
export const makeExternalRunsRepo = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader

  return {
    /**
     * Schedules of other schedulers whose run is due without a misfire, and whose stream has shown it as late, ended
     * before it, or is silent since `silentBefore`.
     */
    listLate: (now: Timestamp, silentBefore: Timestamp, limit: number) =>
      Effect.map(
        // the condition of the index `schedules_external_due`
        read<ScheduleRow & WatchedStream>`SELECT s.*, st.status AS stream_status, st.observed_at, st.snapshot_at,
            st.ended_at
          FROM schedules s JOIN schedule_streams st ON st.stream_id = s.stream_id
          LEFT JOIN schedule_misfires m ON m.schedule_id = s.id AND m.expected_fire_at = s.due_at
          WHERE s.stream_id IS NOT NULL AND s.is_enabled = 1 AND s.due_at IS NOT NULL
            AND s.due_at < ${now} AND s.quarantined_at IS NULL AND m.id IS NULL
            AND (st.observed_at > s.due_at
              OR (st.status IN ('ended', 'failed') AND st.ended_at < s.due_at)
              OR (st.status = 'live' AND st.snapshot_at < ${silentBefore}))
          ORDER BY s.due_at LIMIT ${limit}`,
        (rows) => {
          const schedules = decodeSchedules(rows)
          return rows.flatMap((stream, index) => {
            const schedule = schedules[index]
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
    /**
     * Enabled schedules of an ended stream whose next run is not known: the stream never published it, or it was due
     * before the stream ended, and no snapshot has shown whether it came.
     */
    listUnawaited: ({ ended_at, stream_id }: EndedStream) =>
      Effect.map(
        sql<ScheduleRow>`SELECT * FROM schedules
          WHERE stream_id = ${stream_id} AND is_enabled = 1 AND (due_at IS NULL OR due_at <= ${ended_at})`,
        decodeSchedules
      ),
    /** Stores the next runs of schedules of an ended stream. */
    awaitRuns: (
      { ended_at, stream_id }: EndedStream,
      runs: ReadonlyArray<{ readonly id: ScheduleId; readonly due_at: Timestamp }>
    ) =>
      sql`UPDATE schedules SET due_at = r.due_at FROM ${recordset(sql, "r", { id: "uuid", due_at: "text" }, runs)}
        WHERE schedules.id = r.id AND schedules.stream_id = ${stream_id}
          AND (schedules.due_at IS NULL OR schedules.due_at <= ${ended_at})`,
    /** Ended streams whose schedules have no next run yet. */
    listEndedStreams: (endedBefore: Timestamp, limit: number) =>
      sql<EndedStream>`SELECT stream_id, ended_at FROM schedule_streams
        WHERE status IN ('ended', 'failed') AND is_awaited = 0 AND ended_at < ${endedBefore}
        ORDER BY stream_id LIMIT ${limit}`,
    /** False where the stream is open again. */
    markAwaited: ({ ended_at, stream_id }: EndedStream) =>
      hasRows(
        sql`UPDATE schedule_streams SET is_awaited = 1 WHERE stream_id = ${stream_id}
          AND status IN ('ended', 'failed') AND ended_at = ${ended_at} RETURNING 1`
      )
  } as const
})
