import { Console, Effect, Layer } from "effect"
import * as DatabaseLayer from "../../../layers/Database.ts"
import * as SchemaTables from "../../../layers/SchemaTables.ts"
import { Reset } from "../../../services/operations/Reset.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { layerInspection } from "../../program/ReadOnlyDatabase.ts"
import { settings } from "../../program/Settings.ts"
import { inspect } from "../Inspection.ts"
import type { definitions } from "../reset.ts"
import { countRows, linesOfRows } from "../RowCounts.ts"

const layerReset = Reset.layer.pipe(
  Layer.provide(SchemaTables.layer),
  Layer.provide(DatabaseLayer.layerUnmigrated),
  Layer.provide(settings())
)

export const handlers: HandlersOf<typeof definitions> = {
  reset: Effect.fnUntraced(function*({ force, json }) {
    const counted = yield* Effect.provide(countRows, layerInspection) // fails where there is no database
    const rows = counted.filter(([, { n }]) => n > 0)
    const { database_url } = yield* inspect
    const summary = { database_url, rows: Object.fromEntries(rows.map(([name, { n }]) => [name, n])) }
    if (!force) {
      yield* Console.log(
        json
          ? JSON.stringify({ ...summary, wiped: false })
          : [`database: ${database_url}`, ...(rows.length === 0 ? ["rows: none"] : ["rows:", ...linesOfRows(rows)])]
            .join("\n")
      )
      return yield* new CliError({
        usage: true,
        message:
          "nothing was wiped. svc reset --force deletes these rows for good, users, keys and the audit log among them"
      })
    }
    const { checkpoints, revision } = yield* Effect.provide(Effect.flatMap(Reset, ({ wipe }) => wipe()), layerReset)
    if (json) return yield* Console.log(JSON.stringify({ ...summary, wiped: true, revision, checkpoints }))
    yield* Console.log(
      [
        `wiped ${database_url}: ${rows.length} tables had rows; the schema is at revision ${revision}`,
        ...(checkpoints === null ? [] : [`the checkpoints of the wiped audit log are in ${checkpoints}`]),
        "svc serve now prints a new setup link; agents need new tokens, people and scripts new keys"
      ].join("\n")
    )
  })
}
