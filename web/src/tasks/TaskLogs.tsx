import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useVirtualizer } from "@tanstack/react-virtual"
import { useEffect, useMemo, useRef, useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { Icon } from "../ui/Icon.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { saveText } from "../ui/saveText.ts"
import { fieldsText, type LogLine, type Logs, parseLogs } from "./logs.ts"

type Level = LogLine["level"]

/** From the lowest to the highest. */
const levels: ReadonlyArray<Level> = ["debug", "info", "warning", "error"]

const markOf: Readonly<Record<Level, string>> = {
  debug: "border-line text-soft",
  info: "border-line-strong",
  warning: "border-retry",
  error: "border-failure text-failure"
}

const rowHeight = 22
/** So close to its end, a log that grows stays there. */
const endPixels = 24

const textOf = (line: LogLine): string => `${line.at}  ${line.level.padEnd(7)}  ${line.message}${fieldsText(line)}`

/**
 * The task's log, of a thousand lines at most. Each change of the task, which invalidates what is read of it, reads on from
 * the last known line.
 */
const useLogs = (slug: string, engine: string, taskId: string) => {
  const queries = useQueryClient()
  const queryKey = ["task", slug, engine, taskId, "logs"]
  return useQuery({
    queryKey,
    queryFn: async (): Promise<Logs> => {
      const known = queries.getQueryData<Logs>(queryKey)
      const path = { slug, engine, task_id: taskId }
      const read = parseLogs(
        await unwrap(
          api.GET("/api/v1/projects/{slug}/tasks/{engine}/{task_id}/logs", {
            params: { path, query: { after: known?.next_after ?? 0 } },
            parseAs: "text"
          })
        )
      )
      return { ...read, items: [...known?.items ?? [], ...read.items] }
    }
  })
}

/** Lines of which those on screen are in the document. It follows the end until a person scrolls up. */
const Lines = ({ lines }: { readonly lines: ReadonlyArray<LogLine> }) => {
  const { task: texts } = useTexts()
  const format = useFormat()
  const scroller = useRef<HTMLDivElement>(null)
  const lastTop = useRef(0)
  const [isFollowing, setFollowing] = useState(true)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => lines[index]?.seq ?? index,
    overscan: 20
  })
  const height = virtual.getTotalSize()
  useEffect(() => {
    if (isFollowing) scroller.current?.scrollTo({ top: height })
  }, [isFollowing, height])
  return (
    <div className="relative">
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={texts.logs}
        tabIndex={0}
        className="max-h-90 overflow-y-auto py-2 font-mono text-[12px] leading-4.5"
        onScroll={({ currentTarget: { clientHeight, scrollHeight, scrollTop } }) => {
          // rows that turn out higher than estimated move the end away too, which is no wish to stop
          if (scrollHeight - scrollTop - clientHeight < endPixels) setFollowing(true)
          else if (scrollTop < lastTop.current) setFollowing(false)
          lastTop.current = scrollTop
        }}
      >
        <div className="relative" style={{ height }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const line = lines[index]
            return line !== undefined && (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className="absolute inset-x-0 px-4 py-0.5 hover:bg-hover"
                style={{ transform: `translateY(${start}px)` }}
              >
                <div className={`flex flex-wrap gap-x-3 border-l-2 pl-2 md:flex-nowrap ${markOf[line.level]}`}>
                  <time dateTime={line.at} title={line.at} className="shrink-0 text-soft">
                    {format.preciseClock(Date.parse(line.at))}
                  </time>
                  <span className="shrink-0 md:w-[7ch]">{line.level}</span>
                  <span className="min-w-0 break-words whitespace-pre-wrap select-text max-md:w-full">
                    {line.message}
                    <span className="text-soft">{fieldsText(line)}</span>
                  </span>
                </div>
              </div>
            )
          })}
        </div>
      </div>
      {!isFollowing && (
        <Button className="absolute right-4 bottom-3 shadow-sm" onClick={() => setFollowing(true)}>
          {texts.latestLine}
        </Button>
      )}
    </div>
  )
}

/** What the task wrote while it ran, live. */
export const TaskLogs = ({ engine, slug, taskId }: {
  readonly slug: string
  readonly engine: string
  readonly taskId: string
}) => {
  const { task: texts } = useTexts()
  const format = useFormat()
  const [level, setLevel] = useState<Level>("debug")
  const [search, setSearch] = useState("")
  const logs = useLogs(slug, engine, taskId)
  const items = logs.data?.items
  const lines = useMemo(() => {
    const sought = search.toLowerCase()
    return (items ?? []).filter((line) =>
      levels.indexOf(line.level) >= levels.indexOf(level) &&
      `${line.message}${fieldsText(line)}`.toLowerCase().includes(sought)
    )
  }, [items, level, search])
  const text = useMemo(() => lines.map((line) => `${textOf(line)}\n`).join(""), [lines])
  const dropped = logs.data?.dropped_count ?? 0
  return (
    <Panel
      title={texts.logs}
      actions={
        <div className="flex min-w-0 items-center gap-2">
          <FilterSelect
            label={texts.logLevel}
            value={level}
            choices={texts.logLevels}
            onChoose={setLevel}
            className="min-w-0"
          />
          <input
            type="search"
            aria-label={texts.searchLogs}
            placeholder={texts.searchLogs}
            value={search}
            className="h-7.5 w-45 min-w-0 rounded-base border border-line bg-paper px-3"
            onChange={({ target }) => setSearch(target.value)}
          />
          <CopyButton text={text} label={texts.logs} />
          <button
            type="button"
            title={texts.downloadLogs}
            aria-label={texts.downloadLogs}
            className="rounded-small p-0.5 text-soft hover:bg-hover hover:text-ink"
            onClick={() => saveText(`${taskId}.txt`, text)}
          >
            <Icon name="download" />
          </button>
        </div>
      }
    >
      {logs.isError && <ErrorNotice error={logs.error} onRetry={() => void logs.refetch()} />}
      {lines.length > 0
        ? <Lines lines={lines} />
        : items !== undefined && <p className="px-4 py-3 text-soft">{texts.noLines}</p>}
      {dropped > 0 && (
        <p className="border-t border-line px-4 py-2 text-soft">{texts.droppedLines(format.count(dropped))}</p>
      )}
    </Panel>
  )
}
