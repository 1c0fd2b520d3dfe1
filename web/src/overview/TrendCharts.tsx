import type { UseQueryResult } from "@tanstack/react-query"
import type { Schemas } from "../api/client.ts"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Charts } from "./Charts.tsx"

/** The shortest bucket of a chart is a minute. */
export const chartRefetchMillis = 30_000

/** The charts of a window, empty until they are read. */
export const TrendCharts = ({ trends }: { readonly trends: UseQueryResult<Schemas["TrendsResponse"]> }) => (
  <>
    {trends.isError && <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />}
    {(trends.data !== undefined || !trends.isError) && <Charts trends={trends.data} readAt={trends.dataUpdatedAt} />}
  </>
)
