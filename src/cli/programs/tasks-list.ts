import { Effect, Option } from "effect"
import type { Task } from "../../domain/Task.ts"
import { ListTasks } from "../../domain/Task/Filter.ts"
import { accepted } from "../Accepted.ts"
import { print, remotely } from "../Remote.ts"
import { type Column, page } from "../Table.ts"

const columns: ReadonlyArray<Column<typeof Task.Type>> = [
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINE", cell: ({ engine }) => engine },
  { head: "NAME", cell: ({ name }) => name, most: 60 },
  { head: "QUEUE", cell: ({ queue }) => queue, most: 40 },
  { head: "RECEIVED", cell: ({ received_at }) => received_at },
  { head: "MS", cell: ({ runtime_ms }) => runtime_ms },
  { head: "TASK", cell: ({ task_id }) => task_id }
]

type Filters = Readonly<Record<"state" | "priority" | "name" | "search" | "queue" | "worker" | "since" | "until" | "cursor", Option.Option<string>>>

export const run = ({ json, limit, project, ...filters }: Filters & {
  readonly limit: number
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  remotely(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const given = Object.entries(filters).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
      const urlParams = yield* accepted(ListTasks, { ...Object.fromEntries(given), limit: String(limit) })
      const answer = yield* api.tasks.list({ path: { slug }, urlParams, withResponse: true })
      yield* print(answer, json, page(columns))
    }))
