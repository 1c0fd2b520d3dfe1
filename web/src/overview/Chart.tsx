import { Fragment, type KeyboardEvent, useEffect, useRef, useState } from "react"
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
  /** Dashes distinguish series without their colour. */
  readonly dash?: ReadonlyArray<number>
  readonly isFilled?: boolean
  /** Bars from the axis, for counts that are mostly zero. */
  readonly isBars?: boolean
}

const chartHeight = 168
/** Pixels between the ticks of time: a clock of 12 hours is 52 wide. */
const tickSpace = 80
const barPaths = uPlot.paths.bars?.({ size: [0.7, 24, 2] })

/** Pixels between a bucket and its values. */
const pointGap = 12

const writeValue = (value: number | null | undefined, formatValue: (value: number) => string) =>
  value === null || value === undefined ? "–" : formatValue(value)

const Swatch = ({ colour, dash }: Pick<Series, "colour"> & { readonly dash: Series["dash"] | undefined }) => (
  <svg width="16" height="8" aria-hidden="true" className={`shrink-0 text-${colour}`}>
    <path d="M0 4h16" stroke="currentColor" strokeWidth="2" strokeDasharray={dash?.join(" ")} />
  </svg>
)

const resolveColour = (element: HTMLElement, name: string) => {
  const probe = document.createElement("span")
  probe.style.color = `var(--color-${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** A bucket of the chart that the pointer or the keys are at. */
interface Point {
  /** Epoch milliseconds; a later read may hold the bucket at another index. */
  readonly time: number
  /** From the left edge of the chart, in pixels. */
  readonly left: number
  readonly isInLeftHalf: boolean
}

const pointAt = (plot: uPlot, second: number) => plot.setCursor({ left: plot.valToPos(second, "x"), top: 0 })

/** The values of a bucket beside it; it covers a part of the chart and moves nothing. */
const PointValues = ({ format, formatValue, index, point: { isInLeftHalf, left, time }, series, width }: {
  readonly point: Point
  readonly index: number
  readonly width: number
  readonly series: ReadonlyArray<Series>
  readonly format: Format
  readonly formatValue: (value: number) => string
}) => (
  <div
    role="status"
    className="pointer-events-none absolute top-1 z-10 rounded-base border border-line bg-paper px-4 py-3 text-small shadow-xl"
    style={isInLeftHalf ? { left: left + pointGap } : { right: width - left + pointGap }}
  >
    <p className="figures whitespace-nowrap text-soft">{format.moment(time)}</p>
    <dl className="figures mt-2 grid grid-cols-[auto_auto] gap-x-4">
      {series.map(({ colour, dash, label, values }) => (
        <Fragment key={label}>
          <dt className="flex items-center gap-2 whitespace-nowrap">
            <Swatch colour={colour} dash={dash} />
            {label}
          </dt>
          <dd className="text-right font-medium whitespace-nowrap">{writeValue(values[index], formatValue)}</dd>
        </Fragment>
      ))}
    </dl>
  </div>
)

/** A line chart over time, whose buckets can be read by pointer and arrow keys, and all of them as a table. */
export const Chart = ({ format, formatTick, formatValue, readAt, series, times, title }: {
  readonly title: string
  /** Epoch milliseconds. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: Format
  /** When the values were read, in epoch milliseconds. */
  readonly readAt: number
  readonly formatValue: (value: number) => string
  /** For the axis, where there is less space; else as the values. */
  readonly formatTick?: (value: number) => string
}) => {
  const { live, overview: texts } = useTexts()
  const zone = useZone()
  const scheme = useColourScheme()
  const [isTable, setTable] = useState(false)
  const holder = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot>(null)
  /** The bucket of `point`, in epoch seconds, as the plot has it. */
  const pointSecond = useRef<number>(null)
  const [point, setPoint] = useState<Point | null>(null)
  const writeTick = formatTick ?? formatValue
  useEffect(() => {
    const element = holder.current
    if (element === null) return
    const showPoint = (plot: uPlot) => {
      const second = plot.data[0][plot.cursor.idx ?? -1] // null while no pointer is over it
      pointSecond.current = second ?? null
      if (second === undefined) return setPoint(null)
      const inset = plot.over.getBoundingClientRect().left - element.getBoundingClientRect().left
      const left = inset + plot.valToPos(second, "x")
      setPoint({ time: second * 1000, left, isInLeftHalf: left < element.clientWidth / 2 })
    }
    // each read of the values makes a new plot
    const previousSecond = pointSecond.current
    const showAgain = (plot: uPlot) => {
      if (previousSecond !== null && plot.data[0].includes(previousSecond)) pointAt(plot, previousSecond)
      else showPoint(plot)
    }
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
        padding: [null, tickSpace / 2, null, null], // the last tick of time is written around the edge
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
        legend: { show: false },
        // ticks at the hours and days of the zone in which they are written
        ...(zone !== undefined && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), zone) }),
        hooks: { ready: [showAgain], setCursor: [showPoint] },
        scales: { x: { time: true }, y: { range: (_, __, max) => [0, max <= 0 ? 1 : max * 1.1] } },
        axes: [
          {
            ...axis,
            values: (_, ticks) => ticks.map((tick) => format.axis(tick * 1000, windowMillis)),
            size: 24,
            gap: 4,
            space: tickSpace
          },
          { ...axis, values: (_, ticks) => ticks.map((tick) => writeTick(tick)), size: 56, gap: 4 }
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
    drawn.current = plot
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: chartHeight }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
      drawn.current = null
    }
  }, [isTable, times, series, format, writeTick, zone, scheme])
  const index = point === null ? -1 : times.indexOf(point.time)
  const moveTo = (to: number) => {
    const plot = drawn.current
    const time = times[to]
    if (plot !== null && time !== undefined) pointAt(plot, time / 1000)
  }
  const leave = () => drawn.current?.setCursor({ left: -1, top: -1 })
  const press = (event: KeyboardEvent) => {
    const last = times.length - 1
    const steps = {
      ArrowLeft: index === -1 ? last : Math.max(0, index - 1),
      ArrowRight: index === -1 ? 0 : Math.min(last, index + 1),
      Home: 0,
      End: last
    }
    if (event.key in steps) {
      event.preventDefault()
      moveTo(steps[event.key as keyof typeof steps]) // it is one of them
    } else if (event.key === "Escape") leave()
  }
  return (
    <section aria-label={title} className="min-w-0 rounded-base border border-line bg-paper">
      <div className="flex flex-wrap items-center gap-4 px-5 py-3">
        <h2 className="font-semibold">{title}</h2>
        <ul className="flex flex-wrap gap-4 text-small text-soft">
          {series.map(({ colour, dash, label }) => (
            <li key={label} className="flex items-center gap-2">
              <Swatch colour={colour} dash={dash} />
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
          onClick={() => {
            leave()
            setTable(!isTable)
          }}
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
                    {series.map(({ label, values }) => <td key={label}>{writeValue(values[index], formatValue)}</td>)}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
        : (
          <div className="relative">
            <div
              ref={holder}
              className="px-3 pb-3"
              role="img"
              aria-label={`${title}. ${texts.keysOfChart}`}
              tabIndex={0}
              onKeyDown={press}
              onBlur={leave}
            />
            {point !== null && index !== -1 && (
              <PointValues
                point={point}
                index={index}
                width={holder.current?.clientWidth ?? 0}
                series={series}
                format={format}
                formatValue={formatValue}
              />
            )}
          </div>
        )}
    </section>
  )
}
