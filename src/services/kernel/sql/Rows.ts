import { Effect, Option, Schema } from "effect"
import { BooleanColumn } from "./ColumnTypes.ts"

/*
 * How repositories read their statements' rows. A row that its schema refuses is a defect, since the program wrote it:
 * that is why these do not use SqlSchema, which puts a ParseError into the type of every caller. Hot reads keep the rows
 * as the driver returns them, each with the number that decides it.
 */

type Statement<E, R> = Effect.Effect<ReadonlyArray<object>, E, R>

/** All rows, decoded. */
export const rowsOf = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return <E, R>(statement: Statement<E, R>): Effect.Effect<ReadonlyArray<A>, E, R> =>
    Effect.map(statement, (rows) => decode(rows))
}

/** The first row, decoded, if there is one. */
export const firstRowOf = <A, I>(row: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownSync(row)
  return <E, R>(statement: Statement<E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.map(statement, ([first]) => (first === undefined ? Option.none() : Option.some(decode(first))))
}

/** The row, or the failure where there is none. */
export const orFail = <E>(failure: E) => <A>(found: Option.Option<A>): Effect.Effect<A, E> =>
  Effect.mapError(found, () => failure)

/** Whether the statement returned a row. */
export const hasRows = <E, R>(statement: Statement<E, R>): Effect.Effect<boolean, E, R> =>
  Effect.map(statement, (rows) => rows.length > 0)

const firstCount = firstRowOf(Schema.Struct({ n: Schema.Int }))

/** The `n` of `SELECT count(*) AS n`. */
export const countOf = <E, R>(statement: Statement<E, R>): Effect.Effect<number, E, R> =>
  Effect.map(firstCount(statement), Option.match({ onNone: () => 0, onSome: ({ n }) => n }))

const firstLocked = firstRowOf(Schema.Struct({ locked: BooleanColumn }))

/** The `locked` (0 or 1) of an update; false when it changed no row. */
export const isLocked = <E, R>(statement: Statement<E, R>): Effect.Effect<boolean, E, R> =>
  Effect.map(firstLocked(statement), Option.exists(({ locked }) => locked))
