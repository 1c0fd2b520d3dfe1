import { Effect, type Option } from "effect"
import type { Queue } from "../../../domain/agents/Queue.ts"
import { type Column, formatAge, formatTable } from "../../io/Table.ts"
import { listAll } from "../../remote/ListAll.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"

const columns: ReadonlyArray<Column<Queue>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "ENGINE", cell: ({ engine }) => engine },
  { head: "WAITING", cell: ({ depth }) => depth },
  { head: "BROKER", cell: ({ broker_type }) => broker_type, minLength: 6, dropRank: 1, hidesEmpty: true },
  { head: "SEEN", cell: ({ last_seen_at }, view) => formatAge(last_seen_at, view) }
]

export const list = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      listAll((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true })),
      (answer) => printAnswer(answer, json, (queues, _text, view) => formatTable(columns, queues, view))
    ))
