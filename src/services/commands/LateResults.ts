import type { SqlError } from "@effect/sql"
import { Context, type Effect } from "effect"
import type { CommandId } from "../../domain/kernel/Id.ts"

/**
 * Applies to its schedule the end of a command whose result arrived after the command's timeout. Schedules depend on
 * commands, so the inbox calls them through this tag, in its transaction; `schedules/LateFires.ts` implements it.
 */
export class LateResults extends Context.Tag("svc/LateResults")<LateResults, {
  readonly apply: (
    commands: ReadonlyArray<{ readonly id: CommandId; readonly action: string }>
  ) => Effect.Effect<void, SqlError.SqlError>
}>() {}
