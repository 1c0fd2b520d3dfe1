import { SqlClient, type SqlError } from "@effect/sql"
import { Context, Effect, FiberRef } from "effect"

/** A value that both drivers bind as it is. */
export type Parameter = string | number | null

/** Runs the statement with the values of its `?`, in their order. */
export type PreparedRead<Row> = (
  ...parameters: ReadonlyArray<Parameter>
) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

type RowMode = "object" | "array"

/**
 * The reads that every request repeats, such as that of its API key. Each statement is prepared once for each connection: a
 * read of one row takes 5 to 10 µs on SQLite instead of 25 to 30 µs through `Reader`, most of which compose the text. All
 * other reads use `Reader`.
 */
export class PreparedReads extends Context.Tag("svc/PreparedReads")<PreparedReads, {
  /** The rows as objects. */
  readonly rows: <Row extends object>(text: string) => PreparedRead<Row>
  /** The rows as arrays of their cells, in the order of the columns. */
  readonly values: (text: string) => PreparedRead<ReadonlyArray<unknown>>
}>() {}

/** How a driver runs a text, written with its own placeholders. */
type Execute = (
  text: string,
  mode: RowMode
) => (parameters: ReadonlyArray<Parameter>) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** Prepared statements of a driver. `sql` reads while spans are made, and within a transaction, which has its own connection. */
export const make = (sql: SqlClient.SqlClient, execute: Execute): Context.Tag.Service<PreparedReads> => {
  const prepare = (source: string, mode: RowMode) => {
    const text = sql.onDialectOrElse({ pg: () => numberPlaceholders(source), orElse: () => source })
    const read = execute(text, mode)
    return (...parameters: ReadonlyArray<Parameter>) =>
      Effect.withFiberRuntime<ReadonlyArray<unknown>, SqlError.SqlError>((fiber) => {
        const isPlain = !fiber.getFiberRef(FiberRef.currentTracerEnabled) &&
          !fiber.currentContext.unsafeMap.has(SqlClient.TransactionConnection.key)
        if (isPlain) return read(parameters)
        const statement = sql.unsafe(text, parameters)
        return mode === "object" ? statement : statement.values
      })
  }
  return {
    // the cast: the caller knows the columns of its statement
    rows: <Row extends object>(text: string) => prepare(text, "object") as PreparedRead<Row>,
    values: (text) => prepare(text, "array") as PreparedRead<ReadonlyArray<unknown>>
  }
}

const numberPlaceholders = (text: string): string => {
  let count = 0
  return text.replace(/\?/g, () => `$${++count}`)
}
