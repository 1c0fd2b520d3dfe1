import { useTexts } from "../i18n/Language.tsx"
import { StateShape } from "../ui/StateMark.tsx"
import type { GroupStatus } from "./queries.ts"

/** Whether a group has failures that have not recovered, as shape and word. */
export const GroupMark = ({ isShort = false, status }: {
  readonly status: GroupStatus
  /** On a phone the shape alone, with the word for screen readers. */
  readonly isShort?: boolean
}) => {
  const { failures: texts } = useTexts()
  return (
    <span className="inline-flex items-center gap-3 whitespace-nowrap">
      <StateShape state={status === "ongoing" ? "failure" : "success"} />
      <span className={isShort ? "max-md:sr-only" : undefined}>{texts.statuses[status]}</span>
    </span>
  )
}
