import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { AgentProcesses } from "./AgentProcesses.tsx"
import { WorkerList } from "./WorkerList.tsx"

/** The engines' workers, and the agents' own processes. */
export const WorkersPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/workers" })
  const { old, tab = "workers" } = useSearch({ from: "/signed-in/projects/$slug/workers" })
  const { workers: texts } = useTexts()
  const navigate = useNavigate()
  const show = (tab: "workers" | "processes", isOldHidden: boolean) =>
    void navigate({
      to: "/projects/$slug/workers",
      params: { slug },
      search: { ...(tab === "processes" && { tab }), ...(isOldHidden && { old: "hidden" }) }
    })
  const isOldHidden = old === "hidden"
  const list = { slug, isOldHidden, onToggleOld: () => show(tab, !isOldHidden) }
  return (
    <>
      <PageHeader title={texts.title} />
      <div className="pb-5">
        <Tabs label={texts.title} tabs={texts.tabs} value={tab} onChoose={(chosen) => show(chosen, isOldHidden)} />
      </div>
      {tab === "workers" ? <WorkerList {...list} /> : <AgentProcesses {...list} />}
    </>
  )
}
