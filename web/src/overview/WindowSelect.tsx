import { useTexts } from "../i18n/Language.tsx"
import type { OverviewWindow } from "./windows.ts"

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
      className="h-[30px] rounded-base border border-line bg-paper px-3"
    >
      {Object.entries(texts.windows).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
    </select>
  )
}
