import { Effect, Option, Schema } from "effect"
import type { CommandPublic, CommandStatus } from "../../domain/Command.ts"
import { QueryLimit } from "../../domain/Task/Filter.ts"
import { decodeInput } from "../DecodeInput.ts"
import { printAnswer, withRemote } from "../Remote.ts"
import { formatAge, type Column, formatPage } from "../Table.ts"

const columns: ReadonlyArray<Column<CommandPublic>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "ACTION", cell: ({ action }) => action },
  { head: "TARGET", cell: ({ target_id }) => target_id, minLength: 8, dropRank: 1 },
  { head: "AGE", cell: ({ issued_at }, view) => formatAge(issued_at, view) },
  { head: "ERROR", cell: ({ error }) => error, maxLength: 60, minLength: 10, hidesEmpty: true },
  { head: "ID", cell: ({ id }) => id }
]

export const run = ({ cursor, json, limit, project, status }: {
  readonly status: Option.Option<CommandStatus>
  readonly cursor: Option.Option<string>
  readonly limit: number
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const urlParams = {
        ...(yield* decodeInput(Schema.Struct({ limit: QueryLimit }), { limit: String(limit) }, "options")),
        ...(Option.isSome(status) && { status: status.value }),
        ...(Option.isSome(cursor) && { cursor: cursor.value })
      }
      const answer = yield* api.commands.list({ path: { slug }, urlParams, withResponse: true })
      yield* printAnswer(answer, json, formatPage(columns))
    }))
