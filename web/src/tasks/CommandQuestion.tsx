import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { type TaskAction, type TaskRef, useTaskCommands } from "./commandsOfTask.ts"

export interface Question {
  readonly action: TaskAction
  readonly tasks: ReadonlyArray<TaskRef>
  /** A sentence about which tasks these are, or what a retry of them needs. */
  readonly note?: string
}

/** Asks before commands are issued, and issues them. */
export const CommandQuestion = ({ onConfirm, onClose, question: { action, note, tasks }, slug }: {
  readonly slug: string
  readonly question: Question
  readonly onClose: () => void
  /** The person agreed. */
  readonly onConfirm?: () => void
}) => {
  const { cancel, keepRunning, task: texts, tasks: many } = useTexts()
  const format = useFormat()
  const commands = useTaskCommands(slug, action)
  const what = tasks.length === 1 ? tasks[0]?.name ?? "" : many.count(format.count(tasks.length))
  return (
    <Dialog title={action === "retry" ? texts.retryQuestion(what) : texts.cancelQuestion(what)} onClose={onClose}>
      {(close) => (
        <>
          <p className="mt-2 text-soft">{action === "retry" ? texts.retryHint : texts.cancelHint}</p>
          {note !== undefined && <p className="mt-2">{note}</p>}
          <div className="mt-6 flex justify-end gap-2">
            <Button onClick={close}>{action === "retry" ? cancel : keepRunning}</Button>
            <Button
              variant="primary"
              data-autofocus
              onClick={() => {
                commands.mutate(tasks)
                onConfirm?.()
                close()
              }}
            >
              {action === "retry" ? texts.retry : texts.cancel}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
