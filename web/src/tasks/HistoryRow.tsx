import type { ReactNode } from "react"
import { useFormat } from "../format/useFormat.ts"
import { StateMark } from "../ui/StateMark.tsx"
import type { TaskState } from "./states.ts"

/** A run or an attempt of a task: how it ended, how long it ran, and what it failed with. */
export const HistoryRow = ({ exception, number, runMillis, state, time }: {
  readonly number: number
  readonly state: TaskState
  readonly runMillis: number | null
  readonly time: ReactNode
  readonly exception: string | null
}) => {
  const format = useFormat()
  return (
    <li className="grid gap-0.5 px-4 py-2">
      <p className="flex flex-wrap items-center gap-x-3">
        <span className="figures text-soft">{format.number(number)}</span>
        <StateMark state={state} />
        {runMillis !== null && <span className="figures text-soft">{format.duration(runMillis)}</span>}
        <span className="figures ml-auto text-soft">{time}</span>
      </p>
      {exception !== null && <p className="truncate font-mono text-small text-soft" title={exception}>{exception}</p>}
    </li>
  )
}
