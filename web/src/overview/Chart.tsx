import { type ReactNode, useState } from "react"
import { lazyComponent } from "../code/lazyComponent.tsx"
import type { Format } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { ShownMarks } from "../marks/marks.ts"
import { Icon } from "../ui/Icon.tsx"
import { hasValue } from "./chartData.ts"
import { chartHeight, type Series, Swatch, writeValue } from "./Series.tsx"

/** Its library is loaded when a chart is first drawn. */
const Plot = lazyComponent(async () => (await import("./Plot.tsx")).Plot)

const ValueTable = ({ format, formatValue, series, times }: {
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: Format
  readonly formatValue: (value: number) => string
}) => {
  const { overview: texts } = useTexts()
  return (
    <div className="max-h-55 overflow-auto px-4 pb-3" tabIndex={0}>
      <table className="figures w-full text-right">
        <thead>
          <tr className="text-small text-soft">
            <th scope="col" className="text-left font-normal">{texts.time}</th>
            {series.map(({ label }) => <th key={label} scope="col" className="font-normal">{label}</th>)}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row" className="text-left font-normal">{format.dateTime(time)}</th>
              {series.map(({ label, values }) => <td key={label}>{writeValue(values[index], formatValue)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/**
 * A chart over time, with a legend, and all its values as a table. It has its height from the start: while it is read,
 * while its library is loaded, and without a value, when it has no axes.
 */
export const Chart = ({ actions, format, formatTick, formatValue, marks, onOpen, readAt, series, times, title }: {
  readonly title: string
  /** Beside the title. */
  readonly actions?: ReactNode
  /** Epoch milliseconds. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: Format
  /** When the values were read, in epoch milliseconds; null: they are being read. */
  readonly readAt: number | null
  readonly formatValue: (value: number) => string
  /** For the axis, where there is less space; else as the values. */
  readonly formatTick?: (value: number) => string
  readonly marks?: ShownMarks | undefined
  /** Shows what is behind a bucket, or behind those that were dragged over: its time in epoch milliseconds. */
  readonly onOpen?: ((from: number, to: number) => void) | undefined
}) => {
  const { live, overview: texts } = useTexts()
  const [isTable, setTable] = useState(false)
  const isDrawn = readAt !== null && hasValue(series)
  return (
    <section aria-label={title} className="min-w-0 rounded-base border border-line bg-paper">
      <div className="flex flex-wrap items-center gap-3 px-4 py-2">
        <h2 className="font-semibold">{title}</h2>
        {actions}
        <ul className="flex flex-wrap gap-3 text-small text-soft">
          {series.map((one) => (
            <li key={one.label} className="flex items-center gap-1">
              <Swatch series={one} />
              {one.label}
            </li>
          ))}
        </ul>
        <span className={`figures ml-auto text-small text-soft ${readAt === null ? "invisible" : ""}`}>
          {live.trueAt(format.clock(readAt ?? 0))}
        </span>
        <button
          type="button"
          aria-label={`${isTable ? texts.asChart : texts.inTable}: ${title}`}
          title={isTable ? texts.asChart : texts.inTable}
          className={`rounded-small p-0.5 text-soft hover:bg-hover hover:text-ink ${isDrawn ? "" : "invisible"}`}
          onClick={() => setTable(!isTable)}
        >
          <Icon name={isTable ? "overview" : "rows"} />
        </button>
      </div>
      {isDrawn && isTable
        ? <ValueTable times={times} series={series} format={format} formatValue={formatValue} />
        : (
          <div className="px-2 pb-2">
            <div className="relative" style={{ minHeight: chartHeight }}>
              {isDrawn
                ? (
                  <Plot
                    title={title}
                    times={times}
                    series={series}
                    format={format}
                    formatValue={formatValue}
                    writeTick={formatTick ?? formatValue}
                    readAt={readAt}
                    marks={marks}
                    onOpen={onOpen}
                  />
                )
                : readAt !== null && (
                  <p className="grid place-items-center text-soft" style={{ minHeight: chartHeight }}>{texts.noData}</p>
                )}
            </div>
          </div>
        )}
    </section>
  )
}
