import type { Worker } from "../../../domain/agents/Worker.ts"
import { type Column, formatAge } from "../../io/Table.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { list } from "../../remote/Handlers.ts"
import { listAll } from "../../remote/ListAll.ts"
import type { definitions } from "../workers.ts"

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

export const handlers: HandlersOf<typeof definitions> = {
  list: list(
    columns,
    ({ api, slug }) => listAll((urlParams) => api.workers.list({ path: { slug }, urlParams, withResponse: true }))
  )
}
