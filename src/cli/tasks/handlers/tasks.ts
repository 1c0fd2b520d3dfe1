import type * as Sse from "@effect/experimental/Sse"
import { FileSystem } from "@effect/platform"
import { Console, Effect, Option, Schema, Stream } from "effect"
import type { TaskComparison, TaskDifferences } from "../../../domain/tasks/Difference.ts"
import type { Task, TaskDetail, TaskList } from "../../../domain/tasks/Task.ts"
import type { TaskRun, TaskRuns } from "../../../domain/tasks/Task/Runs.ts"
import type { TaskWhy } from "../../../domain/tasks/Task/WhyResponse.ts"
import type { TaskLogLine } from "../../../domain/tasks/TaskOutput.ts"
import {
  type Column,
  formatAge,
  formatFields,
  formatList,
  formatState,
  formatTable,
  idColumn,
  type View
} from "../../io/Table.ts"
import { escapeJson, escapeText, indentLines, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call, show } from "../../remote/Handlers.ts"
import { type DecodedResponse, type Remote, withRemote } from "../../remote/Remote.ts"
import { getTask, listAgents } from "../../remote/Target.ts"
import { callUnbuffered } from "../../remote/UnbufferedCall.ts"
import { formatAttempts, formatQueueTime, formatRunTime } from "../Attempts.ts"
import { resolveFingerprint } from "../Fingerprint.ts"
import { followStream } from "../LiveStream.ts"
import { decodeTaskQuery } from "../TaskQuery.ts"
import type { definitions } from "../tasks.ts"

/** Warns that the page is smaller than the requested limit. */
const warnIfClamped = <A>([, { headers }]: DecodedResponse<A>) => {
  const applied = headers["x-svc-limit-applied"]
  return applied === undefined
    ? Effect.void
    : Console.error(
      `the brain returns at most ${applied} rows a page (SVC_REST_MAX_PAGE_SIZE); get the next page with --cursor`
    )
}

type Row = typeof Task.Type

const columns: ReadonlyArray<Column<Row>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "STATE", cell: ({ state }) => state },
  { head: "ENGINE", cell: ({ engine }) => engine, dropRank: 3 },
  { head: "QUEUE", cell: ({ queue }) => queue, maxLength: 40, minLength: 8, dropRank: 2 },
  { head: "AGE", cell: ({ created_at, received_at }, view) => formatAge(received_at ?? created_at, view) },
  { head: "MS", cell: ({ runtime_ms }) => runtime_ms, dropRank: 1 },
  { head: "ERROR", cell: ({ exception }) => exception, maxLength: 60, minLength: 10, hidesEmpty: true },
  idColumn("TASK", ({ task_id }) => task_id)
]

const formatTasks = (page: typeof TaskList.Type, text: string, view: View): string =>
  formatList(columns)(page, text, view) + (page.searched_to === undefined
    ? ""
    : `\nsearched back to ${page.searched_to}; the next page searches older tasks`) +
  (page.index === undefined ? "" : `\nfound by the index of ${escapeText(page.index)}`)

const formatPercent = (percent: number | null): string | null => percent === null ? null : `${Math.round(percent)} %`

const formatTask = (task: typeof TaskDetail.Type, text: string, view: View): string =>
  [
    formatFields([
      ["name", task.name],
      ["task", task.task_id],
      ["state", task.state],
      ["engine", task.engine],
      ["queue", task.queue],
      ["worker", task.worker_name],
      ["priority", task.priority],
      ["starts", task.attempts],
      ["retries", task.retry_count],
      ["runs", task.run_count],
      ["received", task.received_at],
      ["started", task.first_started_at ?? task.started_at],
      ["finished", task.finished_at],
      ["progress", formatPercent(task.progress?.percent ?? null)],
      ["queue time", formatQueueTime(task)],
      ["run time", formatRunTime(task)],
      ["eta", task.eta],
      ["parent", task.parent_task_id],
      ["root", task.root_task_id],
      ["args", jsonMemberOf(text, "args")],
      ["kwargs", jsonMemberOf(text, "kwargs")],
      ["result", jsonMemberOf(text, "result")],
      ["exception", task.exception],
      ["fail like it", task.failure_group?.open_count ?? null],
      ["failure group", task.failure_group?.fingerprint ?? null],
      ["schedule", task.fired_by === null ? null : task.fired_by.schedule_name ?? task.fired_by.schedule_id],
      ["orphaned", task.orphaned_at],
      ["retry", task.retry_note],
      ["retried from", task.retried_from],
      ["retried as", task.retried_as.join(", ")],
      ["log lines", task.log_line_count === 0 ? null : task.log_line_count],
      ["log", task.log_url],
      ["altered", task.altered_fields.length === 0 ? null : `${task.altered_fields.join(", ")} (over a bound)`]
    ]),
    ...formatAttempts(task, view),
    ...(task.traceback === null ? [] : [indentLines(task.traceback.trimEnd())])
  ].join("\n")

