import { useTexts } from "../i18n/Language.tsx"
import type { TaskState } from "../tasks/states.ts"
import { StateShape } from "../ui/StateMark.tsx"
import { type FailureGroup, type GroupStatus, statusOf } from "./queries.ts"

const shapes: Readonly<Record<GroupStatus, TaskState>> = {
  ongoing: "failure",
  recovered: "success",
  regressed: "retry",
  muted: "revoked",
  resolved: "success"
}

/** What a group is, as shape and word: `statusOf`. */
export const GroupMark = ({ group, isShort = false }: {
  readonly group: FailureGroup
  /** On a phone the shape alone, with the word for screen readers. */
  readonly isShort?: boolean
}) => {
  const { failures: texts } = useTexts()
  const status = statusOf(group)
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <StateShape state={shapes[status]} />
      <span className={isShort ? "max-md:sr-only" : undefined}>{texts.statuses[status]}</span>
    </span>
  )
}
