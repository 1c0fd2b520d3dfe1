import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { Table } from "../ui/Table.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import type { Letter } from "./letters.ts"

/** The ids of its dead letters differ from those of its events, and it cannot requeue one (docs/dead-letters.md). */
const otherIdEngine = "dramatiq"

/** What each dead letter is, and the button that puts it back. */
export const LetterTable = ({ engine, onRequeue, rows, slug }: {
  readonly slug: string
  readonly engine: string | undefined
  readonly rows: ReadonlyArray<Letter>
  readonly onRequeue: (letter: Letter) => void
}) => {
  const { deadLetters: texts } = useTexts()
  const format = useFormat()
  const canOperate = useCan(slug, "operator")
  return (
    <Table
      label={texts.title}
      rows={rows}
      rowKey={({ task_id }) => task_id}
      columns={[
        {
          title: texts.task,
          cell: ({ task_id, task_name }) =>
            engine === undefined || engine === otherIdEngine
              ? <span className="font-medium">{task_name || task_id}</span>
              : (
                <TextLink
                  to="/projects/$slug/tasks/$engine/$taskId"
                  params={{ slug, engine, taskId: task_id }}
                  look="name"
                >
                  {task_name || task_id}
                </TextLink>
              )
        },
        { title: texts.queue, isMinor: true, cell: ({ queue }) => queue },
        {
          title: texts.error,
          cell: ({ error_excerpt }) => (
            <span
              className="block max-w-[72ch] truncate font-mono text-small max-md:max-w-[30vw]"
              title={error_excerpt}
            >
              {error_excerpt.split("\n", 1)[0]}
            </span>
          )
        },
        {
          title: texts.attempts,
          isNumber: true,
          isMinor: true,
          cell: ({ attempts }) => attempts === null ? "–" : format.number(attempts)
        },
        {
          title: texts.failedAt,
          isNumber: true,
          isMinor: true,
          cell: ({ failed_at }) => failed_at === null ? "–" : <Time at={failed_at} />
        },
        ...(canOperate && engine !== otherIdEngine
          ? [{
            title: texts.action,
            isNumber: true,
            cell: (letter: Letter) => <Button variant="quiet" onClick={() => onRequeue(letter)}>{texts.requeue}</Button>
          }]
          : [])
      ]}
    />
  )
}
