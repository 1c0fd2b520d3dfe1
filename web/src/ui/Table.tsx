import type { ReactNode } from "react"

export interface Column<A> {
  readonly title: string
  readonly cell: (row: A) => ReactNode
  /** Numbers and times: aligned at the right, with figures of one width. */
  readonly isNumber?: boolean
  /** Left out on a phone, and where there is as little room. */
  readonly isMinor?: boolean
}

const minorClass = "max-md:hidden @max-md:hidden"

/** A table of few rows. `tasks/TaskTable.tsx` is for many. */
export const Table = <A extends object>({ columns, isFaded, isInPanel = false, label, rowKey, rows }: {
  readonly label: string
  readonly rows: ReadonlyArray<A>
  readonly rowKey: (row: A) => string
  readonly columns: ReadonlyArray<Column<A>>
  /** Rows that matter less, such as a queue that no agent has reported for a week. */
  readonly isFaded?: (row: A) => boolean
  /** Without a frame of its own. */
  readonly isInPanel?: boolean
}) => (
  <div
    className={isInPanel ? "overflow-x-auto" : "mx-4 mb-4 overflow-x-auto rounded-base border border-line bg-paper"}
    role={isInPanel ? "group" : "region"} // the panel is the landmark
    aria-label={label}
    tabIndex={0}
  >
    <table
      // the cells begin and end where the panel's title and its actions do
      className={`w-full border-collapse ${
        isInPanel ? "[&_:is(td,th):first-child]:pl-4 [&_:is(td,th):last-child]:pr-4" : ""
      }`}
    >
      <thead>
        <tr className="border-b border-line text-small text-soft">
          {columns.map(({ isMinor, isNumber, title }) => (
            <th
              key={title}
              scope="col"
              className={`h-8 px-3 font-normal ${isNumber === true ? "text-right" : "text-left"} ${
                isMinor === true ? minorClass : ""
              }`}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody data-rows={isInPanel ? undefined : true}>
        {rows.map((row) => (
          <tr
            key={rowKey(row)}
            data-faded={isFaded?.(row) === true}
            className="border-b border-line last:border-0 hover:bg-hover data-[faded=true]:text-soft"
          >
            {columns.map(({ cell, isMinor, isNumber, title }) => (
              <td
                key={title}
                className={`h-8.5 px-3 py-1 ${isNumber === true ? "figures text-right whitespace-nowrap" : ""} ${
                  isMinor === true ? minorClass : ""
                }`}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