/** The task of this id; without an engine, of whichever engine of the project's agents has it. */
const findTask = (remote: Remote, { engine, task }: OptionsOf<typeof definitions.show>) =>
  Effect.flatMap(
    Option.isSome(engine) ? Effect.succeed([]) : listAgents(remote),
    (agents) => getTask(remote, agents, task, engine)
  )

const runColumns: ReadonlyArray<Column<typeof TaskRun.Type>> = [
  { head: "RUN", cell: ({ number }) => number },
  { head: "STATE", cell: ({ state }) => state },
  { head: "STARTED", cell: ({ started_at }) => started_at },
  { head: "FINISHED", cell: ({ finished_at }) => finished_at, dropRank: 3 },
  { head: "STARTS", cell: ({ attempts }) => attempts },
  { head: "RETRIES", cell: ({ retry_count }) => retry_count, dropRank: 1 },
  { head: "MS", cell: ({ runtime_ms }) => runtime_ms },
  { head: "WORKER", cell: ({ worker_name }) => worker_name, dropRank: 2, hidesEmpty: true },
  { head: "ERROR", cell: ({ exception }) => exception, maxLength: 60, minLength: 10, hidesEmpty: true }
]

const formatRuns = ({ items, total_count }: typeof TaskRuns.Type, _text: string, view: View): string =>
  formatTable(runColumns, items, view) +
  (total_count > items.length ? `\n${total_count - items.length} older runs are counted, and not kept` : "")

const formatWhy = ({ checked_at, engine, reasons, state, task_id }: TaskWhy): string =>
  [
    formatFields([["task", task_id], ["engine", engine], ["state", state], ["checked", checked_at]]),
    ...reasons.map(({ code, sentence, since }, index) =>
      `${index + 1}. ${escapeText(sentence)} (${escapeText(code)}${
        since === null ? "" : `, since ${escapeText(since)}`
      })`
    )
  ].join("\n")

const comparisonColumns: ReadonlyArray<Column<TaskComparison["differences"][number]>> = [
  { head: "DIFFERS", cell: ({ field, path }) => path ?? field.replace("_", " "), maxLength: 60, minLength: 10 },
  { head: "THIS TASK", cell: ({ task }) => task, maxLength: 60, minLength: 10 },
  { head: "LAST SUCCESS", cell: ({ success }) => success, maxLength: 60, minLength: 10 }
]

const noteHidden = (isHidden: boolean): ReadonlyArray<string> =>
  isHidden ? ["arguments were not compared: your role does not see them"] : []

const formatComparison = (
  { differences, payload_hidden, success }: TaskComparison,
  _text: string,
  view: View
): string =>
  (success === null ? ["no task of this name succeeded among the last ones before it (at most 10,000)"] : [
    formatFields([["last success", success.task_id], ["engine", success.engine], ["finished", success.finished_at]]),
    differences.length === 0 ? "nothing differs" : formatTable(comparisonColumns, differences, view),
    ...noteHidden(payload_hidden)
  ]).join("\n")

const formatSide = ({ compared, found, since }: TaskDifferences["failed"]): string =>
  `${compared} of ${found} since ${since}`

const formatDifferences = ({ differences, failed, name, payload_hidden, succeeded }: TaskDifferences): string =>
  [
    formatFields([["name", name], ["failed", formatSide(failed)], ["succeeded", formatSide(succeeded)]]),
    ...(differences.length === 0
      ? ["nothing is clearly more frequent among the failures"]
      : differences.map(({ sentence }) => escapeText(sentence))),
    ...noteHidden(payload_hidden)
  ].join("\n")

const formats = ["csv", "json", "xlsx"] as const

/** The body that the derived client decodes instead of the file. */
const noTasks = () => Response.json({ items: [], next_cursor: null })

const exportTasks = ({ fields, file, project, ...filters }: OptionsOf<typeof definitions.export>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const format = formats.find((format) => file.endsWith(`.${format}`))
    if (format === undefined) {
      return yield* new CliError({
        usage: true,
        message: `the file's name must end in .csv, .json or .xlsx, not '${file}'`
      })
    }
    if (yield* fs.exists(file)) return yield* new CliError({ message: `${file} exists; name a new file` })
    const query = yield* decodeTaskQuery(filters, { fields, format })
    yield* withRemote(project, (remote) =>
      Effect.gen(function*() {
        const urlParams = yield* resolveFingerprint(remote, query)
        const maybeResponse = yield* callUnbuffered(
          remote,
          noTasks,
          (api) => api.tasks.list({ path: { slug: remote.slug }, urlParams })
        )
        const response = yield* Effect.mapError(
          maybeResponse,
          () => new CliError({ message: `the server at ${remote.access.url} is not an svc brain` })
        )
        yield* Stream.run(response.stream, fs.sink(file, { flag: "wx" })).pipe(
          // an incomplete file could be taken for a complete one
          Effect.tapError(() => Effect.ignore(fs.remove(file))),
          Effect.catchTags({
            BadArgument: ({ message }) => new CliError({ message }),
            SystemError: ({ message }) => new CliError({ message })
          })
        )
        if (response.headers["x-svc-truncated"] !== "true") return
        yield* Console.error(
          `${file} has only the newest matching tasks: the export stops at the brain's SVC_TASKS_EXPORT_MAX_ROWS. ` +
            "Export the older ones with --until, or narrow the filter"
        )
      }))
  })

