import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { linkClass } from "./TextLink.tsx"

const day = 86_400_000
/** What was not seen for so many days is faded. */
const fadeDays = 7

/** The rows in their order, with those that were not seen for a week at the end, or without them. */
export const useRecentRows = <A extends object>(
  rows: ReadonlyArray<A>,
  lastSeenAt: (row: A) => string | null,
  hidesOld: boolean
) => {
  const now = useNow()
  const isOld = (row: A) => {
    const at = lastSeenAt(row)
    return at !== null && now - Date.parse(at) > fadeDays * day
  }
  const old = rows.filter(isOld)
  const recent = rows.filter((row) => !isOld(row))
  return { rows: hidesOld ? recent : [...recent, ...old], oldCount: old.length, isOld }
}

/** Says how many rows were not seen for a week, and hides or shows them; nothing where all were seen. */
export const OldRowsNote = ({ count, isHidden, onToggle }: {
  readonly count: number
  readonly isHidden: boolean
  readonly onToggle: () => void
}) => {
  const { oldRows: texts } = useTexts()
  const format = useFormat()
  if (count === 0) return null
  return (
    <p className="px-4 pb-4 text-soft">
      {texts.note(format.count(count), format.count(fadeDays))}{" "}
      <button type="button" className={`${linkClass.text} hover:text-ink`} onClick={onToggle}>
        {isHidden ? texts.show : texts.hide}
      </button>
    </p>
  )
}
