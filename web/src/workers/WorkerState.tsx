import { useTexts } from "../i18n/Language.tsx"

const isKnownState = <A extends object>(states: A, state: string): state is Extract<keyof A, string> => state in states

/** Whether a worker or a process of an agent is there, as shape and word. */
export const WorkerState = ({ state }: { readonly state: string }) => {
  const { workers: texts } = useTexts()
  const isOnline = state === "online"
  return (
    <span className={`inline-flex items-center gap-3 whitespace-nowrap ${isOnline ? "" : "text-soft"}`}>
      <span
        aria-hidden="true"
        className={`size-[8px] rounded-full border ${isOnline ? "border-success bg-success" : "border-waiting"}`}
      />
      {isKnownState(texts.states, state) ? texts.states[state] : state}
    </span>
  )
}
