import { Effect, type Option } from "effect"
import type { Worker } from "../../domain/Worker.ts"
import { allRows } from "../AllRows.ts"
import { print, remotely } from "../Remote.ts"
import { age, type Column, table } from "../Table.ts"

const columns: ReadonlyArray<Column<Worker>> = [
  { head: "NAME", cell: ({ name }) => name, most: 60, least: 12 },
  { head: "ENGINE", cell: ({ engine }) => engine },
  { head: "STATE", cell: ({ state }) => state },
  { head: "ACTIVE", cell: ({ active_tasks }) => active_tasks },
  { head: "POOL", cell: ({ concurrency }) => concurrency, hidesEmpty: true },
  { head: "QUEUES", cell: ({ queues }) => queues.join(","), most: 40, least: 8, spare: 1, hidesEmpty: true },
  { head: "HOST", cell: ({ hostname }) => hostname, most: 40, least: 8, spare: 2, hidesEmpty: true },
  { head: "SEEN", cell: ({ last_heartbeat }, view) => age(last_heartbeat, view) }
]

export const run = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  remotely(project, ({ api, slug }) =>
    Effect.flatMap(
      allRows((urlParams) => api.workers.list({ path: { slug }, urlParams, withResponse: true })),
      (answer) => print(answer, json, (workers, _text, view) => table(columns, workers, view))
    ))
