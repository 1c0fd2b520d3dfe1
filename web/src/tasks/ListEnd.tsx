import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import type { TaskList } from "./useTaskList.ts"

/** Whether older tasks are read, are still to be searched, or there are none. */
export const ListEnd = ({ list }: { readonly list: TaskList }) => {
  const { tasks: texts } = useTexts()
  const format = useFormat()
  if (list.searchedTo === null) {
    return (
      <>
        <p role="status">{list.isFetchingNextPage ? `${texts.loadingMore}…` : list.hasNextPage ? "" : texts.end}</p>
        {list.index !== null && <p className="text-soft">{texts.byIndex(list.index)}</p>}
      </>
    )
  }
  return (
    <>
      <p role="status" className="text-soft">
        {texts.searchedBack(format.dateTime(Date.parse(list.searchedTo)))}
        {list.isFetchingNextPage && ` ${texts.searchingOn}…`}
      </p>
      {!list.isSearchingOn && !list.isFetchingNextPage && !list.isError && (
        <Button onClick={list.searchOn}>{texts.searchOn}</Button>
      )}
    </>
  )
}
