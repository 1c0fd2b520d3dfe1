import { useEffect, useRef, useState } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import type { Format } from "../format/useFormat.ts"
import { useZone } from "../format/zone.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useColourScheme } from "../theme/theme.ts"
import { Icon } from "../ui/Icon.tsx"

export interface Series {
  readonly label: string
  /** A colour of theme/tokens.css. */
  readonly colour: string
  readonly values: ReadonlyArray<number | null>
  /** Dashes tell series apart without their colour. */
  readonly dash?: ReadonlyArray<number>
  readonly isFilled?: boolean
  /** Bars from the axis, for counts that are mostly zero. */
  readonly isBars?: boolean
}

const chartHeight = 168
/** Pixels between the ticks of time: a clock of 12 hours is 52 wide. */
const tickSpace = 80
const barPaths = uPlot.paths.bars?.({ size: [0.7, 24, 2] })

const resolveColour = (element: HTMLElement, name: string) => {
  const probe = document.createElement("span")
  probe.style.color = `var(--color-${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** A line chart over time, which can be read as a table too. */
export const Chart = ({ format, formatValue, readAt, series, times, title }: {
  readonly title: string
  /** Epoch milliseconds. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: Format
  /** When the values were read, in epoch milliseconds. */
  readonly readAt: number
  readonly formatValue: (value: number) => string
}) => {
  const { live, overview: texts } = useTexts()
  const zone = useZone()
  const scheme = useColourScheme()
  const [isTable, setTable] = useState(false)
  const holder = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = holder.current
    if (element === null) return
    const windowMillis = (times.at(-1) ?? 0) - (times[0] ?? 0)
    const soft = resolveColour(element, "soft")
    const line = resolveColour(element, "line")
    const axis = {
      stroke: soft,
      font: "11px Inter Variable, sans-serif",
      grid: { stroke: line, width: 1 },
      ticks: { show: false }
    }
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: chartHeight,
        cursor: { points: { size: 6 }, drag: { x: false, y: false } },
        legend: { show: false },
        // ticks at the hours and days of the zone in which they are written
        ...(zone !== undefined && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), zone) }),
        scales: { x: { time: true }, y: { range: (_, __, max) => [0, max <= 0 ? 1 : max * 1.1] } },
        axes: [
          {
            ...axis,
            values: (_, ticks) => ticks.map((tick) => format.axis(tick * 1000, windowMillis)),
            size: 24,
            gap: 4,
            space: tickSpace
          },
          { ...axis, values: (_, ticks) => ticks.map((tick) => formatValue(tick)), size: 56, gap: 4 }
        ],
        series: [
          {},
          ...series.map(({ colour, dash, isBars, isFilled, label }) => ({
            label,
            stroke: resolveColour(element, colour),
            width: isBars === true ? 0 : 1.5,
            points: { show: false },
            ...(isBars === true && barPaths !== undefined &&
              { paths: barPaths, fill: resolveColour(element, colour) }),
            ...(dash !== undefined && { dash: [...dash] }),
            ...(isFilled === true && { fill: resolveColour(element, `${colour}-tint`) })
          }))
        ]
      },
      [times.map((time) => time / 1000), ...series.map(({ values }) => [...values])],
      element
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: chartHeight }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [isTable, times, series, format, formatValue, zone, scheme])
  return (
    <section aria-label={title} className="min-w-0 rounded-base border border-line bg-paper">
      <div className="flex flex-wrap items-center gap-4 px-5 py-3">
        <h2 className="font-semibold">{title}</h2>
        <ul className="flex flex-wrap gap-4 text-small text-soft">
          {series.map(({ colour, dash, label }) => (
            <li key={label} className="flex items-center gap-2">
              <svg width="16" height="8" aria-hidden="true" className={`text-${colour}`}>
                <path d="M0 4h16" stroke="currentColor" strokeWidth="2" strokeDasharray={dash?.join(" ")} />
              </svg>
              {label}
            </li>
          ))}
        </ul>
        <span className="figures ml-auto text-small text-soft">{live.trueAt(format.clock(readAt))}</span>
        <button
          type="button"
          aria-label={`${isTable ? texts.asChart : texts.inTable}: ${title}`}
          title={isTable ? texts.asChart : texts.inTable}
          className="rounded-small p-1 text-soft hover:bg-hover hover:text-ink"
          onClick={() => setTable(!isTable)}
        >
          <Icon name={isTable ? "overview" : "rows"} />
        </button>
      </div>
      {isTable
        ? (
          <div className="max-h-[220px] overflow-auto px-5 pb-4" tabIndex={0}>
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
                    {series.map(({ label, values }) => {
                      const value = values[index] ?? null
                      return <td key={label}>{value === null ? "–" : formatValue(value)}</td>
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
        : <div ref={holder} className="px-3 pb-3" role="img" aria-label={title} />}
    </section>
  )
}
