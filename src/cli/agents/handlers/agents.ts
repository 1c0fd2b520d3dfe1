import { Console } from "effect"
import { type Agent, CreateAgent } from "../../../domain/agents/Agent.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatTable, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, show } from "../../remote/Handlers.ts"
import { printResponse } from "../../remote/Remote.ts"
import { getAgent, listAgents } from "../../remote/Target.ts"
import type { definitions } from "../agents.ts"

const columns: ReadonlyArray<Column<Agent>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 40, minLength: 12 },
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINES", cell: ({ engine_adapters }) => engine_adapters.join(","), minLength: 8 },
  { head: "HOST", cell: ({ host_name }) => host_name, maxLength: 40, minLength: 8, dropRank: 1 },
  { head: "SEEN", cell: ({ last_seen_at }, view) => formatAge(last_seen_at, view) },
  idColumn("ID", ({ id }) => id)
]

/** Set-up advice and refusals, a line each. */
const notesOf = ({ last_refused_at, last_refused_detail, name, setup_advice }: Agent): ReadonlyArray<string> => [
  ...setup_advice.map(({ detail }) => `${name}: ${detail}`),
  ...(last_refused_detail === null ? [] : [`${name}: refused at ${last_refused_at}: ${last_refused_detail}`])
]

export const handlers: HandlersOf<typeof definitions> = {
  create: call(function*({ access, api, slug }, { json, name, namespace }) {
    const payload = yield* decodeInput(CreateAgent, { name, ...givenOf({ namespace }) })
    const response = yield* api.agents.create({ path: { slug }, payload, withResponse: true })
    yield* printResponse(response, json, ({ agent, hmac_secret, token }) =>
      [
        `created the agent ${
          escapeText(agent.name)
        } (${agent.id}) in project ${slug}. Its token and signing secret are printed only this once.`,
        "",
        "For a published Python agent (docs/agents.md):",
        `  export Z4J_BRAIN_URL=${access.url} Z4J_PROJECT_ID=${slug}`,
        `  export Z4J_TOKEN=${token}`,
        `  export Z4J_HMAC_SECRET=${hmac_secret}`,
        "",
        "For the agent on Node.js (docs/agent.md):",
        `  export SVC_AGENT_BRAIN_URL=${access.url}`,
        `  export SVC_AGENT_TOKEN=${token}`,
        `  export SVC_AGENT_HMAC_SECRET=${hmac_secret}`
      ].join("\n"))
  }),
  list: show(
    ({ api, slug }) => api.agents.list({ path: { slug }, urlParams: {}, withResponse: true }),
    (agents, _text, view) => [formatTable(columns, agents, view), ...agents.flatMap(notesOf).map(escapeText)].join("\n")
  ),
  delete: call(function*(remote, { agent, yes }) {
    const { id, name } = yield* getAgent(yield* listAgents(remote), agent)
    const label = `the agent ${escapeText(name)} (${id})`
    yield* confirm(yes, `Delete ${label}? Its token is revoked, and its open commands are cancelled.`)
    yield* remote.api.agents.delete({ path: { slug: remote.slug, agent_id: id } })
    yield* Console.log(`deleted ${label}`)
  })
}
