import type { UseQueryResult } from "@tanstack/react-query"
import type { Schemas } from "../api/client.ts"
import { lazyComponent } from "../code/lazyComponent.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"

const Charts = lazyComponent(async () => (await import("./Charts.tsx")).Charts)

/** The shortest bucket of a chart is a minute. */
export const chartRefetchMillis = 30_000

/** The charts of a window once they are read. Their library is loaded when it is first used. */
export const TrendCharts = ({ trends }: { readonly trends: UseQueryResult<Schemas["TrendsResponse"]> }) => (
  <>
    {trends.isError && <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />}
    {trends.data === undefined
      ? !trends.isError && <Loading />
      : <Charts trends={trends.data} readAt={trends.dataUpdatedAt} />}
  </>
)
