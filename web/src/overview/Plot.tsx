import { Fragment, type KeyboardEvent, useEffect, useRef, useState } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import type { Format } from "../format/useFormat.ts"
import { useZone } from "../format/zone.ts"
import { useTexts } from "../i18n/Language.tsx"
import { type Frame, MarkRow } from "../marks/MarkRow.tsx"
import type { ShownMarks } from "../marks/marks.ts"
import { useColourScheme } from "../theme/theme.ts"
import { isLastUnfinished, isolatedIndexes, rangeOf, splitLast, type Values } from "./chartData.ts"
import { chartHeight, type Series, Swatch, writeValue } from "./Series.tsx"

/** Pixels between the ticks of time: a clock of 12 hours is 52 wide. */
const tickSpace = 80
/** Pixels above the lines for the flags of marks. */
const flagRoom = 22
const barPaths = uPlot.paths.bars?.({ size: [0.7, 24, 2] })
/** Of the last bucket while it is not over. */
const unfinishedDash = [2, 3]

/** Pixels between a bucket and its values. */
const pointGap = 12

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
const PointValues = ({ format, formatValue, index, isUnfinished, point: { isInLeftHalf, left, time }, series, width }: {
  readonly point: Point
  readonly index: number
  readonly isUnfinished: boolean
  readonly width: number
  readonly series: ReadonlyArray<Series>
  readonly format: Format
  readonly formatValue: (value: number) => string
}) => {
  const { overview: texts } = useTexts()
  return (
    <div
      role="status"
      className="pointer-events-none absolute top-0.5 z-10 rounded-base border border-line bg-paper px-3 py-2 text-small shadow-xl"
      style={isInLeftHalf ? { left: left + pointGap } : { right: width - left + pointGap }}
    >
      <p className="figures whitespace-nowrap text-soft">
        {format.moment(time)}
        {isUnfinished && ` · ${texts.unfinished}`}
      </p>
      <dl className="figures mt-1 grid grid-cols-[auto_auto] gap-x-3">
        {series.map((one) => (
          <Fragment key={one.label}>
            <dt className="flex items-center gap-1 whitespace-nowrap">
              <Swatch series={one} />
              {one.label}
            </dt>
            <dd className="text-right font-medium whitespace-nowrap">{writeValue(one.values[index], formatValue)}</dd>
          </Fragment>
        ))}
      </dl>
    </div>
  )
}

/** How a series is drawn; `isRest`: the way to a bucket that is not over. */
const optionsOf = (
  element: HTMLElement,
  { colour, dash, isBars, isFilled, isPale = false, label }: Series,
  isRest: boolean
) => {
  const stroke = resolveColour(element, colour)
  const lineDash = isRest ? unfinishedDash : dash
  const fill = isBars === true && !isRest ? stroke : isBars === true || isFilled === true
    ? resolveColour(element, `${colour}-tint`)
    : undefined
  return {
    label,
    stroke,
    alpha: isPale ? 0.45 : 1,
    width: isBars === true && !isRest ? 0 : 1.5,
    points: {
      show: false,
      size: 4,
      fill: stroke,
      filter: (plot: uPlot, at: number) => isBars === true ? null : dots(plot, at)
    },
    ...(isBars === true && barPaths !== undefined && { paths: barPaths }),
    ...(fill !== undefined && { fill }),
    ...(lineDash !== undefined && { dash: [...lineDash] })
  }
}

const dots = (plot: uPlot, seriesIndex: number) => {
  const values = plot.data[seriesIndex] ?? []
  return isolatedIndexes(Array.from(values, (value) => value ?? null))
}

/** A line of the plot: a series, or the way to its bucket that is not over. */
interface Part {
  readonly one: Series
  readonly values: Values
  readonly isRest: boolean
}

const partsOf = (series: ReadonlyArray<Series>, isUnfinished: boolean): ReadonlyArray<Part> =>
  series.flatMap((one) => {
    if (!isUnfinished) return [{ one, values: one.values, isRest: false }]
    const { final, rest } = splitLast(one.values, one.isBars === true)
    return [{ one, values: final, isRest: false }, { one, values: rest, isRest: true }]
  })

