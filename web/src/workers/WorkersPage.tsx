import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { WallLink } from "../shell/WallLink.tsx"
import type { LongListSearch } from "../ui/longListSearch.ts"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { AgentProcesses } from "./AgentProcesses.tsx"
import { RunningBoard } from "./RunningBoard.tsx"
import { WorkerList } from "./WorkerList.tsx"

type WorkersTab = "workers" | "running" | "processes"

/** The engines' workers, what they run now, and the agents' own processes. */
export const WorkersPage = () => {
  const { slug } = useParams({ from: "/signed-in/projects/$slug/workers" })
  const { tab = "workers", ...search } = useSearch({ from: "/signed-in/projects/$slug/workers" })
  const { workers: texts } = useTexts()
  const navigate = useNavigate()
  const show = (chosen: WorkersTab, wanted: LongListSearch, replace: boolean) =>
    void navigate({
      to: "/projects/$slug/workers",
      params: { slug },
      search: { ...(chosen !== "workers" && { tab: chosen }), ...wanted },
      replace
    })
  const list = {
    slug,
    search,
    onSearch: (wanted: LongListSearch, replace: boolean) => show(tab, wanted, replace)
  }
  return (
    <div className="flex h-full flex-col">
      <PageHeader title={texts.title}>
        {tab === "running" && <WallLink />}
      </PageHeader>
      <div className="pb-4">
        <Tabs label={texts.title} tabs={texts.tabs} value={tab} onChoose={(chosen) => show(chosen, {}, false)} />
      </div>
      {tab === "workers" && <WorkerList {...list} />}
      {tab === "running" && <RunningBoard slug={slug} />}
      {tab === "processes" && <AgentProcesses {...list} />}
    </div>
  )
}
