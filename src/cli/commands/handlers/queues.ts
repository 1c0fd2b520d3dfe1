import type { Queue } from "../../../domain/agents/Queue.ts"
import { type Column, formatAge } from "../../io/Table.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { list } from "../../remote/Handlers.ts"
import { listAll } from "../../remote/ListAll.ts"
import type { definitions } from "../queues.ts"

const columns: ReadonlyArray<Column<Queue>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "ENGINE", cell: ({ engine }) => engine },
  { head: "WAITING", cell: ({ depth }) => depth },
  { head: "BROKER", cell: ({ broker_type }) => broker_type, minLength: 6, dropRank: 1, hidesEmpty: true },
  { head: "SEEN", cell: ({ last_seen_at }, view) => formatAge(last_seen_at, view) }
]

export const handlers: HandlersOf<typeof definitions> = {
  list: list(
    columns,
    ({ api, slug }) => listAll((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true }))
  )
}
