import type { ReactNode } from "react"
import { ErrorNotice, Loading } from "./Notices.tsx"

/** What a list reads of a query of TanStack Query, also of an infinite one. */
export interface ListQuery {
  readonly data: unknown
  readonly isError: boolean
  readonly error: Error | null
  readonly refetch: () => unknown
}

/** A list while it is read, when a read failed, and when it is empty. A failed read leaves what was read before. */
export const ListFrame = ({ children, empty, isEmpty, list }: {
  readonly list: ListQuery
  readonly isEmpty: boolean
  readonly empty: ReactNode
  readonly children: ReactNode
}) => (
  <>
    {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
    {list.data === undefined ? !list.isError && <Loading /> : isEmpty ? empty : children}
  </>
)
