import { Effect, type Option } from "effect"
import type { Task } from "../../domain/Task.ts"
import { warnIfClamped } from "../PageLimit.ts"
import { printAnswer, withRemote } from "../Remote.ts"
import { decodeTaskQuery, type TaskFilters } from "../TaskQuery.ts"
import { formatAge, type Column, formatPage } from "../Table.ts"

type Row = typeof Task.Type

const columns: ReadonlyArray<Column<Row>> = [
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINE", cell: ({ engine }) => engine, dropRank: 3 },
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "QUEUE", cell: ({ queue }) => queue, maxLength: 40, minLength: 8, dropRank: 2 },
  { head: "AGE", cell: ({ created_at, received_at }, view) => formatAge(received_at ?? created_at, view) },
  { head: "MS", cell: ({ runtime_ms }) => runtime_ms, dropRank: 1 },
  { head: "ERROR", cell: ({ exception }) => exception, maxLength: 60, minLength: 10, hidesEmpty: true },
  { head: "TASK", cell: ({ task_id }) => task_id }
]

export const run = ({ cursor, json, limit, project, ...filters }: TaskFilters & {
  readonly limit: number
  readonly cursor: Option.Option<string>
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  Effect.gen(function*() {
    const urlParams = yield* decodeTaskQuery(filters, { cursor, limit: String(limit) })
    yield* withRemote(project, ({ api, slug }) =>
      Effect.flatMap(
        Effect.tap(api.tasks.list({ path: { slug }, urlParams, withResponse: true }), warnIfClamped),
        (answer) => printAnswer(answer, json, formatPage(columns))
      ))
  })
