import { useTexts } from "../i18n/Language.tsx"
import type { TaskState } from "../tasks/states.ts"

const colours: Readonly<Record<TaskState, string>> = {
  pending: "text-waiting",
  received: "text-waiting",
  started: "text-running",
  success: "text-success",
  failure: "text-failure",
  retry: "text-retry",
  revoked: "text-stopped",
  rejected: "text-stopped",
  unknown: "text-waiting"
}

/** Each state has a shape of its own, for people who do not see its colour. */
const shapes: Readonly<Record<TaskState, React.ReactNode>> = {
  pending: <circle cx="7" cy="7" r="5" strokeDasharray="2.2 2" />,
  received: <circle cx="7" cy="7" r="5" />,
  started: (
    <>
      <circle cx="7" cy="7" r="5" />
      <circle cx="7" cy="7" r="2" fill="currentColor" stroke="none" />
    </>
  ),
  success: (
    <>
      <circle cx="7" cy="7" r="6.2" fill="currentColor" stroke="none" />
      <path d="m4.3 7.2 1.9 1.9 3.6-4" className="stroke-paper" />
    </>
  ),
  failure: (
    <>
      <rect x="1" y="1" width="12" height="12" rx="3" fill="currentColor" stroke="none" />
      <path d="m4.8 4.8 4.4 4.4m0-4.4-4.4 4.4" className="stroke-paper" />
    </>
  ),
  retry: <path d="M11.6 5.2A5 5 0 1 0 12 8M12 2.2v3.2H8.8" />,
  revoked: (
    <>
      <circle cx="7" cy="7" r="5" />
      <path d="m3.5 10.5 7-7" />
    </>
  ),
  rejected: (
    <>
      <rect x="2" y="2" width="10" height="10" rx="2" />
      <path d="M4.8 7h4.4" />
    </>
  ),
  unknown: <path d="M5 5.2C5 4 5.9 3.2 7 3.2s2 .8 2 1.9C9 6.6 7 6.6 7 8.3M7 10.6v.2" />
}

export const StateShape = ({ state, size = 14 }: { readonly state: TaskState; readonly size?: number }) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 14 14"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={`shrink-0 ${colours[state]}`}
  >
    {shapes[state]}
  </svg>
)

/** A state as shape and word. */
export const StateMark = ({ state }: { readonly state: TaskState }) => {
  const texts = useTexts()
  return (
    <span className="inline-flex items-center gap-2">
      <StateShape state={state} />
      <span className={state === "failure" ? "text-failure" : undefined}>{texts.states[state]}</span>
    </span>
  )
}
