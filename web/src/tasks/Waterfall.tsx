import { Link } from "@tanstack/react-router"
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import type { Schemas } from "../api/client.ts"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import { usePhone } from "../ui/usePhone.ts"
import { SpanBar, SpanLegend } from "./SpanBar.tsx"
import { keyOf, layOutWaterfall, type WaterfallRow } from "./waterfall.ts"

const rowHeight = 30
const phoneRowHeight = 52
const headHeight = 30
const overscan = 12
const indentPixels = 16
/** A deeper row says its depth to a screen reader only, so that its name keeps its place. */
const maxIndents = 8

/** On a phone the name is above its bar, and the clock is left to the row's own page. */
const columns =
  "grid items-center gap-x-3 px-4 grid-cols-[minmax(0,1fr)_auto_auto] md:grid-cols-[minmax(14rem,2fr)_minmax(0,5fr)_7.5rem_4.5rem_4.5rem]"
const barCell = "relative self-stretch content-center max-md:col-span-3 max-md:row-start-2"
const figureCell = "figures text-right max-md:row-start-1"

/**
 * Tasks to one scale of time, as a tree. The arrow keys go through it: up and down from row to row, right opens a row or
 * goes into it, left closes it or goes to its parent.
 */
export const Waterfall = ({ label, nodes, own, slug }: {
  readonly slug: string
  readonly label: string
  readonly nodes: ReadonlyArray<Schemas["TaskTreeNode"]>
  /** The task of the page. */
  readonly own: Pick<Schemas["TaskTreeNode"], "engine" | "task_id">
}) => {
  const { states, task: texts } = useTexts()
  const format = useFormat()
  const now = useNow()
  const isPhone = usePhone()
  const scroller = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [chosenKey, setChosenKey] = useState(keyOf(own))
  const hasMoved = useRef(false)
  const layout = layOutWaterfall({ nodes, own, isOpen, now })
  const { from, rows, ticks, to } = layout
  const active = Math.max(0, rows.findIndex(({ key }) => key === chosenKey))
  const height = isPhone ? phoneRowHeight : rowHeight
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => rows[index]?.key ?? index,
    initialOffset: Math.max(0, active - 3) * height,
    scrollPaddingStart: headHeight,
    scrollPaddingEnd: headHeight,
    overscan,
    // the row that Tab reaches stays in the document when it is scrolled away
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), active])].sort((a, b) => a - b)
  })
  useEffect(() => virtual.measure(), [height, virtual])
  useEffect(() => {
    if (!hasMoved.current) return
    hasMoved.current = false
    scroller.current?.querySelector<HTMLElement>("[data-active=true] [tabindex=\"0\"]")?.focus({ preventScroll: true })
  })

  const goTo = (index: number) => {
    const row = rows[index]
    if (row === undefined) return
    hasMoved.current = true
    setChosenKey(row.key)
    virtual.scrollToIndex(index)
  }
  const toggle = ({ isExpanded, key }: WaterfallRow) => {
    setChosenKey(key)
    setOpen(new Map([...isOpen, [key, isExpanded !== true]]))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active]
    if (row === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => goTo(active + 1),
      ArrowUp: () => goTo(active - 1),
      Home: () => goTo(0),
      End: () => goTo(rows.length - 1),
      ArrowRight: () => row.isExpanded === false ? toggle(row) : row.isExpanded === true && goTo(active + 1),
      ArrowLeft: () => row.isExpanded === true ? toggle(row) : goTo(rows.findIndex(({ key }) => key === row.parentKey))
    }
    const move = moves[event.key]
    if (move === undefined) return
    event.preventDefault()
    move()
  }

  const countsOf = (counts: ReadonlyMap<Schemas["TaskTreeNode"]["state"], number>) =>
    [...counts].map(([state, count]) => ({ state, count, text: `${states[state]} ${format.number(count)}` }))
  const nameOf = (row: WaterfallRow, isActive: boolean) => {
    const critical = row.isCritical && <span className="sr-only">, {texts.criticalPath}</span>
    const tabIndex = isActive ? 0 : -1
    if (row.kind === "group") {
      return (
        <button
          type="button"
          aria-expanded={row.isExpanded === true}
          tabIndex={tabIndex}
          className="flex min-w-0 items-center gap-2 rounded-small text-left hover:underline"
          onClick={() => toggle(row)}
        >
          <Icon name={row.isExpanded === true ? "down" : "chevron"} className="text-soft" />
          <span className="truncate">{row.name}</span>
          <span className="figures shrink-0 font-medium">×{format.number(row.count)}</span>
          {countsOf(row.states).map(({ count, state, text }) => (
            <span key={state} className="flex shrink-0 items-center gap-1 text-small text-soft">
              <StateShape state={state} size={12} />
              <span aria-hidden="true">{format.number(count)}</span>
              <span className="sr-only">{text}</span>
            </span>
          ))}
          {critical}
        </button>
      )
    }
    const { engine, name, state, task_id } = row.node
    return (
      <>
        {row.isExpanded === null ? <span className="w-4 shrink-0" /> : (
          <button
            type="button"
            tabIndex={-1}
            aria-expanded={row.isExpanded}
            aria-label={texts.startedBy(name)}
            className="shrink-0 rounded-small text-soft hover:text-ink"
            onClick={() => toggle(row)}
          >
            <Icon name={row.isExpanded ? "down" : "chevron"} />
          </button>
        )}
        <Link
          to="/projects/$slug/tasks/$engine/$taskId"
          params={{ slug, engine, taskId: task_id }}
          tabIndex={tabIndex}
          className="flex min-w-0 items-center gap-2 rounded-small hover:underline chosen:font-semibold"
          onFocus={() => setChosenKey(row.key)}
        >
          <StateShape state={state} />
          <span className="truncate">{name}</span>
          <span className="sr-only">, {states[state]}</span>
          {critical}
        </Link>
        {row.exception !== null && (
          <span className="min-w-0 flex-1 basis-0 truncate text-small text-failure max-md:hidden" title={row.exception}>
            {row.exception}
          </span>
        )}
      </>
    )
  }
  const leftOf = (tick: number) => ({ left: `${tick * 100 / Math.max(1, to - from)}%` })
  const spans = rows.flatMap((row) => row.spans)
  return (
    <>
      <div ref={scroller} className="max-h-110 overflow-x-hidden overflow-y-auto">
        <div role="treegrid" aria-label={label} aria-rowcount={rows.length + 1} onKeyDown={onKeyDown}>
          <div role="rowgroup" className="sticky top-0 z-[5] bg-paper">
            <div
              role="row"
              aria-rowindex={1}
              className={`${columns} border-b border-line text-small text-soft`}
              style={{ height: headHeight }}
            >
              <div role="columnheader" className="max-md:sr-only">{texts.name}</div>
              <div role="columnheader" aria-label={texts.timeline} className="relative h-full max-md:col-span-3">
                {ticks.map((tick) => (
                  <span
                    key={tick}
                    aria-hidden="true"
                    className="figures absolute inset-y-0 border-l border-line pt-1.5 pl-1 whitespace-nowrap"
                    style={leftOf(tick)}
                  >
                    +{format.duration(tick)}
                  </span>
                ))}
              </div>
              <div role="columnheader" className={`${figureCell} max-md:hidden`}>{texts.begins}</div>
              <div role="columnheader" className={`${figureCell} max-md:sr-only`}>{texts.offset}</div>
              <div role="columnheader" className={`${figureCell} max-md:sr-only`}>{texts.ran}</div>
            </div>
          </div>
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {virtual.getVirtualItems().map(({ index, key, size, start }) => {
              const row = rows[index]
              if (row === undefined) return null
              const ran = row.runMillis === null ? null : format.duration(row.runMillis)
              const begins = row.spans.length === 0 ? null : Math.min(...row.spans.map((span) => span.from))
              return (
                <div
                  key={key}
                  role="row"
                  aria-rowindex={index + 2}
                  aria-level={row.depth + 1}
                  {...(row.isExpanded !== null && { "aria-expanded": row.isExpanded })}
                  data-active={index === active}
                  className={`${columns} absolute inset-x-0 hover:bg-hover max-md:grid-rows-2`}
                  style={{ height: size, transform: `translateY(${start}px)` }}
                >
                  <div
                    role="gridcell"
                    className="flex min-w-0 items-center gap-1 max-md:row-start-1"
                    style={{ paddingLeft: Math.min(row.depth, maxIndents) * indentPixels }}
                  >
                    {nameOf(row, index === active)}
                  </div>
                  <div role="gridcell" className={barCell}>
                    {ticks.map((tick) => (
                      <span key={tick} className="absolute inset-y-0 border-l border-line" style={leftOf(tick)} />
                    ))}
                    {row.spans.length > 0 && (
                      <SpanBar
                        spans={row.spans}
                        sections={row.sections}
                        scale={layout}
                        label={row.kind === "group"
                          ? countsOf(row.states).map(({ text }) => text).join(", ")
                          : null}
                      />
                    )}
                  </div>
                  <div role="gridcell" className={`${figureCell} text-soft max-md:hidden`}>
                    {begins !== null && (
                      <time dateTime={new Date(begins).toISOString()} title={format.dateTime(begins)}>
                        {format.preciseClock(begins)}
                      </time>
                    )}
                  </div>
                  <div role="gridcell" className={`${figureCell} text-soft`}>
                    {begins !== null && `+${format.duration(begins - from)}`}
                  </div>
                  <div
                    role="gridcell"
                    className={figureCell}
                    title={ran === null || row.kind === "group" || row.attempts < 2
                      ? undefined
                      : texts.ranIn(ran, format.count(row.attempts))}
                  >
                    {ran}
                  </div>
                </div>
              )
            })}
          </div>
        </div>
      </div>
      {spans.length > 0 && <SpanLegend spans={spans} hasPath={rows.some(({ isCritical }) => isCritical)} />}
    </>
  )
}
