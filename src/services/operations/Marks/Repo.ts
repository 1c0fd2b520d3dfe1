import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import * as Ids from "../../kernel/Ids.ts"
import { Reader } from "../../kernel/sql/Database.ts"

interface Range {
  readonly from: Timestamp.Timestamp
  readonly to: Timestamp.Timestamp
}

/** A missed run is found up to so much later: when the brain, or its agent, is there again. */
const longestOutageSeconds = 7 * Timestamp.secondsPerDay

/** Reads what charts mark, the newest first, each kind from an index of its project and time. */
export const makeMarksRepo = Effect.gen(function*() {
  const read = yield* Reader

  /** Ids sort by time. */
  const isIn = ({ from, to }: Range) =>
    read`id >= ${Ids.minIdAt(Timestamp.toEpochMillis(from))} AND id < ${Ids.minIdAt(Timestamp.toEpochMillis(to))}`

  return {
    /** The commands of users; those of schedules and rules are fires and executions. The condition is that of the index. */
    listCommands: (projectId: ProjectId, range: Range, limit: number) =>
      read<{
        readonly id: string
        readonly action: string
        readonly target_type: string
        readonly target_id: string | null
      }>`SELECT id, action, target_type, target_id FROM commands
        WHERE project_id = ${projectId} AND issued_by IS NOT NULL AND action <> 'dlq.list' AND ${isIn(range)}
        ORDER BY id DESC LIMIT ${limit}`,
    listExecutions: (projectId: ProjectId, range: Range, limit: number) =>
      read<{
        readonly id: string
        readonly rule_id: string
        readonly rule_name: string
        readonly action: string
      }>`SELECT id, rule_id, rule_name, action FROM automation_executions
        WHERE project_id = ${projectId} AND ${isIn(range)} AND outcome = 'executed' ORDER BY id DESC LIMIT ${limit}`,
    listMisfires: (projectId: ProjectId, { from, to }: Range, limit: number) =>
      read<{
        readonly schedule_id: string
        readonly name: string
        readonly expected_fire_at: Timestamp.Timestamp
        readonly slots: number
        readonly detail: string | null
      }>`SELECT schedule_id, name, expected_fire_at, slots, detail FROM schedule_misfires
        WHERE project_id = ${projectId} AND ${isIn({ from, to: Timestamp.addSeconds(to, longestOutageSeconds) })}
          AND expected_fire_at >= ${from} AND expected_fire_at < ${to}
        ORDER BY id DESC LIMIT ${limit}`,
    listWindows: (projectId: ProjectId, { from, to }: Range, limit: number) =>
      read<{
        readonly id: string
        readonly name: string
        readonly starts_at: Timestamp.Timestamp
        readonly ends_at: Timestamp.Timestamp
      }>`SELECT id, name, starts_at, ends_at FROM maintenance_windows
        WHERE project_id = ${projectId} AND ends_at >= ${from} AND starts_at < ${to}
        ORDER BY ends_at DESC LIMIT ${limit}`
  } as const
})
