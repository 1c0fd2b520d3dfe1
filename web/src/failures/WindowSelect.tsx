import { useTexts } from "../i18n/Language.tsx"
import { oneOf } from "../searchParams.ts"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { type FailureWindow, failureWindows } from "./search.ts"

/** Chooses how far back failures count. */
export const WindowSelect = ({ any, hours, onChoose }: {
  readonly hours: FailureWindow | undefined
  readonly onChoose: (hours: FailureWindow | undefined) => void
  /** What the choice of no window says, where there is one. */
  readonly any?: string
}) => {
  const { failures: texts } = useTexts()
  return (
    <FilterSelect<string | undefined>
      label={texts.window}
      any={any}
      choices={texts.windows}
      value={hours?.toString()}
      onChoose={(chosen) => onChoose(oneOf(failureWindows, chosen))}
    />
  )
}