/** The printed fields of a changed task. */
const ChangedTask = Schema.parseJson(Schema.Struct({
  engine: Schema.String,
  task_id: Schema.String,
  name: Schema.String,
  queue: Schema.NullOr(Schema.String),
  state: Schema.String,
  runtime_ms: Schema.NullOr(Schema.Number),
  updated_at: Schema.String
}))

const lineOf = (
  { engine, name, queue, runtime_ms, state: now, task_id, updated_at }: typeof ChangedTask.Type
): string =>
  [
    escapeText(updated_at),
    formatState(now, 8),
    escapeText(engine),
    escapeText(name),
    escapeText(task_id),
    ...(queue === null ? [] : [escapeText(queue)]),
    ...(runtime_ms === null ? [] : [`${runtime_ms} ms`])
  ].join("  ")

const printChange = (json: boolean) => ({ data, event }: Sse.Event) => {
  if (event === "reset") return Console.error("too many changes at once: some are not shown")
  if (event !== "task") return Effect.void
  return Schema.decode(ChangedTask)(data).pipe(
    Effect.mapError(() =>
      new CliError({ message: "this svc cannot read the brain's live stream: their versions differ" })
    ),
    Effect.flatMap((task) => Console.log(json ? escapeJson(data) : lineOf(task)))
  )
}

const lineTextOf = ({ at, level, message, fields }: typeof TaskLogLine.Type): string => {
  const text = message + (fields === null ? "" : ` ${JSON.stringify(fields)}`)
  return [escapeText(at), level.padEnd(7), escapeText(text)].join("  ")
}

const followMillis = 1000

/** Reads on from the last line each second; ends with the last stored line unless it follows. */
const printLogs = (remote: Remote, options: OptionsOf<typeof definitions.logs>) =>
  Effect.gen(function*() {
    const path = yield* pathOf(remote, options)
    const level = Option.getOrUndefined(options.level)
    const search = Option.getOrUndefined(options.search)
    let after = 0
    while (true) {
      const urlParams = { after, ...(level !== undefined && { level }), ...(search !== undefined && { search }) }
      const page = yield* remote.api.tasks.logs({ path, urlParams })
      for (const line of page.items) {
        yield* Console.log(options.json ? escapeJson(JSON.stringify(line)) : lineTextOf(line))
      }
      after = page.next_after
      if (page.has_more) continue
      if (options.follow) {
        yield* Effect.sleep(followMillis)
        continue
      }
      if (page.dropped_count > 0) {
        yield* Console.error(`${page.dropped_count} lines were left out: the task wrote too many`)
      }
      return
    }
  })

/** The path of the task of these options. */
const pathOf = (remote: Remote, options: OptionsOf<typeof definitions.show>) =>
  Effect.map(findTask(remote, options), ([{ engine, task_id }]) => ({ slug: remote.slug, engine, task_id }))

export const handlers: HandlersOf<typeof definitions> = {
  list: ({ cursor, json, limit, project, ...filters }) =>
    Effect.flatMap(decodeTaskQuery(filters, { cursor, limit: String(limit) }), (query) =>
      show(function*(remote) {
        const { api, slug } = remote
        const urlParams = yield* resolveFingerprint(remote, query)
        return yield* Effect.tap(api.tasks.list({ path: { slug }, urlParams, withResponse: true }), warnIfClamped)
      }, formatTasks)({ json, project })),
  show: show(findTask, formatTask),
  runs: show(function*(remote, options) {
    return yield* remote.api.tasks.runs({ path: yield* pathOf(remote, options), withResponse: true })
  }, formatRuns),
  why: show(function*(remote, options) {
    return yield* remote.api.tasks.why({ path: yield* pathOf(remote, options), withResponse: true })
  }, formatWhy),
  compare: show(function*(remote, options) {
    return yield* remote.api.tasks.compare({ path: yield* pathOf(remote, options), withResponse: true })
  }, formatComparison),
  differ: show(function*(remote, { hours, ...options }) {
    const [name, given] = [Option.getOrUndefined(options.name), Option.getOrUndefined(options.fingerprint)]
    if ((name === undefined) === (given === undefined)) {
      return yield* new CliError({ usage: true, message: "give either --name or --fingerprint" })
    }
    const urlParams = name === undefined
      ? yield* resolveFingerprint(remote, { fingerprint: given, hours })
      : { name, hours }
    return yield* remote.api.tasks.differences({ path: { slug: remote.slug }, urlParams, withResponse: true })
  }, formatDifferences),
  logs: call(printLogs),
  export: exportTasks,
  tail: call((remote, { json }) => followStream(remote, printChange(json)))
}
