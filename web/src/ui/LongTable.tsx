import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useRef } from "react"
import { nextSort, type Sorting } from "./sorting.ts"
import type { Column } from "./Table.tsx"
import { usePhone } from "./usePhone.ts"

const rowHeight = 36
/** Rows beyond both edges that are drawn too, so that a fast scroll shows no gap. */
const overscan = 12

export interface LongColumn<A> extends Column<A> {
  /** At least so many pixels. */
  readonly width: number
  /** Its share of the room that is left; without it the column keeps its width. */
  readonly grow?: number
  /** Without it, its head does not sort. */
  readonly sorting?: Sorting<A>
}

const alignmentOf = ({ isNumber }: Pick<Column<never>, "isNumber">) => isNumber === true ? "text-right" : "text-left"

const Head = <A extends object>({ column, onSort, sort }: {
  readonly column: LongColumn<A>
  readonly sort: string | undefined
  readonly onSort: (sort: string) => void
}) => {
  const { sorting, title } = column
  const className = `truncate px-3 ${alignmentOf(column)}`
  if (sorting === undefined) return <div role="columnheader" className={className}>{title}</div>
  const direction = sort === sorting.key ? "ascending" : sort === `-${sorting.key}` ? "descending" : undefined
  return (
    <div role="columnheader" aria-sort={direction ?? "none"} className={className}>
      <button
        type="button"
        className={`max-w-full truncate rounded-small hover:text-ink ${
          direction === undefined ? "" : "font-medium text-ink"
        }`}
        onClick={() => onSort(nextSort(sorting, sort))}
      >
        {title}
        {direction !== undefined && <span aria-hidden="true">{direction === "ascending" ? " ↑" : " ↓"}</span>}
      </button>
    </div>
  )
}

/**
 * A table of any number of rows of one height, of which those on screen are in the document. It fills the height that the
 * page leaves to it. On a phone it has the columns that matter.
 */
export const LongTable = <A extends object>({ columns, end, isFaded, label, onSort, rowKey, rows, sort }: {
  readonly label: string
  readonly rows: ReadonlyArray<A>
  readonly rowKey: (row: A) => string
  readonly columns: ReadonlyArray<LongColumn<A>>
  readonly isFaded: (row: A) => boolean
  readonly sort: string | undefined
  readonly onSort: (sort: string) => void
  /** What follows the last row. */
  readonly end: ReactNode
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const isPhone = usePhone()
  const shown = isPhone ? columns.filter(({ isMinor }) => isMinor !== true) : columns
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => {
      const row = rows[index]
      return row === undefined ? index : rowKey(row)
    },
    overscan
  })
  const gridTemplateColumns = shown.map(({ grow, width }) =>
    grow === undefined ? `${width}px` : `minmax(${width}px,${grow}fr)`
  ).join(" ")
  const minWidth = isPhone ? undefined : shown.reduce((sum, { width }) => sum + width, 0)
  return (
    <div
      ref={scroller}
      role="region"
      aria-label={label}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto border-t border-line bg-paper"
    >
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} style={{ minWidth }}>
        <div role="rowgroup" className="sticky top-0 z-[5] bg-paper">
          <div
            role="row"
            style={{ gridTemplateColumns }}
            className="grid h-8 items-center border-b border-line text-small text-soft"
          >
            {shown.map((column) => <Head key={column.title} column={column} sort={sort} onSort={onSort} />)}
          </div>
        </div>
        <div role="rowgroup" data-rows className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, size, start }) => {
            const row = rows[index]
            return row !== undefined && (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                data-faded={isFaded(row)}
                style={{ gridTemplateColumns, height: size, transform: `translateY(${start}px)` }}
                className="absolute inset-x-0 grid items-center border-b border-line hover:bg-hover data-[faded=true]:text-soft"
              >
                {shown.map((column) => (
                  <div
                    key={column.title}
                    role="cell"
                    className={`truncate px-3 ${alignmentOf(column)} ${column.isNumber === true ? "figures" : ""}`}
                  >
                    {column.cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
      {end}
    </div>
  )
}
