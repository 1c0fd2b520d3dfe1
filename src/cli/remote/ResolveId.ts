import { Effect, Option, Schema } from "effect"
import { caseInsensitiveId } from "../../domain/kernel/Id.ts"
import { findOne, notFound, type Sought } from "../io/Find.ts"
import { isIdPart } from "../io/ShortId.ts"
import type { CliError } from "../program/Explain.ts"

/**
 * The id of the record that a person typed the id, a part of it, or the name of. A whole id is taken as it is; `list`, which
 * is only run for anything else, returns the candidates.
 */
export const resolveId = <Id extends string, A extends { readonly id: Id }, E, R>(
  id: Schema.Schema<Id, string>,
  list: Effect.Effect<ReadonlyArray<A>, E, R>,
  sought: Sought<A>
): Effect.Effect<Id, CliError | E, R> => {
  const whole = Schema.decodeOption(caseInsensitiveId(id))(sought.given)
  if (Option.isSome(whole)) return Effect.succeed(whole.value)
  return isIdPart(sought.given)
    ? Effect.map(Effect.flatMap(list, (rows) => findOne(rows, sought)), (row) => row.id)
    : notFound(sought)
}
