import { Effect, Option } from "effect"
import type { Task } from "../../domain/Task.ts"
import { ListTasks } from "../../domain/Task/Filter.ts"
import { accepted } from "../Accepted.ts"
import { print, remotely } from "../Remote.ts"
import { instantOf } from "../Since.ts"
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

type Texts = Readonly<Record<"state" | "priority" | "name" | "search" | "queue" | "worker" | "cursor", Option.Option<string>>>
type Times = Readonly<Record<"since" | "until", Option.Option<string>>>

const entriesOf = (texts: Readonly<Record<string, Option.Option<string>>>): ReadonlyArray<readonly [string, string]> =>
  Object.entries(texts).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))

export const run = ({ json, limit, project, since, until, ...texts }: Texts & Times & {
  readonly limit: number
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  Effect.gen(function*() {
    const times = yield* Effect.forEach(entriesOf({ since, until }), ([name, text]) =>
      Effect.map(instantOf(`--${name}`, text), (instant) => [name, instant] as const))
    const urlParams = yield* accepted(ListTasks, { ...Object.fromEntries([...entriesOf(texts), ...times]), limit: String(limit) }, "options")
    yield* remotely(project, ({ api, slug }) =>
      Effect.flatMap(
        api.tasks.list({ path: { slug }, urlParams, withResponse: true }),
        (answer) => print(answer, json, page(columns))
      ))
  })
