import { useTexts } from "../i18n/Language.tsx"
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
        className="accent-ink"
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
  return (
    <select
      aria-label={texts.window}
      value={window}
      onChange={({ target }) => onChoose(target.value as OverviewWindow)} // its options are the windows
      className="h-7.5 rounded-base border border-line bg-paper px-2"
    >
      {Object.entries(texts.windows).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
    </select>
  )
}
