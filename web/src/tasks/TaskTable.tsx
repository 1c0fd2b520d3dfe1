import { Link, useNavigate } from "@tanstack/react-router"
import { useVirtualizer } from "@tanstack/react-virtual"
import { memo, useEffect, useRef, useState } from "react"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useKeys } from "../keys/useKeys.ts"
import { Icon } from "../ui/Icon.tsx"
import { StateMark, StateShape } from "../ui/StateMark.tsx"
import { Time } from "../ui/Time.tsx"
import type { TaskAction } from "./commandsOfTask.ts"
import type { Task } from "./useTaskList.ts"

export type Density = "compact" | "comfortable"

const densityKey = "svc.density"
export const densityStore = {
  read: (): Density => (localStorage.getItem(densityKey) === "comfortable" ? "comfortable" : "compact"),
  write: (density: Density) => localStorage.setItem(densityKey, density)
}

const rowHeights: Readonly<Record<Density, number>> = { compact: 30, comfortable: 40 }
const phoneRowHeight = 56
/** Rows beyond both edges that are drawn too, so that a fast scroll shows no gap. */
const overscan = 12
/** So many rows before the end the next page is read. */
const prefetchRows = 30

const usePhone = () => {
  const [isPhone, setPhone] = useState(() => matchMedia("(width < 48rem)").matches)
  useEffect(() => {
    const query = matchMedia("(width < 48rem)")
    const update = () => setPhone(query.matches)
    query.addEventListener("change", update)
    return () => query.removeEventListener("change", update)
  }, [])
  return isPhone
}

const columns =
  "grid grid-cols-[36px_128px_minmax(160px,1fr)_minmax(80px,140px)_minmax(80px,160px)_112px_88px_60px_64px] items-center"

interface RowProps {
  readonly slug: string
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
    className="rounded-small p-2 text-soft hover:bg-press hover:text-ink"
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)

const isOver = ({ state }: Task) =>
  state === "success" || state === "failure" || state === "revoked" || state === "rejected"

const Row = memo(({ canOperate, isSelected, onAsk, onToggle, slug, task }: RowProps) => {
  const { tasks: texts } = useTexts()
  const format = useFormat()
  return (
    <div
      role="row"
      data-selected={isSelected}
      className={`${columns} group h-full border-b border-line hover:bg-hover data-[selected=true]:bg-press`}
    >
      <div role="cell" className="grid place-items-center">
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={texts.select(task.name)}
          className="accent-ink"
          onChange={() => onToggle(task.id)}
        />
      </div>
      <div role="cell" className="truncate pr-3">
        <StateMark state={task.state} />
      </div>
      <div role="cell" className="flex min-w-0 items-baseline gap-4 pr-3">
        <Link
          to="/projects/$slug/tasks/$engine/$taskId"
          params={{ slug, engine: task.engine, taskId: task.task_id }}
          preload={false}
          className="max-w-[75%] shrink-0 truncate font-medium hover:underline hover:underline-offset-2"
        >
          {task.name}
        </Link>
        {task.exception !== null && task.state === "failure"
          ? <span className="truncate text-soft" title={task.exception}>{task.exception}</span>
          : <span className="truncate font-mono text-small text-soft">{task.task_id}</span>}
      </div>
      <div role="cell" className="truncate pr-3 text-soft">{task.queue}</div>
      <div role="cell" className="truncate pr-3 text-soft">{task.worker_name}</div>
      <div role="cell" className="figures truncate pr-3 text-right text-soft">
        <Time at={task.received_at ?? task.created_at} />
      </div>
      <div role="cell" className="figures truncate pr-3 text-right text-soft">
        {task.runtime_ms !== null && format.duration(task.runtime_ms)}
      </div>
      <div role="cell" className="figures truncate pr-3 text-right text-soft">
        {task.retry_count > 0 && format.number(task.retry_count)}
      </div>
      <div
        role="cell"
        className="flex justify-end pr-3 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
      >
        {canOperate && (isOver(task)
          ? <RowAction icon="retry" label={texts.retry} onClick={() => onAsk("retry", task)} />
          : <RowAction icon="cancel" label={texts.cancel} onClick={() => onAsk("cancel", task)} />)}
      </div>
    </div>
  )
})

