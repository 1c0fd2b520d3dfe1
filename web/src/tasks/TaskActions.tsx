import { useTexts } from "../i18n/Language.tsx"
import { useKeys } from "../keys/useKeys.ts"
import { useContextActions } from "../palette/contextActions.ts"
import { copyText } from "../ui/CopyButton.tsx"
import type { TaskAction, TaskRef } from "./commandsOfTask.ts"

/** The keys of an open task, and what the palette can do with it; shows nothing itself. */
export const OpenTaskActions = ({ canCancel, canRetry, onAsk, task }: {
  readonly task: TaskRef
  readonly canRetry: boolean
  readonly canCancel: boolean
  readonly onAsk: (action: TaskAction) => void
}) => {
  const { palette: texts, task: { cancel, retry } } = useTexts()
  const onKey = (action: TaskAction) => (event: KeyboardEvent) => {
    if (event.repeat) return
    event.preventDefault()
    onAsk(action)
  }
  useKeys({ ...(canRetry && { retry: onKey("retry") }), ...(canCancel && { cancel: onKey("cancel") }) })
  useContextActions([
    ...(canRetry ? [{ id: "retry", title: `${retry}: ${task.name}`, run: () => onAsk("retry") }] : []),
    ...(canCancel ? [{ id: "cancel", title: `${cancel}: ${task.name}`, run: () => onAsk("cancel") }] : []),
    { id: "copy-id", title: texts.copyId, run: () => void copyText(task.task_id) },
    { id: "copy-link", title: texts.copyLink, run: () => void copyText(location.href) }
  ])
  return null
}
