import { useQuery } from "@tanstack/react-query"
import { useRefetchInterval } from "../api/live.ts"
import { EmptyState, ErrorNotice, Loading } from "./Notices.tsx"
import { PageHeader } from "./PageHeader.tsx"
import { type Column, Table } from "./Table.tsx"

const refetchMillis = 5_000

/** A page that is one table of what the project has, read again every few seconds. */
export const ListPage = <A extends { readonly id: string }>(
  { columns, emptyHint, emptyTitle, name, read, slug, title }: {
    readonly slug: string
    /** Of the query, such as `workers`. */
    readonly name: string
    readonly title: string
    readonly emptyTitle: string
    readonly emptyHint: string
    readonly read: () => Promise<ReadonlyArray<A>>
    readonly columns: ReadonlyArray<Column<A>>
  }
) => {
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({ queryKey: [name, slug], queryFn: read, refetchInterval })
  return (
    <>
      <PageHeader title={title} />
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.data === undefined
        ? !list.isError && <Loading />
        : list.data.length === 0
        ? <EmptyState title={emptyTitle} hint={emptyHint} />
        : <Table label={title} rows={list.data} rowKey={({ id }) => id} columns={columns} />}
    </>
  )
}