const PhoneRow = memo(({ slug, task }: { readonly slug: string; readonly task: Task }) => {
  const { states } = useTexts()
  return (
    <div role="row" className="h-full border-b border-line">
      <div role="cell" className="h-full">
        <Link
          to="/projects/$slug/tasks/$engine/$taskId"
          params={{ slug, engine: task.engine, taskId: task.task_id }}
          preload={false}
          className="flex h-full items-center gap-4 px-5"
        >
          <StateShape state={task.state} size={18} />
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

interface TaskTableProps extends Omit<RowProps, "task" | "isSelected"> {
  readonly tasks: ReadonlyArray<Task>
  readonly density: Density
  readonly selected: ReadonlySet<string>
  readonly isEnd: boolean
  readonly isLoadingMore: boolean
  readonly onReachEnd: () => void
}

/** Rows of constant height, of which those on screen are in the document. */
export const TaskTable = ({ density, isEnd, isLoadingMore, onReachEnd, selected, tasks, ...row }: TaskTableProps) => {
  const { tasks: texts } = useTexts()
  const navigate = useNavigate()
  const scroller = useRef<HTMLDivElement>(null)
  const isPhone = usePhone()
  const rowHeight = isPhone ? phoneRowHeight : rowHeights[density]
  const virtual = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => tasks[index]?.id ?? index,
    overscan
  })
  useEffect(() => virtual.measure(), [rowHeight, virtual])
  const items = virtual.getVirtualItems()
  const lastIndex = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (lastIndex >= tasks.length - prefetchRows) onReachEnd()
  })

  const lastFocused = useRef<string | null>(null)
  const focusedId = () => document.activeElement?.closest<HTMLElement>("[data-task]")?.dataset.task
  const move = (event: KeyboardEvent, step: 1 | -1) => {
    event.preventDefault()
    const from = tasks.findIndex(({ id }) => id === (focusedId() ?? lastFocused.current))
    const index = Math.max(0, Math.min(tasks.length - 1, from + step))
    virtual.scrollToIndex(index)
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-task="${tasks[index]?.id}"] a`)?.focus()
    )
  }
  /** The other keys act on the row that has the focus, which the person sees. */
  const onFocused = (act: (task: Task) => void) => (event: KeyboardEvent) => {
    const id = focusedId()
    const task = tasks.find((one) => one.id === id)
    if (task === undefined || event.repeat) return
    event.preventDefault()
    act(task)
  }
  useKeys({
    next: (event) => move(event, 1),
    previous: (event) => move(event, -1),
    select: onFocused(({ id }) => row.onToggle(id)),
    open: (event) => {
      if (event.key === "Enter") return // the link or box that has the focus does what the browser does
      onFocused((task) =>
        void navigate({
          to: "/projects/$slug/tasks/$engine/$taskId",
          params: { slug: row.slug, engine: task.engine, taskId: task.task_id }
        })
      )(event)
    },
    ...(row.canOperate && {
      retry: onFocused((task) => row.onAsk("retry", task)),
      cancel: onFocused((task) => row.onAsk("cancel", task))
    })
  })

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
      <div role="table" aria-label={texts.title}>
        {!isPhone && (
          <div role="rowgroup" className="sticky top-0 z-[5] bg-paper">
            <div role="row" className={`${columns} h-[32px] border-b border-line text-small text-soft`}>
              <div role="columnheader">
                <span className="sr-only">{texts.selectColumn}</span>
              </div>
              <div role="columnheader">{texts.columns.state}</div>
              <div role="columnheader">{texts.columns.name}</div>
              <div role="columnheader">{texts.columns.queue}</div>
              <div role="columnheader">{texts.columns.worker}</div>
              <div role="columnheader" className="pr-3 text-right">{texts.columns.received}</div>
              <div role="columnheader" className="pr-3 text-right">{texts.columns.runtime}</div>
              <div role="columnheader" className="pr-3 text-right">{texts.columns.retries}</div>
              <div role="columnheader">
                <span className="sr-only">{texts.actionColumn}</span>
              </div>
            </div>
          </div>
        )}
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, size, start }) => {
            const task = tasks[index]
            return task !== undefined && (
              <div
                key={key}
                role="presentation"
                data-task={task.id}
                className="absolute inset-x-0"
                style={{ height: size, transform: `translateY(${start}px)` }}
                onFocus={() => {
                  lastFocused.current = task.id
                }}
              >
                {isPhone
                  ? <PhoneRow slug={row.slug} task={task} />
                  : <Row {...row} task={task} isSelected={selected.has(task.id)} />}
              </div>
            )
          })}
        </div>
      </div>
      <p role="status" className="py-5 text-center text-soft">
        {isLoadingMore ? `${texts.loadingMore}…` : isEnd ? texts.end : ""}
      </p>
    </div>
  )
}