const dataOf = (times: ReadonlyArray<number>, parts: ReadonlyArray<Part>): uPlot.AlignedData => [
  times.map((time) => time / 1000),
  ...parts.map(({ values }) => [...values])
]

/** What the plot draws besides values: while it stays, new values are drawn in place. */
const lookOf = (series: ReadonlyArray<Series>): string => JSON.stringify(series.map(({ values: _, ...look }) => look))

/** Where the lines of a plot are, from the edges of its element, in its pixels: those of a wall view are zoomed. */
const boxOf = (plot: uPlot, element: HTMLElement) => {
  const [inner, outer] = [plot.over.getBoundingClientRect(), element.getBoundingClientRect()]
  const zoom = element.offsetWidth === 0 ? 1 : outer.width / element.offsetWidth
  return {
    left: (inner.left - outer.left) / zoom,
    top: (inner.top - outer.top) / zoom,
    width: inner.width / zoom,
    height: inner.height / zoom
  }
}

const frameOf = (plot: uPlot, element: HTMLElement, times: ReadonlyArray<number>): Frame => {
  const { max = 0, min = 0 } = plot.scales.x ?? {}
  return {
    ...boxOf(plot, element),
    from: (min ?? 0) * 1000,
    to: times.length === 0 ? 0 : (max ?? 0) * 1000
  }
}

/** Pixels that a pressed pointer moves before it selects a time. */
const dragDistance = 5

/**
 * Calls back with the bucket that was clicked. A finger shows the values of a bucket first, as a pointer does before it clicks,
 * and opens it when it comes again.
 */
const listenToClicks = (plot: uPlot, open: (second: number) => void) => {
  let pressed = { x: 0, isTouch: false, shown: null as number | null } // the cast: the literal would have no other type
  const secondHere = () => plot.data[0][plot.cursor.idx ?? -1] ?? null
  plot.over.addEventListener("pointerdown", ({ clientX, pointerType }) => {
    pressed = { x: clientX, isTouch: pointerType === "touch", shown: secondHere() }
  })
  plot.over.addEventListener("click", ({ clientX }) => {
    const second = secondHere()
    if (second === null || Math.abs(clientX - pressed.x) >= dragDistance) return
    if (!pressed.isTouch || pressed.shown === second) open(second)
  })
}

