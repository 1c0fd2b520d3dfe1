import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { chartRefetchMillis, homeTrendsQuery } from "../overview/queries.ts"
import { TrendCharts } from "../overview/TrendCharts.tsx"
import { WindowSelect } from "../overview/WindowSelect.tsx"

/** The charts of all projects together. */
export const TasksOverTime = () => {
  const { overview } = useTexts()
  const { window = "24h" } = useSearch({ from: "/signed-in/" })
  const navigate = useNavigate()
  const trends = useQuery({ ...homeTrendsQuery(window), refetchInterval: useRefetchInterval(chartRefetchMillis) })
  return (
    <section aria-label={overview.overTime} className="mt-4 grid gap-2">
      <div className="flex items-center gap-3 px-4">
        <h2 className="font-semibold">{overview.overTime}</h2>
        <WindowSelect window={window} onChoose={(window) => void navigate({ to: "/", search: { window } })} />
      </div>
      <TrendCharts trends={trends} />
    </section>
  )
}
