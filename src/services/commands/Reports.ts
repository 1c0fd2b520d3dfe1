import { canFollow } from "../../domain/commands/Command.ts"
import { parseFiredTask } from "../../domain/commands/Command/TaskRetry.ts"
import type { CommandId } from "../../domain/kernel/Id.ts"
import type { Redaction } from "../../domain/kernel/Redaction.ts"
import { toStorable } from "../../domain/kernel/Text.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import type { CommandAck, CommandReport, FinishTransition, LockedCommand } from "./Model.ts"

/** Characters of an agent's error text that are kept (the agents' protocol, section 2.6). */
const maxErrorCharacters = 8192

/**
 * The effect of a batch of reports on the locked rows. `strays` counts reports that fit no command that was sent to
 * their agent. A second result, or a result for a cancelled command, changes nothing.
 */
export const matchReports = (
  reports: ReadonlyArray<CommandReport>,
  rows: ReadonlyArray<LockedCommand>,
  redaction: Redaction
) => {
  const byId = new Map<string, LockedCommand>(rows.map((row) => [row.id, row]))
  const ackTimes = new Map<CommandId, Timestamp>()
  const endings = new Map<CommandId, FinishTransition>()
  let strays = 0
  for (const { at, kind, report } of reports) {
    const row = byId.get(report.commandId)
    if (row === undefined || row.agent_id !== report.agentId || row.worker_id === null) {
      strays++
      continue
    }
    if (kind === "acked") {
      if (row.acked_at === null && row.status !== "cancelled" && !ackTimes.has(row.id)) ackTimes.set(row.id, at)
      continue
    }
    const status = report.status === "success" ? "completed" : "failed"
    if (!canFollow(row.status, status) || endings.has(row.id)) continue
    // not every agent masks its results (the agents' protocol, section 0, point 15)
    const result = report.result === null ? null : redaction.json(report.result)
    endings.set(row.id, {
      row,
      end: {
        id: row.id,
        status,
        acked_at: null,
        result,
        error: report.error === null ? null : toStorable(redaction.text(report.error), maxErrorCharacters),
        completed_at: at,
        created_task_id: status === "completed" ? parseFiredTask(row.action, result) : null
      }
    })
  }
  return {
    acks: [...ackTimes].flatMap((
      [id, acked_at]
    ): ReadonlyArray<CommandAck> => (endings.has(id) ? [] : [{ id, acked_at }])),
    endings: [...endings.values()].map(({ end, row }): FinishTransition => ({
      row,
      end: { ...end, acked_at: ackTimes.get(row.id) ?? null }
    })),
    strays
  }
}
