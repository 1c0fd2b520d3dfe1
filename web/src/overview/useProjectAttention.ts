import { useQuery } from "@tanstack/react-query"
import { type Agent, agentsQuery } from "../agents/agents.ts"
import { useRefetchInterval } from "../api/live.ts"
import type { AttentionItem } from "../attention/AttentionList.tsx"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { homeQuery } from "./queries.ts"

const refetchMillis = 15_000
const shownAgents = 3
const dayMillis = 86_400_000

const isOfAgents = ({ kind }: AttentionItem) => kind === "agents_offline" || kind === "agents_refused"

/** What needs attention in the project now, with the agents that are offline or were refused, and why. */
export const useProjectAttention = (slug: string) => {
  const { attention: texts } = useTexts()
  const format = useFormat()
  const now = useNow()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const home = useQuery({ ...homeQuery, refetchInterval })
  const agents = useQuery({ ...agentsQuery(slug), refetchInterval })
  const items = home.data?.attention.filter(({ project_slug }) => project_slug === slug)
  const lineOf = (kind: AttentionItem["kind"], agent: Agent): ReadonlyArray<string> => {
    if (kind === "agents_offline" && agent.state === "offline") {
      return [
        agent.last_seen_at === null
          ? texts.neverConnected(agent.name)
          : texts.lastSeen(agent.name, format.relative(Date.parse(agent.last_seen_at), now))
      ]
    }
    const isRefused = agent.last_refused_at !== null && now - Date.parse(agent.last_refused_at) < dayMillis
    return kind === "agents_refused" && isRefused
      ? [texts.refused(agent.name, agent.last_refused_detail ?? agent.last_refused_reason ?? "")]
      : []
  }
  return {
    home,
    items,
    /** Whether more of it is to come, which would move what is below. */
    isReading: home.isPending || (agents.isPending && items?.some(isOfAgents) === true),
    detailOf: ({ kind }: AttentionItem): ReadonlyArray<string> =>
      agents.data?.flatMap((agent) => lineOf(kind, agent)).slice(0, shownAgents) ?? []
  }
}
