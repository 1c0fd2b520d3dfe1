import { SqlError } from "@effect/sql"
import { Effect } from "effect"
import { isDataError, isUnavailable } from "./Database.ts"

/** Whether the rows of a write are at fault, and not the database: the same write would fail again. */
export const areRowsAtFault = (error: SqlError.SqlError): boolean => !isUnavailable(error) && isDataError(error)

interface RowWriter<A, R> {
  readonly write: (rows: ReadonlyArray<A>) => Effect.Effect<unknown, SqlError.SqlError, R>
  /** Handles the one row that cannot be written. */
  readonly refuse: (row: A, error: SqlError.SqlError) => Effect.Effect<void>
  readonly areAtFault?: (error: SqlError.SqlError) => boolean
}

/**
 * Writes rows together. When one of them is at fault, halves them until it is found, and refuses it alone: one row must
 * not stop the others for ever. A failure of the database itself fails the effect.
 */
export const writeOrRefuse = <A, R>(
  rows: ReadonlyArray<A>,
  writer: RowWriter<A, R>
): Effect.Effect<void, SqlError.SqlError, R> => {
  const { areAtFault = areRowsAtFault, refuse, write } = writer
  return Effect.suspend(() => write(rows)).pipe(
    Effect.asVoid,
    Effect.catchAllDefect((cause) => new SqlError.SqlError({ cause, message: "the writer failed" })),
    Effect.catchAll((error) => {
      const [first] = rows
      if (first === undefined || !areAtFault(error)) return Effect.fail(error)
      if (rows.length === 1) return refuse(first, error)
      const middle = rows.length >> 1
      return Effect.zipRight(
        writeOrRefuse(rows.slice(0, middle), writer),
        writeOrRefuse(rows.slice(middle), writer)
      )
    })
  )
}
