import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Chart } from "./Chart.tsx"
import { chartRefetchMillis } from "./queries.ts"
import { buckets, type OverviewWindow } from "./windows.ts"

/** Shades and dashes distinguish the lines without a colour: colours are states. */
const looks = [
  { colour: "ink" },
  { colour: "ink", dash: [6, 3] },
  { colour: "ink", dash: [2, 3] },
  { colour: "soft" },
  { colour: "soft", dash: [6, 3] },
  { colour: "soft", dash: [2, 3] }
] as const

/** Each pod has a name of its own, so workers are kept for a week. */
const windowsByWorker: ReadonlyArray<OverviewWindow> = ["1h", "6h", "24h", "72h", "7d"]

/** The tasks that ended, by the largest queues, names or workers, and all others. */
export const GroupChart = ({ slug, window }: { readonly slug: string; readonly window: OverviewWindow }) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  const [chosen, setChosen] = useState<"queue" | "name" | "worker">("queue")
  const { worker, ...longGroupings } = texts.groupings
  const hasWorkers = windowsByWorker.includes(window)
  const by = chosen === "worker" && !hasWorkers ? "queue" : chosen
  const query = { window, bucket: buckets[window], by }
  const trends = useQuery({
    queryKey: ["trends", slug, query],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/trends", { params: { path: { slug }, query } })),
    refetchInterval: useRefetchInterval(chartRefetchMillis)
  })
  const workersCap = trends.data?.workers_cap
  // a plot draws again for other arrays
  const { series, times } = useMemo(() => ({
    times: trends.data?.series.map(({ t }) => Date.parse(t)) ?? [],
    series: (trends.data?.groups ?? []).map(({ ended, key }, index) => ({
      label: key === null ? texts.otherGroups : key === "" ? texts.noQueue : key,
      values: ended,
      ...looks[index % looks.length]!
    }))
  }), [trends.data, texts])
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4">
      {trends.isError && <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />}
      {(trends.data !== undefined || !trends.isError) && (
        <Chart
          title={texts.groupTitles[by]}
          actions={
            <FilterSelect
              label={texts.groupBy}
              choices={hasWorkers ? { ...longGroupings, worker } : longGroupings}
              value={by}
              onChoose={setChosen}
            />
          }
          times={times}
          series={series}
          format={format}
          formatValue={format.number}
          formatTick={format.compact}
          readAt={trends.data === undefined ? null : trends.dataUpdatedAt}
        />
      )}
      {typeof workersCap === "number" && (
        <p className="text-small text-soft">{texts.beyondWorkers(format.number(workersCap))}</p>
      )}
    </div>
  )
}