/** The lines or bars of a chart, whose buckets can be read by pointer and arrow keys. */
export const Plot = ({ format, formatValue, marks, onOpen, readAt, series, times, title, writeTick }: {
  readonly title: string
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  readonly format: Format
  readonly readAt: number
  readonly formatValue: (value: number) => string
  readonly writeTick: (value: number) => string
  readonly marks: ShownMarks | undefined
  readonly onOpen: ((from: number, to: number) => void) | undefined
}) => {
  const { overview: texts } = useTexts()
  const zone = useZone()
  const scheme = useColourScheme()
  const holder = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot>(null)
  const drawnSeries = useRef<ReadonlyArray<Series>>(null)
  /** The bucket of `point`, in epoch seconds, as the plot has it. */
  const pointSecond = useRef<number>(null)
  const [point, setPoint] = useState<Point | null>(null)
  const [frame, setFrame] = useState<Frame | null>(null)
  const isUnfinished = isLastUnfinished(times, readAt)
  const hasMarks = marks !== undefined
  const canOpen = onOpen !== undefined
  const openRange = useRef((_from: number, _to: number) => {})
  openRange.current = (from, to) => {
    const range = rangeOf(times, from, to)
    if (range !== null) onOpen?.(range.from, range.to)
  }
  const look = lookOf(series)
  const latest = useRef({ times, series })
  latest.current = { times, series }
  useEffect(() => {
    const element = holder.current
    if (element === null) return
    const { series, times } = latest.current
    const showPoint = (plot: uPlot) => {
      const second = plot.data[0][plot.cursor.idx ?? -1] // null while no pointer is over it
      pointSecond.current = second ?? null
      if (second === undefined) return setPoint(null)
      const left = boxOf(plot, element).left + plot.valToPos(second, "x")
      setPoint({ time: second * 1000, left, isInLeftHalf: left < element.clientWidth / 2 })
    }
    // the plot of another look begins at the bucket of the one before
    const previousSecond = pointSecond.current
    const showAgain = (plot: uPlot) => {
      if (previousSecond !== null && plot.data[0].includes(previousSecond)) pointAt(plot, previousSecond)
      else showPoint(plot)
    }
    const showFrame = (plot: uPlot) => setFrame(frameOf(plot, element, latest.current.times))
    const openSelection = (plot: uPlot) => {
      const { left, width } = plot.select
      if (width === 0) return
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
      openRange.current(plot.posToVal(left, "x") * 1000, plot.posToVal(left + width, "x") * 1000)
    }
    const windowMillis = () => (latest.current.times.at(-1) ?? 0) - (latest.current.times[0] ?? 0)
    const soft = resolveColour(element, "soft")
    const line = resolveColour(element, "line")
    const axis = {
      stroke: soft,
      font: "11px Inter Variable, sans-serif",
      grid: { stroke: line, width: 1 },
      ticks: { show: false }
    }
    const parts = partsOf(series, isUnfinished)
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: chartHeight,
        // the last tick of time is written around the edge, and flags stand above the lines
        padding: [hasMarks ? flagRoom : null, tickSpace / 2, null, null],
        cursor: {
          y: false,
          points: { size: 6 },
          drag: { x: canOpen, y: false, setScale: false, dist: dragDistance }
        },
        legend: { show: false },
        // ticks at the hours and days of the zone in which they are written
        ...(zone !== undefined && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), zone) }),
        hooks: {
          ready: [showAgain, showFrame],
          setSize: [showFrame],
          setCursor: [showPoint],
          setSelect: [openSelection]
        },
        scales: { x: { time: true }, y: { range: (_, __, max) => [0, max <= 0 ? 1 : max * 1.1] } },
        axes: [
          {
            ...axis,
            values: (_, ticks) => ticks.map((tick) => format.axis(tick * 1000, windowMillis())),
            size: 24,
            gap: 4,
            space: tickSpace
          },
          { ...axis, values: (_, ticks) => ticks.map((tick) => writeTick(tick)), size: 68, gap: 4 }
        ],
        series: [{}, ...parts.map(({ isRest, one }) => optionsOf(element, one, isRest))]
      },
      dataOf(times, parts),
      element
    )
    if (canOpen) listenToClicks(plot, (second) => openRange.current(second * 1000, second * 1000))
    drawn.current = plot
    drawnSeries.current = series
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: chartHeight }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
      drawn.current = null
    }
  }, [look, format, writeTick, isUnfinished, zone, scheme, hasMarks, canOpen])
  useEffect(() => {
    const [plot, element, second] = [drawn.current, holder.current, pointSecond.current]
    if (plot === null || element === null || drawnSeries.current === series) return
    drawnSeries.current = series
    plot.batch(() => plot.setData(dataOf(times, partsOf(series, isUnfinished))))
    setFrame(frameOf(plot, element, times))
    if (second === null) return
    // the pointer stays at its bucket, while the others move on below it
    if (plot.data[0].includes(second)) pointAt(plot, second)
    else plot.setCursor({ left: -1, top: -1 })
  }, [times, series, isUnfinished])
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
    else if (event.key === "Enter" && point !== null) openRange.current(point.time, point.time)
  }
  return (
    <>
      <div
        ref={holder}
        style={{ height: chartHeight }}
        role="img"
        className={canOpen ? "[&_.u-over]:cursor-pointer [&_.u-select]:bg-accent/15" : undefined}
        aria-label={`${title}. ${texts.keysOfChart}${canOpen ? ` ${texts.openKey}` : ""}`}
        tabIndex={0}
        onKeyDown={press}
        onBlur={leave}
      />
      {marks !== undefined && frame !== null && <MarkRow shown={marks} frame={frame} format={format} />}
      {point !== null && index !== -1 && (
        <PointValues
          point={point}
          index={index}
          isUnfinished={isUnfinished && index === times.length - 1}
          width={holder.current?.clientWidth ?? 0}
          series={series}
          format={format}
          formatValue={formatValue}
        />
      )}
    </>
  )
}
