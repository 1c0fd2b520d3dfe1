import { stringify } from "lossless-json"
import { useTexts } from "../i18n/Language.tsx"
import { Panel } from "../ui/Panel.tsx"
import { JsonTree } from "./JsonTree.tsx"
import type { ExactValues, TaskDetail } from "./readTask.ts"
import { ValueActions } from "./ValueActions.tsx"

/** The arguments and the result of a task. */
export const TaskValues = ({ exact, slug, task }: {
  readonly slug: string
  readonly task: Pick<TaskDetail, "name" | "payload_hidden">
  readonly exact: ExactValues
}) => {
  const texts = useTexts()
  const values = ([
    { column: "args", label: texts.task.arguments, value: exact.args },
    { column: "kwargs", label: texts.task.namedArguments, value: exact.kwargs },
    { column: "result", label: texts.task.result, value: exact.result }
  ] as const).filter(({ value }) => value !== null)
  return (
    <Panel title={texts.task.values}>
      {task.payload_hidden
        ? <p className="px-4 py-3 text-soft">{texts.task.payloadHidden}</p>
        : values.length === 0
        ? <p className="px-4 py-3 text-soft">{texts.none}</p>
        : values.map(({ column, label, value }) => (
          <JsonTree
            key={column}
            label={label}
            value={value}
            text={stringify(value, null, 2) ?? "null"}
            link={(path, text) => (
              <ValueActions slug={slug} taskName={task.name} column={column} path={path} value={text} />
            )}
          />
        ))}
    </Panel>
  )
}
