import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"

type Progress = Schemas["TaskProgress"]

/** What a task says besides its percentage: the message of an object. */
const messageOf = (value: unknown): string | null =>
  typeof value === "object" && value !== null && "message" in value && typeof value.message === "string"
    ? value.message
    : null

/** How far a task is that runs. `className` has the bar's size. */
export const ProgressBar = ({ className, percent }: { readonly percent: number; readonly className: string }) => {
  const { task: texts } = useTexts()
  return (
    <div
      role="progressbar"
      aria-label={texts.progress}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
      className={`overflow-hidden bg-press ${className}`}
    >
      <div className="h-full bg-running" style={{ width: `${percent}%` }} />
    </div>
  )
}

/** The progress on the page of its task, with what it said. */
export const TaskProgress = ({ progress: { percent, value } }: { readonly progress: Progress }) => {
  const format = useFormat()
  const message = messageOf(value)
  if (percent === null && message === null) return null
  return (
    <div className="flex items-center gap-3 px-4 pb-4">
      {percent !== null && <ProgressBar percent={percent} className="h-2 min-w-20 flex-1 rounded-small" />}
      {percent !== null && <span className="figures">{format.percent(percent / 100)}</span>}
      {message !== null && <span className="min-w-0 max-w-[60%] truncate text-soft" title={message}>{message}</span>}
    </div>
  )
}
