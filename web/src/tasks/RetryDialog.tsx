import { diffLines } from "diff"
import { isLosslessNumber, parse, stringify } from "lossless-json"
import { useState } from "react"
import { isLossyCopy } from "../format/lossyCopy.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TextAreaField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { type TaskRef, useTaskRetry } from "./commandsOfTask.ts"

/** Bytes of the arguments, and of the named ones, that the API takes (docs/commands.md). */
const maxBytes = 65_536

export interface TaskValues {
  readonly args: unknown
  readonly kwargs: unknown
}

const isNamed = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value)

/** The text as JSON with each digit kept, or null where it is none of this form. */
const read = (text: string, isForm: (value: unknown) => boolean): string | null => {
  try {
    const value = parse(text)
    const compact = isForm(value) ? stringify(value) : undefined
    return compact === undefined || new TextEncoder().encode(compact).length > maxBytes ? null : compact
  } catch {
    return null
  }
}

const write = (value: unknown): string => stringify(value, null, 2) ?? ""

const Difference = ({ after, before, label }: {
  readonly label: string
  readonly before: string
  readonly after: string
}) => (
  <section aria-label={label} className="grid min-w-0 gap-1">
    <h3 className="font-medium">{label}</h3>
    <pre className="max-h-[30vh] overflow-auto rounded-base bg-canvas px-3 py-2 text-small whitespace-pre-wrap">
      {diffLines(before, after).map(({ added, removed, value }, index) =>
        added
          ? <ins key={index} className="block text-success no-underline">{value.replace(/^(?=.)/gm, "+ ")}</ins>
          : removed
          ? <del key={index} className="block text-failure no-underline">{value.replace(/^(?=.)/gm, "− ")}</del>
          : <span key={index} className="block text-soft">{value.replace(/^(?=.)/gm, "  ")}</span>
      )}
    </pre>
  </section>
)

/** Retries a task with other arguments: both are JSON, checked while a person types, and compared with the task's own. */
export const RetryDialog = ({ onClose, slug, task, values }: {
  readonly slug: string
  readonly task: TaskRef
  readonly values: TaskValues
  readonly onClose: () => void
}) => {
  const { task: texts } = useTexts()
  const retry = useTaskRetry(slug)
  const own = { args: write(values.args ?? []), kwargs: write(values.kwargs ?? {}) }
  const [args, setArgs] = useState(own.args)
  const [kwargs, setKwargs] = useState(own.kwargs)
  const readArgs = read(args, Array.isArray)
  const readKwargs = read(kwargs, isNamed)
  const isLossy = isLossyCopy(args) || isLossyCopy(kwargs)
  const changes = [
    { label: texts.arguments, before: own.args, after: readArgs === null ? own.args : write(parse(readArgs)) },
    {
      label: texts.namedArguments,
      before: own.kwargs,
      after: readKwargs === null ? own.kwargs : write(parse(readKwargs))
    }
  ].filter(({ after, before }) => after !== before)
  return (
    <FormDialog
      title={texts.retryWithQuestion(task.name)}
      submit={texts.retry}
      size="large"
      isBlocked={readArgs === null || readKwargs === null || isLossy || changes.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        if (readArgs !== null && readKwargs !== null) await retry(task, { args: readArgs, kwargs: readKwargs })
      }}
    >
      {(values.args === null || values.kwargs === null) && <p className="text-soft">{texts.valuesUnknown}</p>}
      <div className="grid gap-4 md:grid-cols-2">
        <TextAreaField
          label={texts.arguments}
          hint={texts.argumentsHint}
          problem={readArgs === null ? texts.argumentsProblem : null}
          value={args}
          rows={8}
          data-autofocus
          onChange={({ target }) => setArgs(target.value)}
        />
        <TextAreaField
          label={texts.namedArguments}
          hint={texts.namedArgumentsHint}
          problem={readKwargs === null ? texts.namedArgumentsProblem : null}
          value={kwargs}
          rows={8}
          onChange={({ target }) => setKwargs(target.value)}
        />
      </div>
      {isLossy && <p role="alert" className="text-failure">{texts.valuesLossy}</p>}
      {changes.map((change) => <Difference key={change.label} {...change} />)}
    </FormDialog>
  )
}
