import { Effect, type Option } from "effect"
import type { Worker } from "../../../domain/agents/Worker.ts"
import { type Column, formatAge, formatTable } from "../../io/Table.ts"
import { listAll } from "../../remote/ListAll.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"

const columns: ReadonlyArray<Column<Worker>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "ENGINE", cell: ({ engine }) => engine },
  { head: "STATE", cell: ({ state }) => state },
  { head: "ACTIVE", cell: ({ active_tasks }) => active_tasks },
  { head: "POOL", cell: ({ concurrency }) => concurrency, hidesEmpty: true },
  {
    head: "QUEUES",
    cell: ({ queues }) => queues.join(","),
    maxLength: 40,
    minLength: 8,
    dropRank: 1,
    hidesEmpty: true
  },
  { head: "HOST", cell: ({ hostname }) => hostname, maxLength: 40, minLength: 8, dropRank: 2, hidesEmpty: true },
  { head: "SEEN", cell: ({ last_heartbeat }, view) => formatAge(last_heartbeat, view) }
]

export const list = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      listAll((urlParams) => api.workers.list({ path: { slug }, urlParams, withResponse: true })),
      (answer) => printAnswer(answer, json, (workers, _text, view) => formatTable(columns, workers, view))
    ))
