import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useEffect } from "react"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { ofFrame } from "../api/readAt.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useProject } from "./useProject.ts"

/** Browsers run the timers of hidden tabs at most once a minute. */
const refetchMillis = 60_000
/** The count of a project with more open alerts says so. */
const maxCounted = 50

/** How many open alerts the project has, also while the tab is hidden; null: none, or not known. */
const useOpenAlerts = (slug: string | undefined): string | null => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  const { data } = useQuery({
    queryKey: ["alerts", slug, "open count"],
    meta: ofFrame,
    queryFn: async () => {
      const { items, next_cursor } = await unwrap(
        api.GET("/api/v1/projects/{slug}/notifications/alerts", {
          params: { path: { slug: slug ?? "" }, query: { status: "open", limit: maxCounted } }
        })
      )
      return items.length === 0 ? null : `${items.length}${next_cursor === null ? "" : "+"}`
    },
    enabled: slug !== undefined,
    staleTime: refetchMillis / 2, // a change of pages reads nothing
    refetchInterval,
    refetchIntervalInBackground: true
  })
  return data ?? null
}

/** Gives the browser's tab its title: open alerts, page and project tell many tabs of svc apart. */
export const useTabTitle = (title: string): void => {
  const { productName } = useTexts()
  const { slug } = useParams({ strict: false })
  const { project } = useProject(slug)
  const alerts = useOpenAlerts(project?.slug)
  const place = project === undefined ? productName : `${project.name} · ${productName}`
  useEffect(() => {
    document.title = `${alerts === null ? "" : `(${alerts}) `}${title} · ${place}`
  }, [alerts, title, place])
}
