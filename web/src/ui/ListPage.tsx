import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useRefetchInterval } from "../api/live.ts"
import { ListFrame } from "./ListFrame.tsx"
import { EmptyState } from "./Notices.tsx"
import { PageHeader } from "./PageHeader.tsx"
import { type Column, Table } from "./Table.tsx"

const refetchMillis = 5_000

/** A page that is one table of what the project has, read again every few seconds. */
export const ListPage = <A extends { readonly id: string }>(
  { actions, columns, emptyHint, emptyTitle, name, read, slug, title }: {
    readonly slug: string
    /** Of the query, such as `workers`. */
    readonly name: string
    readonly title: string
    readonly emptyTitle: string
    readonly emptyHint: string
    readonly read: () => Promise<ReadonlyArray<A>>
    readonly columns: ReadonlyArray<Column<A>>
    /** Beside the title. */
    readonly actions?: ReactNode
  }
) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({ queryKey: [name, slug], queryFn: read, refetchInterval })
  const rows = list.data ?? []
  return (
    <>
      <PageHeader title={title}>{actions}</PageHeader>
      <ListFrame
        list={list}
        isEmpty={rows.length === 0}
        empty={<EmptyState title={emptyTitle} hint={emptyHint} />}
      >
        <Table label={title} rows={rows} rowKey={({ id }) => id} columns={columns} />
      </ListFrame>
    </>
  )
}
