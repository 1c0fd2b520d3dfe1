import { Link } from "@tanstack/react-router"
import { memo, type ReactNode } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"
import { StateMark, StateShape } from "../ui/StateMark.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import type { TaskAction } from "./commandsOfTask.ts"
import type { OptionalColumn } from "./preferences.ts"
import { isOver } from "./states.ts"
import { ProgressBar } from "./TaskProgress.tsx"
import type { Task } from "./useTaskList.ts"

/** The columns that a person chose, between the name and the actions. */
const Cells = ({ columns, task }: { readonly task: Task; readonly columns: ReadonlyArray<OptionalColumn> }) => {
  const texts = useTexts()
  const format = useFormat()
  const moment = (at: string | null) => at !== null && <Time at={at} />
  /** The row has the times of the last attempt: those of all are on the task's page. */
  const ofLastAttempt = (value: ReactNode) =>
    value === false || task.retry_count === 0
      ? value
      : (
        <span title={texts.tasks.ofLastAttempt} className="flex items-center justify-end gap-1">
          <Icon name="retry" />
          {value}
          <span className="sr-only">{texts.tasks.ofLastAttempt}</span>
        </span>
      )
  const cells: Readonly<Record<OptionalColumn, () => ReactNode>> = {
    queue: () => task.queue,
    worker: () => task.worker_name,
    engine: () => task.engine,
    priority: () => texts.tasks.priorities[task.priority],
    received: () => moment(task.received_at ?? task.created_at),
    started: () => ofLastAttempt(moment(task.started_at)),
    finished: () => moment(task.finished_at),
    runtime: () => ofLastAttempt(task.runtime_ms !== null && format.duration(task.runtime_ms)),
    retries: () => task.retry_count > 0 && format.number(task.retry_count),
    id: () => <span className="font-mono text-small">{task.task_id}</span>
  }
  return columns.map((column) => (
    <div
      key={column}
      role="cell"
      className={`truncate pr-2 text-soft ${numberColumns.has(column) ? "figures text-right" : ""}`}
    >
      {cells[column]()}
    </div>
  ))
}

const widths: Readonly<Record<OptionalColumn, string>> = {
  queue: "minmax(80px,140px)",
  worker: "minmax(80px,160px)",
  engine: "88px",
  priority: "80px",
  received: "112px",
  started: "112px",
  finished: "112px",
  runtime: "96px",
  retries: "60px",
  id: "minmax(96px,200px)"
}
export const numberColumns: ReadonlySet<OptionalColumn> = new Set([
  "received",
  "started",
  "finished",
  "runtime",
  "retries"
])

export const templateOf = (columns: ReadonlyArray<OptionalColumn>) => ({
  gridTemplateColumns: `36px 128px minmax(160px,1fr) ${columns.map((column) => widths[column]).join(" ")} 64px`
})

export interface RowProps {
  readonly slug: string
  readonly columns: ReadonlyArray<OptionalColumn>
  readonly task: Task
  readonly isSelected: boolean
  readonly canOperate: boolean
  readonly onToggle: (id: string) => void
  readonly onAsk: (action: TaskAction, task: Task) => void
}

const RowAction = ({ icon, label, onClick }: {
  readonly icon: "retry" | "cancel"
  readonly label: string
  readonly onClick: () => void
}) => (
  <button
    type="button"
    tabIndex={-1}
    aria-label={label}
    title={label}
    className="rounded-small p-1 text-soft hover:bg-press hover:text-ink"
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)

/** A thin line at the lower edge of a row whose task says how far it is. */
const RowProgress = ({ task: { progress, state } }: { readonly task: Task }) =>
  state === "started" && progress !== null && progress.percent !== null
    ? <ProgressBar percent={progress.percent} className="absolute inset-x-0 bottom-0 h-0.5" />
    : null

/** A task as a row of the table; its links and buttons appear under the pointer and the focus. */
export const Row = memo(({ canOperate, columns, isSelected, onAsk, onToggle, slug, task }: RowProps) => {
  const { tasks: texts } = useTexts()
  return (
    <div
      role="row"
      data-selected={isSelected}
      style={templateOf(columns)}
      className={`relative grid items-center group h-full border-b border-line hover:bg-hover data-[selected=true]:bg-press`}
    >
      <div role="cell" className="grid place-items-center">
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={texts.select(task.name)}
          onChange={() => onToggle(task.id)}
        />
      </div>
      <div role="cell" className="truncate pr-2">
        <StateMark state={task.state} />
        <RowProgress task={task} />
      </div>
      <div role="cell" className="flex min-w-0 items-baseline gap-3 pr-2">
        <TextLink
          to="/projects/$slug/tasks/$engine/$taskId"
          params={{ slug, engine: task.engine, taskId: task.task_id }}
          preload={false}
          look="row"
          className="max-w-[75%] shrink-0 truncate font-medium"
        >
          {task.name}
        </TextLink>
        <Link
          to="/projects/$slug/names/$name"
          params={{ slug, name: task.name }}
          preload={false}
          tabIndex={-1}
          aria-label={texts.showName(task.name)}
          title={texts.showName(task.name)}
          className="hidden shrink-0 self-center text-soft group-hover:block hover:text-ink"
        >
          <Icon name="overview" />
        </Link>
        {task.exception !== null && task.state === "failure"
          ? <span className="truncate text-soft" title={task.exception}>{task.exception}</span>
          : !columns.includes("id") && <span className="truncate font-mono text-small text-soft">{task.task_id}</span>}
      </div>
      <Cells task={task} columns={columns} />
      <div
        role="cell"
        className="flex justify-end pr-2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
      >
        {canOperate && (isOver(task)
          ? <RowAction icon="retry" label={texts.retry} onClick={() => onAsk("retry", task)} />
          : <RowAction icon="cancel" label={texts.cancel} onClick={() => onAsk("cancel", task)} />)}
      </div>
    </div>
  )
})

interface PhoneRowProps extends Pick<RowProps, "isSelected" | "onToggle" | "slug" | "task"> {
  readonly isSelecting: boolean
}

/** A task on a phone: two lines, and a link as large as the row; while tasks are selected, a box before it. */
export const PhoneRow = memo(({ isSelected, isSelecting, onToggle, slug, task }: PhoneRowProps) => {
  const { states, tasks: texts } = useTexts()
  return (
    <div
      role="row"
      data-selected={isSelected}
      className="relative flex h-full border-b border-line data-[selected=true]:bg-press"
    >
      {isSelecting && (
        <div role="cell">
          <label className="grid h-full w-11 place-items-center">
            <input
              type="checkbox"
              checked={isSelected}
              aria-label={texts.select(task.name)}
              className="size-5"
              onChange={() => onToggle(task.id)}
            />
          </label>
        </div>
      )}
      <div role="cell" className="h-full min-w-0 flex-1">
        <Link
          to="/projects/$slug/tasks/$engine/$taskId"
          params={{ slug, engine: task.engine, taskId: task.task_id }}
          preload={false}
          className="flex h-full items-center gap-3 px-4"
        >
          <StateShape state={task.state} size={18} />
          <RowProgress task={task} />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{task.name}</span>
            <span className="block truncate text-soft">
              {states[task.state]}
              {task.state === "failure" && task.exception !== null ? ` · ${task.exception}` : ""}
            </span>
          </span>
          <span className="figures shrink-0 text-soft">
            <Time at={task.received_at ?? task.created_at} />
          </span>
        </Link>
      </div>
    </div>
  )
})
