import { useParams } from "@tanstack/react-router"
import { api, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListPage } from "../ui/ListPage.tsx"
import { Time } from "../ui/Time.tsx"

export const AgentsPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/agents" })
  const { agents: texts } = useTexts()
  return (
    <ListPage
      slug={slug}
      name="agents"
      title={texts.title}
      emptyTitle={texts.none}
      emptyHint={texts.noneHint}
      read={() => unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))}
      columns={[
        { title: texts.name, cell: ({ name }) => <span className="font-medium">{name}</span> },
        {
          title: texts.state,
          cell: ({ state }) => (
            <span className={state === "offline" ? "text-failure" : undefined}>{texts.states[state]}</span>
          )
        },
        { title: texts.engines, cell: ({ engine_adapters }) => engine_adapters.join(", ") },
        { title: texts.host, isMinor: true, cell: ({ host_name }) => host_name },
        {
          title: texts.version,
          isMinor: true,
          cell: ({ agent_version, is_outdated }) =>
            [agent_version, is_outdated && texts.outdated].filter(Boolean).join(", ")
        },
        {
          title: texts.advice,
          isMinor: true,
          cell: ({ last_refused_at, last_refused_detail, setup_advice }) => (
            <>
              {setup_advice.map(({ code, detail }) => <p key={code}>{detail}</p>)}
              {last_refused_at !== null && last_refused_detail !== null && (
                <p>
                  {texts.refused}: {last_refused_detail} (<Time at={last_refused_at} />)
                </p>
              )}
            </>
          )
        },
        {
          title: texts.lastSeen,
          isNumber: true,
          cell: ({ last_seen_at }) => last_seen_at !== null && <Time at={last_seen_at} />
        }
      ]}
    />
  )
}
