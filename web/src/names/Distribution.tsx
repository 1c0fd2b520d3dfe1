import { type KeyboardEvent, useRef, useState } from "react"
import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Toolbar } from "../ui/Toolbar.tsx"

type Ranges = Schemas["TaskNameDetail"]["run_times"]

/** Pixels of the highest bar. */
const barHeight = 96

/** Bars from one to another, whichever was chosen first. */
interface Brush {
  readonly anchor: number
  readonly end: number
}

const isIn = (brush: Brush | null, index: number): boolean =>
  brush !== null && index >= Math.min(brush.anchor, brush.end) && index <= Math.max(brush.anchor, brush.end)

/**
 * How many tasks took how long. A brush over bars, or a click on one, calls back with its durations in milliseconds; by keys the
 * arrows go from bar to bar, Shift extends the brush, and Enter ends it.
 */
export const Distribution = ({ onOpen, ranges, title }: {
  readonly title: string
  readonly ranges: Ranges | undefined
  /** Absent: the tasks cannot be listed by this duration. */
  readonly onOpen?: (longerThan: number, atMost: number) => void
}) => {
  const { names: texts, overview } = useTexts()
  const format = useFormat()
  const [brush, setBrush] = useState<Brush | null>(null)
  const isExtending = useRef(false)
  const highest = Math.max(1, ...(ranges ?? []).map(({ count }) => count))
  const textOf = ({ count, from_ms, to_ms }: Ranges[number]) =>
    texts.tasksOfRange(format.count(count), format.duration(from_ms), format.duration(to_ms))
  const open = (chosen: Brush) => {
    setBrush(null)
    const [first, last] = [ranges?.[Math.min(chosen.anchor, chosen.end)], ranges?.[Math.max(chosen.anchor, chosen.end)]]
    if (first !== undefined && last !== undefined) onOpen?.(first.from_ms, last.to_ms)
  }
  const focus = (index: number) => {
    setBrush((known) => ({ anchor: isExtending.current && known !== null ? known.anchor : index, end: index }))
    isExtending.current = false
  }
  const press = (event: KeyboardEvent, index: number) => {
    isExtending.current = event.shiftKey && event.key.startsWith("Arrow")
    if (event.key !== "Enter") return
    event.preventDefault()
    open(brush ?? { anchor: index, end: index })
  }
  return (
    <Panel title={title}>
      {ranges === undefined || ranges.length === 0
        ? (
          <p className="grid place-items-center px-4 text-soft" style={{ height: barHeight + 44 }}>
            {ranges !== undefined && overview.noData}
          </p>
        )
        : (
          <div className="px-4 pt-3 pb-2">
            <div
              onPointerLeave={() => setBrush(null)}
              onBlur={({ currentTarget, relatedTarget }) => {
                if (!currentTarget.contains(relatedTarget)) setBrush(null)
              }}
            >
              <Toolbar
                label={`${title}. ${texts.keysOfDistribution}`}
                className="flex touch-none items-end select-none"
              >
                {ranges.map((range, index) => (
                  <button
                    key={range.from_ms}
                    type="button"
                    aria-label={textOf(range)}
                    title={textOf(range)}
                    disabled={onOpen === undefined}
                    className={`flex min-w-0 flex-1 items-end px-px ${
                      isIn(brush, index) ? "bg-press" : "hover:bg-hover"
                    }`}
                    style={{ height: barHeight }}
                    onPointerDown={({ currentTarget, pointerId }) => {
                      if (currentTarget.hasPointerCapture(pointerId)) currentTarget.releasePointerCapture(pointerId)
                      setBrush({ anchor: index, end: index })
                    }}
                    onPointerEnter={({ buttons }) => {
                      if (buttons === 1) setBrush((known) => known && { ...known, end: index })
                    }}
                    onPointerUp={() => brush !== null && open({ ...brush, end: index })}
                    onFocus={({ target }) => target.matches(":focus-visible") && focus(index)}
                    onKeyDown={(event) => press(event, index)}
                  >
                    <span
                      className="block w-full bg-ink"
                      style={{ height: range.count === 0 ? 0 : Math.max(2, (range.count / highest) * barHeight) }}
                    />
                  </button>
                ))}
              </Toolbar>
            </div>
            <p className="figures flex justify-between pt-1 text-small text-soft">
              <span>{format.duration(ranges[0]?.from_ms ?? 0)}</span>
              <span>{format.duration(ranges.at(-1)?.to_ms ?? 0)}</span>
            </p>
          </div>
        )}
    </Panel>
  )
}
