import { Effect, type Option } from "effect"
import type { Agent } from "../../domain/Agent.ts"
import { print, remotely } from "../Remote.ts"
import { age, type Column, table } from "../Table.ts"
import { visible } from "../Visible.ts"

const columns: ReadonlyArray<Column<Agent>> = [
  { head: "NAME", cell: ({ name }) => name, most: 40, least: 12 },
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINES", cell: ({ engine_adapters }) => engine_adapters.join(","), least: 8 },
  { head: "HOST", cell: ({ host_name }) => host_name, most: 40, least: 8, spare: 1 },
  { head: "SEEN", cell: ({ last_seen_at }, view) => age(last_seen_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

/** What people should put right, a line each. */
const notes = ({ last_refused_at, last_refused_detail, name, setup_advice }: Agent): ReadonlyArray<string> => [
  ...setup_advice.map(({ detail }) => `${name}: ${detail}`),
  ...(last_refused_detail === null ? [] : [`${name}: refused at ${last_refused_at}: ${last_refused_detail}`])
]

export const run = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  remotely(project, ({ api, slug }) =>
    Effect.flatMap(
      api.agents.list({ path: { slug }, withResponse: true }),
      (answer) =>
        print(answer, json, (agents, _text, view) => [table(columns, agents, view), ...agents.flatMap(notes).map(visible)].join("\n"))
    ))
