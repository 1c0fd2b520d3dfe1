import type { ReactNode } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "./Button.tsx"
import { FilterField } from "./FilterField.tsx"
import { ListFrame, type ListQuery } from "./ListFrame.tsx"
import type { LongListSearch } from "./longListSearch.ts"
import { type LongColumn, LongTable } from "./LongTable.tsx"
import { EmptyState } from "./Notices.tsx"
import { OldRowsNote, useRecentRows } from "./RecentRows.tsx"
import { hasWords, sortRows } from "./sorting.ts"

/** A list that is read at once: a field that filters it, heads that sort it, and rows of long ago at its end. */
export const LongList = <A extends object>(
  { arrange, columns, empty, filterLabel, label, lastSeenAt, list, onSearch, rowKey, rows, search, textsOf, usualSort }:
    {
      readonly list: ListQuery
      readonly rows: ReadonlyArray<A>
      readonly rowKey: (row: A) => string
      readonly columns: ReadonlyArray<LongColumn<A>>
      readonly label: string
      readonly filterLabel: string
      /** In place of a list without rows. */
      readonly empty: ReactNode
      /** The texts in which the field finds a row. */
      readonly textsOf: (row: A) => ReadonlyArray<string | null>
      readonly lastSeenAt: (row: A) => string | null
      /** Of an address without one. */
      readonly usualSort?: string
      /** The rows in their order as lines of the table. */
      readonly arrange?: (rows: ReadonlyArray<A>) => ReadonlyArray<A>
      readonly search: LongListSearch
      readonly onSearch: (search: LongListSearch, replace: boolean) => void
    }
) => {
  const { oldRows: texts } = useTexts()
  const { old, sort = usualSort, text = "" } = search
  const sortings = columns.flatMap(({ sorting }) => sorting ?? [])
  const found = text === "" ? rows : rows.filter((row) => hasWords(text, textsOf(row)))
  const recent = useRecentRows(sortRows(found, sortings, sort), lastSeenAt, old === "hidden")
  const change = (
    changed: { readonly [K in keyof LongListSearch]: LongListSearch[K] | undefined },
    replace: boolean
  ) => {
    const wanted = { old, sort, text, ...changed }
    onSearch({
      ...(wanted.old !== undefined && { old: wanted.old }),
      ...(wanted.text !== undefined && wanted.text !== "" && { text: wanted.text }),
      ...(wanted.sort !== undefined && wanted.sort !== usualSort && { sort: wanted.sort })
    }, replace)
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {rows.length > 0 && (
        <div className="px-4 pb-3">
          <FilterField label={filterLabel} value={text} onType={(typed) => change({ text: typed }, true)} />
        </div>
      )}
      <ListFrame
        list={list}
        isEmpty={found.length === 0}
        empty={rows.length === 0 ? empty : (
          <EmptyState title={texts.noMatch}>
            <Button onClick={() => change({ text: "" }, false)}>{texts.clear}</Button>
          </EmptyState>
        )}
      >
        <LongTable
          label={label}
          rows={arrange === undefined ? recent.rows : arrange(recent.rows)}
          rowKey={rowKey}
          columns={columns}
          isFaded={recent.isOld}
          sort={sort}
          onSort={(chosen) => change({ sort: chosen }, true)}
          end={
            <OldRowsNote
              count={recent.oldCount}
              isHidden={old === "hidden"}
              onToggle={() => change({ old: old === "hidden" ? undefined : "hidden" }, false)}
            />
          }
        />
      </ListFrame>
    </div>
  )
}
