import { Context, Effect } from "effect"
import { m0001 } from "./0001_baseline.ts"
import type { Migration } from "./Migration.ts"

/** Every step in order, the first one with the id 1. A step that has been released is never edited; the next one follows. */
export class MigrationList extends Context.Reference<MigrationList>()("svc/MigrationList", {
  defaultValue: (): ReadonlyArray<Migration> => [m0001]
}) {}

/** The newest revision of the list. */
export const headOf = (list: ReadonlyArray<Migration>): number => list[list.length - 1]?.id ?? 0

/** The newest revision that this program knows. */
export const headRevision: Effect.Effect<number> = Effect.map(MigrationList, headOf)
