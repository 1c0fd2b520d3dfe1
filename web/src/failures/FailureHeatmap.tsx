import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useZone } from "../format/zone.ts"
import { useLanguage, useTexts } from "../i18n/Language.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { fullestOf, sumByWeek, type Week } from "./heatmap.ts"

/** Four weeks of the window's hours, so that every hour of the week counts as often. */
const shownHours = 4 * 7 * 24
const query = { window: "30d", bucket: "1h" } as const

/** The Monday of 5 January 1970 and the days after it, for their names. */
const dayAt = (day: number) => Date.UTC(1970, 0, 5 + day)

const clockOf = (hour: number) => `${String(hour).padStart(2, "0")}:00`

const WeekTable = ({ week }: { readonly week: Week }) => {
  const { failures: texts } = useTexts()
  const { language } = useLanguage()
  const format = useFormat()
  const fullest = fullestOf(week)
  const dayName = (day: number, weekday: "short" | "long") =>
    new Intl.DateTimeFormat(language, { weekday, timeZone: "UTC" }).format(dayAt(day))
  if (fullest === null) return <p className="text-soft">{texts.noFailureInWeeks}</p>
  return (
    <>
      <p>{texts.mostFailures(format.count(fullest.count), dayName(fullest.day, "long"), clockOf(fullest.hour))}</p>
      <table className="figures w-full max-w-160 table-fixed border-separate border-spacing-px text-small text-soft">
        <caption className="sr-only">{texts.heatmap}</caption>
        <thead>
          <tr>
            <th scope="col" className="w-10">
              <span className="sr-only">{texts.weekday}</span>
            </th>
            {week[0]?.map((_, hour) => (
              <th key={hour} scope="col" className="text-left font-normal whitespace-nowrap">
                <span aria-hidden="true">{hour % 6 === 0 ? hour : ""}</span>
                <span className="sr-only">{clockOf(hour)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.map((hours, day) => (
            <tr key={day}>
              <th scope="row" className="text-left font-normal">{dayName(day, "short")}</th>
              {hours.map((count, hour) => (
                <td
                  key={hour}
                  title={`${dayName(day, "short")} ${clockOf(hour)}: ${format.number(count)}`}
                  className="relative h-4 rounded-[2px] bg-press p-0"
                >
                  <span
                    aria-hidden="true"
                    className="absolute inset-0 rounded-[2px] bg-failure"
                    // the square root, so that a single failure is seen beside a night of thousands
                    style={{ opacity: Math.sqrt(count / fullest.count) }}
                  />
                  <span className="sr-only">{format.number(count)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** When tasks fail: the failures of four weeks by weekday and hour, read once it is opened. */
export const FailureHeatmap = ({ slug }: { readonly slug: string }) => {
  const { failures: texts } = useTexts()
  const zone = useZone()
  const [isOpen, setOpen] = useState(false)
  const trends = useQuery({
    queryKey: ["trends", slug, query],
    enabled: isOpen,
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/trends", { params: { path: { slug }, query } }))
  })
  return (
    <details
      className="mx-4 mb-4 rounded-base border border-line bg-paper"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="cursor-pointer px-4 py-2 font-medium">{texts.heatmap}</summary>
      <div className="grid gap-3 px-4 pb-4">
        {trends.isError
          ? <ErrorNotice error={trends.error} onRetry={() => void trends.refetch()} />
          : trends.isLoading
          ? <Loading />
          : trends.data !== undefined && (
            <WeekTable
              week={sumByWeek(
                trends.data.series.slice(-shownHours).map(({ t }) => Date.parse(t)),
                trends.data.series.slice(-shownHours).map(({ failure }) => failure),
                zone
              )}
            />
          )}
      </div>
    </details>
  )
}
