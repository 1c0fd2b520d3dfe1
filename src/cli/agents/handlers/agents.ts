import { Console } from "effect"
import { type Agent, CreateAgent } from "../../../domain/agents/Agent.ts"
import { type AgentUptime, isAllKnown, type Outage, type UptimeCell } from "../../../domain/agents/Uptime.ts"
import { secondsBetween } from "../../../domain/kernel/Timestamp.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import {
  type Column,
  formatAge,
  formatFields,
  formatSeconds,
  formatTable,
  idColumn,
  type View
} from "../../io/Table.ts"
import { escapeJson, escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
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

const cellMarks: Readonly<Record<UptimeCell, string>> = { connected: "█", partly: "▄", away: "_", unknown: "·" }
const cellLegend = Object.entries(cellMarks).map(([state, mark]) => `${mark} ${state}`).join(", ")

const formatUptime = (agentUptime: AgentUptime): string => {
  const { away_seconds, known_seconds, uptime } = agentUptime
  if (uptime === null) return "unknown"
  const time = isAllKnown(agentUptime) ? "last 24 h" : `${formatSeconds(known_seconds)} that are known`
  const away = away_seconds === 0 ? "" : `, away ${formatSeconds(away_seconds)}`
  return `${Number((uptime * 100).toFixed(1))} % of the ${time}${away}`
}

const formatOutage = ({ since, until }: Outage): string => {
  const from = `${since.slice(0, 19)}Z`
  return until === null ? `since ${from}` : `${from}, ${formatSeconds(secondsBetween(since, until))}`
}

const formatAgent = (agent: Agent, uptime: AgentUptime, view: View): string =>
  [
    formatFields([
      ["agent", agent.id],
      ["name", agent.name],
      ["state", agent.state],
      ["engines", agent.engine_adapters.join(", ")],
      ["host", agent.host_name],
      ["version", agent.agent_version],
      ["seen", formatAge(agent.last_seen_at, view)],
      ["connected", formatUptime(uptime)],
      ["last 24 h", uptime.cells.map((state) => cellMarks[state]).join("")],
      ["half hours", cellLegend],
      ...uptime.outages.map((outage) => ["outage", formatOutage(outage)] as const)
    ]),
    ...notesOf(agent).map(escapeText)
  ].join("\n")

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
  show: call(function*(remote, { agent: given, json }) {
    const agent = yield* getAgent(yield* listAgents(remote), given)
    const response = yield* remote.api.agents.uptime({ path: { slug: remote.slug }, withResponse: true })
    const uptime = response[0].agents.find(({ agent_id }) => agent_id === agent.id)
    if (uptime === undefined) return yield* new CliError({ message: `no such agent: ${given}` }) // just deleted
    if (json) return yield* Console.log(escapeJson(JSON.stringify({ agent, uptime })))
    yield* printResponse(response, false, (_all, _text, view) => formatAgent(agent, uptime, view))
  }),
  delete: call(function*(remote, { agent, yes }) {
    const { id, name } = yield* getAgent(yield* listAgents(remote), agent)
    const label = `the agent ${escapeText(name)} (${id})`
    yield* confirm(yes, `Delete ${label}? Its token is revoked, and its open commands are cancelled.`)
    yield* remote.api.agents.delete({ path: { slug: remote.slug, agent_id: id } })
    yield* Console.log(`deleted ${label}`)
  })
}
