import { useTexts } from "../i18n/Language.tsx"

const isKnownState = <A extends object>(states: A, state: string): state is Extract<keyof A, string> => state in states

const marks: Readonly<Record<string, string>> = {
  online: "border-success bg-success",
  failed: "border-failure bg-failure"
}

/** Whether a worker, an agent or a process of it is there, as shape and word. */
export const WorkerState = ({ state }: { readonly state: string }) => {
  const { workers: texts } = useTexts()
  return (
    <span
      className={`inline-flex items-center gap-2 whitespace-nowrap ${marks[state] === undefined ? "text-soft" : ""}`}
    >
      <span aria-hidden="true" className={`size-2 rounded-full border ${marks[state] ?? "border-waiting"}`} />
      {isKnownState(texts.states, state) ? texts.states[state] : state}
    </span>
  )
}
