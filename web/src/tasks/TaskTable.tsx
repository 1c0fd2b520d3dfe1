import { useNavigate } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useEffect, useRef } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useKeys } from "../keys/useKeys.ts"
import type { Place } from "./keptLists.ts"
import type { Density } from "./preferences.ts"
import { numberColumns, PhoneRow, Row, type RowProps, templateOf } from "./TaskRow.tsx"
import type { Task } from "./useTaskList.ts"

const rowHeights: Readonly<Record<Density, number>> = { compact: 30, comfortable: 40 }
const phoneRowHeight = 56
/** Rows beyond both edges that are drawn too, so that a fast scroll shows no gap. */
const overscan = 12
/** So many rows before the end the next page is read. */
const prefetchRows = 30

interface TaskTableProps extends Omit<RowProps, "task" | "isSelected"> {
  readonly tasks: ReadonlyArray<Task>
  /** Where the person is, which the table keeps up to date. */
  readonly place: Place
  readonly density: Density
  readonly selected: ReadonlySet<string>
  readonly isPhone: boolean
  /** On a phone rows have boxes only while tasks are selected. */
  readonly isSelecting: boolean
  /** What follows the last row. */
  readonly end: ReactNode
  readonly onReachEnd: () => void
  /** Selects all rows that are loaded, or none. */
  readonly onSelectLoaded: (isSelected: boolean) => void
}

/** Rows of constant height, of which those on screen are in the document. */
export const TaskTable = (
  { density, end, isPhone, isSelecting, onReachEnd, onSelectLoaded, place, selected, tasks, ...row }: TaskTableProps
) => {
  const { tasks: texts } = useTexts()
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = isPhone ? phoneRowHeight : rowHeights[density]
  const virtual = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    initialOffset: place.scrollTop,
    estimateSize: () => rowHeight,
    getItemKey: (index) => tasks[index]?.id ?? index,
    overscan
  })
  useEffect(() => virtual.measure(), [rowHeight, virtual])
  const items = virtual.getVirtualItems()
  const lastIndex = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastIndex >= tasks.length - prefetchRows) onReachEnd()
  })

  const isAllSelected = tasks.every(({ id }) => selected.has(id))
  const isAnySelected = tasks.some(({ id }) => selected.has(id))
  const focus = (id: string | null | undefined) => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-task="${id}"] a`)
    link?.focus()
    return link instanceof HTMLElement
  }
  // back on the list, the focus is where it was; the row is in the document after the scroll only
  useEffect(() => {
    if (place.focusedId === null) return
    const frame = requestAnimationFrame(() => focus(place.focusedId))
    return () => cancelAnimationFrame(frame)
  }, [place])
  const focusedId = () => document.activeElement?.closest<HTMLElement>("[data-task]")?.dataset.task
  const move = (event: KeyboardEvent, step: 1 | -1) => {
    event.preventDefault()
    const from = tasks.findIndex(({ id }) => id === (focusedId() ?? place.focusedId))
    const index = Math.max(0, Math.min(tasks.length - 1, from + step))
    const id = tasks[index]?.id
    virtual.scrollToIndex(index)
    // At once, since the next key acts on the row that has the focus; a row far away is there after the scroll only.
    if (!focus(id)) requestAnimationFrame(() => focus(id))
  }
  /** The other keys act on the row that has the focus, which the person sees; the bar of a selection has its own. */
  const onFocused = (action: (task: Task) => void) => (event: KeyboardEvent) => {
    const id = focusedId()
    const task = tasks.find((one) => one.id === id)
    if (task === undefined || event.repeat) return
    event.preventDefault()
    action(task)
  }
  useKeys({
    next: (event) => move(event, 1),
    previous: (event) => move(event, -1),
    select: onFocused(({ id }) => row.onToggle(id)),
    open: (event) => {
      if (event.key === "Enter") return // the link or box that has the focus does what the browser does
      onFocused((task) =>
        void navigate({
          to: "/projects/$slug/tasks/$engine/$taskId",
          params: { slug: row.slug, engine: task.engine, taskId: task.task_id }
        })
      )(event)
    },
    ...(row.canOperate && !isAnySelected && {
      retry: onFocused((task) => row.onAsk("retry", task)),
      cancel: onFocused((task) => row.onAsk("cancel", task))
    })
  })

  const selectAll = (
    <input
      type="checkbox"
      className={isPhone ? "size-5" : ""}
      aria-label={texts.selectLoaded}
      checked={isAllSelected}
      ref={(box) => {
        if (box !== null) box.indeterminate = isAnySelected && !isAllSelected
      }}
      onChange={() => onSelectLoaded(!isAllSelected)}
    />
  )
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-auto"
      onScroll={({ currentTarget }) => {
        place.scrollTop = currentTarget.scrollTop
      }}
    >
      <div role="table" aria-label={texts.title}>
        {isPhone && isSelecting && (
          <div role="rowgroup" className="sticky top-0 z-[5] border-b border-line bg-paper">
            <div role="row">
              <div role="columnheader">
                <label className="flex h-10 items-center">
                  <span className="grid w-11 place-items-center">{selectAll}</span>
                  {texts.selectLoaded}
                </label>
              </div>
            </div>
          </div>
        )}
        {!isPhone && (
          <div role="rowgroup" className="sticky top-0 z-[5] bg-paper">
            <div
              role="row"
              style={templateOf(row.columns)}
              className="grid h-8 items-center border-b border-line text-small text-soft"
            >
              <div role="columnheader" className="grid place-items-center">
                {selectAll}
              </div>
              <div role="columnheader">{texts.columns.state}</div>
              <div role="columnheader">{texts.columns.name}</div>
              {row.columns.map((column) => (
                <div
                  key={column}
                  role="columnheader"
                  className={`truncate pr-2 ${numberColumns.has(column) ? "text-right" : ""}`}
                >
                  {texts.columns[column]}
                </div>
              ))}
              <div role="columnheader">
                <span className="sr-only">{texts.actionColumn}</span>
              </div>
            </div>
          </div>
        )}
        <div role="rowgroup" data-rows className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, size, start }) => {
            const task = tasks[index]
            return task !== undefined && (
              <div
                key={key}
                role="presentation"
                data-task={task.id}
                className="absolute inset-x-0"
                style={{ height: size, transform: `translateY(${start}px)` }}
                onFocus={() => {
                  place.focusedId = task.id
                }}
              >
                {isPhone
                  ? (
                    <PhoneRow
                      slug={row.slug}
                      task={task}
                      isSelected={selected.has(task.id)}
                      isSelecting={isSelecting}
                      onToggle={row.onToggle}
                    />
                  )
                  : <Row {...row} task={task} isSelected={selected.has(task.id)} />}
              </div>
            )
          })}
        </div>
      </div>
      <div className="grid place-items-center gap-2 py-4 text-center text-soft">{end}</div>
    </div>
  )
}
