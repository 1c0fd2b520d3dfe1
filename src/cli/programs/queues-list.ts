import { Effect, type Option } from "effect"
import type { Queue } from "../../domain/Queue.ts"
import { allRows } from "../AllRows.ts"
import { print, remotely } from "../Remote.ts"
import { age, type Column, table } from "../Table.ts"

const columns: ReadonlyArray<Column<Queue>> = [
  { head: "NAME", cell: ({ name }) => name, most: 60, least: 12 },
  { head: "ENGINE", cell: ({ engine }) => engine },
  { head: "WAITING", cell: ({ depth }) => depth },
  { head: "BROKER", cell: ({ broker_type }) => broker_type, least: 6, spare: 1, hidesEmpty: true },
  { head: "SEEN", cell: ({ last_seen_at }, view) => age(last_seen_at, view) }
]

export const run = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  remotely(project, ({ api, slug }) =>
    Effect.flatMap(
      allRows((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true })),
      (answer) => print(answer, json, (queues, _text, view) => table(columns, queues, view))
    ))
