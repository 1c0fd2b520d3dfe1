import { useTexts } from "../i18n/Language.tsx"
import { type FailureWindow, failureWindows } from "./queries.ts"

/** Chooses how far back failures count. */
export const WindowSelect = ({ hasAnyTime = false, hours, onChoose }: {
  readonly hours: FailureWindow | undefined
  readonly onChoose: (hours: FailureWindow | undefined) => void
  /** Also offers no window. */
  readonly hasAnyTime?: boolean
}) => {
  const { failures: texts } = useTexts()
  return (
    <select
      aria-label={texts.window}
      value={hours ?? ""}
      className="h-7.5 rounded-base border border-line bg-paper px-2"
      onChange={({ target }) => onChoose(failureWindows.find((one) => String(one) === target.value))}
    >
      {hasAnyTime && <option value="">{texts.anyTime}</option>}
      {failureWindows.map((one) => <option key={one} value={one}>{texts.windows[one]}</option>)}
    </select>
  )
}
