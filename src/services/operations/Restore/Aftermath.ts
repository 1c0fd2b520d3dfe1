import { SqlClient } from "@effect/sql"
import { Effect, Layer, Record } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { CommandStatusRepo } from "../../commands/StatusRepo.ts"
import type { Manifest } from "../Backup/Archive.ts"
import { closingStatements } from "./OpenWork.ts"
import { RestoredSchedules } from "./Schedules.ts"

/**
 * Ends the work in progress that a restored database contains. What happened after the backup is unknown, so nothing is
 * sent, fired or retried again, and every sign-in ends (docs/backup.md, After a restore).
 */
export class RestoreAftermath extends Effect.Service<RestoreAftermath>()("svc/RestoreAftermath", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const commands = yield* CommandStatusRepo
    const schedules = yield* RestoredSchedules

    /**
     * In the restoring transaction. Writes audit rows, so it is called after everything but the restore's own row.
     * `before` is the revision of schedules that this database had before. Returns the rows that were changed.
     */
    const closeOpenWork = Effect.fn("RestoreAftermath.closeOpenWork")(function*(archive: Manifest, before: number) {
      const now = yield* Timestamp.now
      const when = `The database was restored from a backup of ${Timestamp.formatSecond(archive.created_at)}.`
      const unknownCommand = `${when} Whether this command was sent and executed since then is unknown.`
      const ended = {
        commands_unknown: commands.endRestored(now, unknownCommand),
        ...closingStatements(sql, when, now)
      }
      const counts = yield* Effect.all(Record.map(ended, (statement) => Effect.map(statement, (rows) => rows.length)))
      yield* schedules.endStreams(now)
      yield* schedules.raiseRevisions(before)
      const schedules_moved = yield* schedules.moveCursors(now)
      const fires = yield* schedules.endFires(`${when} Whether this tick fired since then is unknown.`)
      const schedules_quarantined = yield* schedules.quarantineUnknown(fires, now)
      return Record.filter(
        { ...counts, schedules_moved, fires_unknown: fires.length, schedules_quarantined },
        (count) => count > 0
      )
    })

    return { closeOpenWork } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([CommandStatusRepo.layer, RestoredSchedules.layer]))
}
