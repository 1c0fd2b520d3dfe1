import { Console, Effect, Option } from "effect"
import { type Agent, CreateAgent } from "../../../domain/agents/Agent.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatTable } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"
import { getAgent, listAgents } from "../../remote/Target.ts"

export const create = ({ json, name, namespace, project }: {
  readonly name: string
  readonly namespace: Option.Option<string>
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  withRemote(project, ({ access, api, slug }) =>
    Effect.gen(function*() {
      const payload = yield* decodeInput(CreateAgent, {
        name,
        ...(Option.isSome(namespace) && { namespace: namespace.value })
      })
      const answer = yield* api.agents.create({ path: { slug }, payload, withResponse: true })
      yield* printAnswer(answer, json, ({ agent, hmac_secret, token }) =>
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
    }))

const columns: ReadonlyArray<Column<Agent>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 40, minLength: 12 },
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINES", cell: ({ engine_adapters }) => engine_adapters.join(","), minLength: 8 },
  { head: "HOST", cell: ({ host_name }) => host_name, maxLength: 40, minLength: 8, dropRank: 1 },
  { head: "SEEN", cell: ({ last_seen_at }, view) => formatAge(last_seen_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

/** Set-up advice and refusals, a line each. */
const notesOf = ({ last_refused_at, last_refused_detail, name, setup_advice }: Agent): ReadonlyArray<string> => [
  ...setup_advice.map(({ detail }) => `${name}: ${detail}`),
  ...(last_refused_detail === null ? [] : [`${name}: refused at ${last_refused_at}: ${last_refused_detail}`])
]

export const list = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      api.agents.list({ path: { slug }, urlParams: {}, withResponse: true }),
      (answer) =>
        printAnswer(answer, json, (agents, _text, view) =>
          [formatTable(columns, agents, view), ...agents.flatMap(notesOf).map(escapeText)].join("\n"))
    ))

export const remove = ({ agent: given, project, yes }: {
  readonly agent: string
  readonly project: Option.Option<string>
  readonly yes: boolean
}) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const agent = yield* getAgent(yield* listAgents(remote), given)
      const label = `the agent ${escapeText(agent.name)} (${agent.id})`
      yield* confirm(yes, `Delete ${label}? Its token is revoked, and its open commands are cancelled.`)
      yield* remote.api.agents.delete({ path: { slug: remote.slug, agent_id: agent.id } })
      yield* Console.log(`deleted ${label}`)
    }))
