import { Effect, type Option } from "effect"
import type { Agent } from "../../domain/Agent.ts"
import { printAnswer, withRemote } from "../Remote.ts"
import { formatAge, type Column, formatTable } from "../Table.ts"
import { escapeText } from "../TerminalText.ts"

const columns: ReadonlyArray<Column<Agent>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 40, minLength: 12 },
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINES", cell: ({ engine_adapters }) => engine_adapters.join(","), minLength: 8 },
  { head: "HOST", cell: ({ host_name }) => host_name, maxLength: 40, minLength: 8, dropRank: 1 },
  { head: "SEEN", cell: ({ last_seen_at }, view) => formatAge(last_seen_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

/** What people should put right, a line each. */
const notesOf = ({ last_refused_at, last_refused_detail, name, setup_advice }: Agent): ReadonlyArray<string> => [
  ...setup_advice.map(({ detail }) => `${name}: ${detail}`),
  ...(last_refused_detail === null ? [] : [`${name}: refused at ${last_refused_at}: ${last_refused_detail}`])
]

export const run = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      api.agents.list({ path: { slug }, withResponse: true }),
      (answer) =>
        printAnswer(answer, json, (agents, _text, view) => [formatTable(columns, agents, view), ...agents.flatMap(notesOf).map(escapeText)].join("\n"))
    ))
