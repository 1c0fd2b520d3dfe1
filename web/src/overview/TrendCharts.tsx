import type { UseQueryResult } from "@tanstack/react-query"
import type { Schemas } from "../api/client.ts"
import type { TaskQuery } from "../tasks/query.ts"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Charts } from "./Charts.tsx"

/** The charts of a window, empty until they are read; of a project with its marks, and the tasks behind them. */
export const TrendCharts = ({ isShort = false, past, slug, terms, trends }: {
  readonly trends: UseQueryResult<Schemas["TrendsResponse"]>
  /** The same window a week ago, to compare with. */
  readonly past?: Schemas["TrendsResponse"] | undefined
  /** Undefined: the charts sum several projects. */
  readonly slug?: string
  /** Of the tasks that the charts count. */
  readonly terms?: TaskQuery
  /** Without durations and what a person chooses. */
  readonly isShort?: boolean
}) => (
  <>
    {trends.isError && <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />}
    {(trends.data !== undefined || !trends.isError) && (
      <Charts
        trends={trends.data}
        readAt={trends.dataUpdatedAt}
        past={past}
        slug={slug}
        terms={terms}
        isShort={isShort}
      />
    )}
  </>
)
