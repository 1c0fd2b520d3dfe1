import { Effect, type Option } from "effect"
import type { Task } from "../../domain/Task.ts"
import { warnIfClamped } from "../Clamped.ts"
import { print, remotely } from "../Remote.ts"
import { queryOf, type TaskFilters } from "../TaskQuery.ts"
import { age, type Column, page } from "../Table.ts"

type Row = typeof Task.Type

const columns: ReadonlyArray<Column<Row>> = [
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINE", cell: ({ engine }) => engine, spare: 3 },
  { head: "NAME", cell: ({ name }) => name, most: 60, least: 12 },
  { head: "QUEUE", cell: ({ queue }) => queue, most: 40, least: 8, spare: 2 },
  { head: "AGE", cell: ({ created_at, received_at }, view) => age(received_at ?? created_at, view) },
  { head: "MS", cell: ({ runtime_ms }) => runtime_ms, spare: 1 },
  { head: "ERROR", cell: ({ exception }) => exception, most: 60, least: 10, hidesEmpty: true },
  { head: "TASK", cell: ({ task_id }) => task_id }
]

export const run = ({ cursor, json, limit, project, ...filters }: TaskFilters & {
  readonly limit: number
  readonly cursor: Option.Option<string>
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  Effect.gen(function*() {
    const urlParams = yield* queryOf(filters, { cursor, limit: String(limit) })
    yield* remotely(project, ({ api, slug }) =>
      Effect.flatMap(
        Effect.tap(api.tasks.list({ path: { slug }, urlParams, withResponse: true }), warnIfClamped),
        (answer) => print(answer, json, page(columns))
      ))
  })
