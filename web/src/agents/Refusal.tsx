import { useTexts } from "../i18n/Language.tsx"
import { Time } from "../ui/Time.tsx"
import type { Agent } from "./agents.ts"

/** What to do about each reason of a refusal (docs/agent-connections.md, Refusals). */
const remedies = {
  bad_signature: "secret",
  stale: "clock",
  bad_ts: "clock",
  version: "upgrade",
  protocol_version: "upgrade",
  hello_timeout: "proxy",
  websocket: "proxy",
  slow_reader: "proxy",
  replayed_nonce: "repeated",
  old_seq: "repeated",
  too_long: "size"
} as const

const remedyOf = (reason: string) => Object.entries(remedies).find(([name]) => name === reason)?.[1] ?? "other"

/** Why the agent was last refused, what to do about it, and whether it has connected since; nothing if it never was. */
export const Refusal = ({ agent }: { readonly agent: Agent }) => {
  const { agents: texts } = useTexts()
  const { last_connect_at, last_refused_at, last_refused_detail, last_refused_reason, state } = agent
  if (last_refused_at === null || last_refused_reason === null) return null
  const isOver = state === "online" && last_connect_at !== null && last_connect_at > last_refused_at
  return (
    <div className="grid gap-0.5 px-4 py-3">
      <p className={isOver ? "" : "text-failure"}>
        <span className="font-medium">{texts.refused}</span> <Time at={last_refused_at} className="text-soft" />
      </p>
      <p>{last_refused_detail ?? last_refused_reason}</p>
      <p className="text-soft">{isOver ? texts.refusedBefore : texts.remedies[remedyOf(last_refused_reason)]}</p>
    </div>
  )
}
