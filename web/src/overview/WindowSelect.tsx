import { useTexts } from "../i18n/Language.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import type { OverviewWindow } from "./windows.ts"

/** Whether a page compares with the week before. */
export const CompareToggle = ({ isOn, onToggle }: {
  readonly isOn: boolean
  readonly onToggle: (isOn: boolean) => void
}) => {
  const { overview: texts } = useTexts()
  return (
    <label className="inline-flex h-7.5 items-center gap-2">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => onToggle(target.checked)}
      />
      {texts.compare}
    </label>
  )
}

/** Chooses how far back an overview reads. */
export const WindowSelect = ({ onChoose, window }: {
  readonly window: OverviewWindow
  readonly onChoose: (window: OverviewWindow) => void
}) => {
  const { overview: texts } = useTexts()
  return <FilterSelect label={texts.window} choices={texts.windows} value={window} onChoose={onChoose} />
}
