import { useTexts } from "../i18n/Language.tsx"
import { Button } from "./Button.tsx"

/** Reads the next page of a list from `usePagedList`; nothing at its end. */
export const MoreButton = ({ list }: {
  readonly list: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}) => {
  const texts = useTexts()
  if (!list.hasNextPage) return null
  return (
    <div className="px-4 pb-6">
      <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>{texts.older}</Button>
    </div>
  )
}
