import { Effect, Option, Schema } from "effect"
import { QueryLimit } from "../../domain/kernel/Query.ts"
import { decodeInput } from "../io/DecodeInput.ts"

export interface PageOptions {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

export const decodeLimit = (limit: number) =>
  decodeInput(Schema.Struct({ limit: QueryLimit }), { limit: String(limit) }, "options")

/** The query of a page of a list, by the same rules as over HTTP. */
export const decodePage = ({ cursor, limit }: PageOptions) =>
  Effect.map(decodeLimit(limit), (decoded) => ({
    ...decoded,
    ...(Option.isSome(cursor) && { cursor: cursor.value })
  }))
