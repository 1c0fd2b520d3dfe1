import { useTexts } from "../../i18n/Language.tsx"
import type { TaskState } from "../../tasks/states.ts"
import { StateShape } from "../../ui/StateMark.tsx"
import type { AlertState } from "./state.ts"

/** The shapes of tasks, so that a shape means the same on every page: failed, in hand, waiting, well, unknown. */
const shapes: Readonly<Record<AlertState, TaskState>> = {
  open: "failure",
  acknowledged: "started",
  snoozed: "pending",
  recovered: "success",
  stale: "unknown",
  closed: "revoked"
}

/** The state of an alert as shape and word. */
export const AlertMark = ({ state }: { readonly state: AlertState }) => {
  const { alerts: texts } = useTexts()
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap" title={texts.stateHints[state]}>
      <StateShape state={shapes[state]} />
      <span className={state === "open" ? "text-failure" : undefined}>{texts.states[state]}</span>
    </span>
  )
}
