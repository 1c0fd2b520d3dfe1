import { useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Table } from "../ui/Table.tsx"
import { TaskLink } from "./TaskLinks.tsx"

type Field = Schemas["TaskDifference"]["field"]

/** A heavy read of a sample, which a minute hardly changes. */
const staleMillis = 60_000

/** Of the tasks before one the server looks at so many for a success (docs/failures.md). */
const maxEarlier = 10_000

const useFieldName = () => {
  const { common, differences: texts } = useTexts()
  const names: Readonly<Record<Exclude<Field, "argument">, string>> = {
    worker: common.worker,
    queue: common.queue,
    hour: texts.hour,
    version: texts.version,
    run_time: common.runTime
  }
  return (field: Field, path: string | null) =>
    field === "argument" ? <code className="font-mono text-small wrap-anywhere">{path}</code> : names[field]
}

const useValueText = () => {
  const format = useFormat()
  return (field: Field, value: string | null) =>
    value === null ? null : field === "run_time" ? format.duration(Number(value)) : value
}

/** The begin of a second: rows of the one before it may not have been read. */
const toSecond = (millis: number) => Math.ceil(millis / 1000) * 1000

const Note = ({ children }: { readonly children: string }) => <p className="px-4 py-3 text-soft">{children}</p>

/** The server reads the newest rows only, so each side has its own begin. */
const emptyText = (
  { failed, succeeded }: Schemas["TaskDifferences"],
  texts: ReturnType<typeof useTexts>["differences"],
  momentOf: (time: string) => string
): string =>
  failed.compared === 0
    ? texts.noFailure(momentOf(failed.since))
    : succeeded.compared === 0
    ? texts.noSuccess(momentOf(succeeded.since))
    : texts.nothing

/** What is more frequent among the failed tasks of a name, or of a failure group, than among the succeeded ones. */
export const Differences = ({ hours, of, slug }: {
  readonly slug: string
  readonly of: { readonly name: string } | { readonly fingerprint: string }
  readonly hours: number
}) => {
  const { common, differences: texts, task } = useTexts()
  const format = useFormat()
  const nameOf = useFieldName()
  const textOf = useValueText()
  const found = useQuery({
    queryKey: ["differences", slug, of, hours],
    queryFn: () =>
      unwrap(api.GET("/api/v1/projects/{slug}/task-differences", {
        params: { path: { slug }, query: { ...of, hours } }
      })),
    staleTime: staleMillis
  })
  const momentOf = (time: string) => format.moment(toSecond(Date.parse(time)))
  const share = (part: number, count: number) => <span title={format.number(count)}>{format.percent(part)}</span>
  return (
    <Panel title={texts.title}>
      <ListFrame
        list={found}
        isEmpty={found.data?.differences.length === 0}
        empty={found.data !== undefined && <Note>{emptyText(found.data, texts, momentOf)}</Note>}
      >
        <Table
          isInPanel
          label={texts.title}
          rows={found.data?.differences ?? []}
          rowKey={({ field, path, value }) => JSON.stringify([field, path, value])}
          columns={[
            {
              title: texts.property,
              cell: ({ field, path, value }) => (
                <span className="flex flex-wrap items-baseline gap-x-2">
                  <span className="text-soft">{nameOf(field, path)}</span>
                  <span className="min-w-0 wrap-anywhere">
                    {field === "run_time" && "> "}
                    {textOf(field, value) ?? texts.anyValue}
                  </span>
                </span>
              )
            },
            {
              title: common.failedTasks,
              isNumber: true,
              cell: ({ failure_share, failures }) => share(failure_share, failures)
            },
            {
              title: common.succeededTasks,
              isNumber: true,
              cell: ({ success_share, successes }) => share(success_share, successes)
            }
          ]}
        />
      </ListFrame>
      {found.data !== undefined && (
        <p className="px-4 pb-3 pt-1 text-small text-soft">
          {texts.compared(
            common.ofTotal(format.number(found.data.failed.compared), format.number(found.data.failed.found)),
            common.ofTotal(format.number(found.data.succeeded.compared), format.number(found.data.succeeded.found))
          )}
          {found.data.failed.since !== found.data.succeeded.since &&
            ` ${texts.begins(momentOf(found.data.failed.since), momentOf(found.data.succeeded.since))}`}
          {found.data.payload_hidden && ` ${task.payloadHidden}`}
        </p>
      )}
    </Panel>
  )
}

/** What a failed task has other than the last task of its name that succeeded before it. */
export const Comparison = ({ slug, task: { engine, task_id } }: {
  readonly slug: string
  readonly task: Pick<Schemas["TaskDetail"], "engine" | "task_id">
}) => {
  const { differences: texts, task: taskTexts } = useTexts()
  const format = useFormat()
  const nameOf = useFieldName()
  const textOf = useValueText()
  const found = useQuery({
    queryKey: ["differences", slug, engine, task_id],
    queryFn: () =>
      unwrap(api.GET("/api/v1/projects/{slug}/tasks/{engine}/{task_id}/differences", {
        params: { path: { slug, engine, task_id } }
      })),
    staleTime: staleMillis
  })
  const success = found.data?.success ?? null
  return (
    <Panel
      title={texts.againstSuccess}
      actions={success !== null && <TaskLink slug={slug} engine={success.engine} taskId={success.task_id} />}
    >
      <ListFrame
        list={found}
        isEmpty={found.data?.differences.length === 0}
        empty={<Note>{success === null ? texts.noEarlierSuccess(format.number(maxEarlier)) : texts.same}</Note>}
      >
        <Table
          isInPanel
          label={texts.againstSuccess}
          rows={found.data?.differences ?? []}
          rowKey={({ field, path }) => `${field} ${path}`}
          columns={[
            {
              title: texts.property,
              // long values would leave it the width of a letter
              cell: ({ field, path }) => <span className="inline-block min-w-28 text-soft">{nameOf(field, path)}</span>
            },
            {
              title: texts.thisTask,
              cell: ({ field, task }) => <span className="wrap-anywhere">{textOf(field, task) ?? "–"}</span>
            },
            {
              title: texts.lastSuccess,
              cell: ({ field, success }) => <span className="wrap-anywhere">{textOf(field, success) ?? "–"}</span>
            }
          ]}
        />
      </ListFrame>
      {found.data?.payload_hidden === true && <Note>{taskTexts.payloadHidden}</Note>}
    </Panel>
  )
}
