import { useQuery } from "@tanstack/react-query"
import { useRefetchInterval } from "../api/live.ts"
import { ErrorNotice } from "../ui/Notices.tsx"
import type { Changes } from "./comparison.ts"
import { Figures } from "./Figures.tsx"
import { statsQuery } from "./queries.ts"
import type { OverviewWindow } from "./windows.ts"

const refetchMillis = 10_000

/** The numbers of a project's window, and why there are none. */
export const WindowFigures = ({ changes, slug, window }: {
  readonly slug: string
  readonly window: OverviewWindow
  /** Against the week before. */
  readonly changes: Changes | null
}) => {
  const stats = useQuery({ ...statsQuery(slug, window), refetchInterval: useRefetchInterval(refetchMillis) })
  return (
    <>
      {stats.isError && <ErrorNotice error={stats.error} onRetry={() => void stats.refetch()} />}
      {(stats.data !== undefined || !stats.isError) && <Figures slug={slug} stats={stats.data} changes={changes} />}
    </>
  )
}
