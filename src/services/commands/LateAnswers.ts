import type { SqlError } from "@effect/sql"
import { Context, type Effect } from "effect"
import type { CommandId } from "../../domain/kernel/Id.ts"

/**
 * What a command's end means to its schedule, where the answer came after the command's timeout. Schedules stand above
 * commands, so the inbox calls them through this tag, in its transaction; `schedules/LateFires.ts` has it.
 */
export class LateAnswers extends Context.Tag("svc/LateAnswers")<LateAnswers, {
  readonly apply: (
    commands: ReadonlyArray<{ readonly id: CommandId; readonly action: string }>
  ) => Effect.Effect<void, SqlError.SqlError>
}>() {}
