import { Effect, Schema } from "effect"
import { QueryLimit } from "../../domain/kernel/Query.ts"
import { decodeInput, givenOf } from "../io/DecodeInput.ts"
import type { OptionsOf } from "../program/Group.ts"
import type { page } from "../program/Options.ts"

export const decodeLimit = (limit: number) =>
  decodeInput(Schema.Struct({ limit: QueryLimit }), { limit: String(limit) }, "options")

/** The query of a page of a list, by the same rules as over HTTP. */
export const decodePage = ({ cursor, limit }: OptionsOf<typeof page>) =>
  Effect.map(decodeLimit(limit), (decoded) => ({ ...decoded, ...givenOf({ cursor }) }))
