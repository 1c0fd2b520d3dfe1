import { Effect, Option } from "effect"
import {
  type FailureGroup,
  type FailureGroupDetail,
  FindFailureGroup,
  type GroupHour,
  ListFailureGroups,
  type Share
} from "../../../domain/tasks/Failure/Group.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatPage, type View } from "../../io/Table.ts"
import { indentLines } from "../../io/TerminalText.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"

interface Common {
  readonly hours: Option.Option<number>
  readonly project: Option.Option<string>
  readonly json: boolean
}

const columns: ReadonlyArray<Column<FailureGroup>> = [
  { head: "STATUS", cell: ({ status }) => status },
  { head: "FAILURES", cell: ({ occurrences }) => occurrences },
  { head: "OPEN", cell: ({ open_count }) => open_count },
  { head: "RECOVERED", cell: ({ recovered_count }) => recovered_count, dropRank: 2 },
  { head: "LAST", cell: ({ last_seen }, view) => formatAge(last_seen, view) },
  { head: "FIRST", cell: ({ first_seen }, view) => formatAge(first_seen, view), dropRank: 1 },
  { head: "ENGINE", cell: ({ engines }) => engines.join(", "), dropRank: 3 },
  { head: "NAME", cell: ({ sample_task_name }) => sample_task_name, maxLength: 60, minLength: 12 },
  { head: "ERROR", cell: ({ sample_exception }) => sample_exception, maxLength: 60, minLength: 10, hidesEmpty: true },
  { head: "ISSUE", cell: ({ fingerprint }) => fingerprint }
]

const textOf = Option.map(String)

/** The options that are given, as texts of a query. */
const queryOf = (options: Readonly<Record<string, Option.Option<string>>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(options).flatMap(([name, text]) => Option.isSome(text) ? [[name, text.value]] : []))

export const list = ({ cursor, engine, hours, json, limit, project, status }: Common & {
  readonly engine: Option.Option<string>
  readonly status: Option.Option<string>
  readonly cursor: Option.Option<string>
  readonly limit: number
}) =>
  Effect.gen(function*() {
    const query = queryOf({ engine, status, cursor, hours: textOf(hours), limit: Option.some(String(limit)) })
    const urlParams = yield* decodeInput(ListFailureGroups, query, "options")
    yield* withRemote(project, ({ api, slug }) =>
      Effect.flatMap(
        api.failures.list({ path: { slug }, urlParams, withResponse: true }),
        (answer) => printAnswer(answer, json, formatPage(columns))
      ))
  })

const bars = "▁▂▃▄▅▆▇█"

/** Columns of the line of bars: with more hours, each covers several. */
const maxBars = 84

/** The failures per hour up to now as one line of bars, and the number of the highest bar. */
export const formatHours = (hours: ReadonlyArray<GroupHour>, { nowMillis }: Pick<View, "nowMillis">): string => {
  const [first] = hours
  if (first === undefined) return "no failures in these hours"
  const begin = Date.parse(first.hour)
  const length = Math.floor((nowMillis - begin) / 3_600_000) + 1
  const hoursPerBar = Math.max(1, Math.ceil(length / maxBars))
  const counts = Array.from({ length: Math.max(1, Math.ceil(length / hoursPerBar)) }, () => 0)
  for (const { hour, occurrences } of hours) {
    const at = Math.floor((Date.parse(hour) - begin) / 3_600_000 / hoursPerBar)
    counts[Math.min(at, counts.length - 1)]! += occurrences // an agent's clock may be ahead
  }
  const highest = Math.max(...counts)
  const line = counts.map((count) => count === 0 ? " " : bars[Math.ceil((count / highest) * bars.length) - 1]).join("")
  return `${line}|\n${first.hour.slice(0, 16)}Z to now, ${
    hoursPerBar === 1 ? "an hour" : `${hoursPerBar} hours`
  } a bar; the highest is ${highest}`
}

const formatShares = (shares: ReadonlyArray<Share>): string =>
  shares.slice(0, 5).map(({ name, tasks }) => `${name ?? "unknown"} (${tasks})`).join(", ")

const formatGroup = (group: FailureGroupDetail, _text: string, view: View): string =>
  [
    formatFields([
      ["issue", group.fingerprint],
      ["status", group.status],
      ["name", group.sample_task_name],
      ["engine", group.engines.join(", ")],
      ["failures", group.occurrences],
      ["open", group.open_count],
      ["recovered", group.recovered_count],
      ["first seen", group.first_seen],
      ["last seen", group.last_seen],
      ["workers", formatShares(group.workers)],
      ["queues", formatShares(group.queues)],
      ["sample", group.sample_task?.task_id ?? null],
      ["exception", group.sample_task?.exception ?? group.sample_exception]
    ]),
    formatHours(group.hours, view),
    ...formatTraceback(group.sample_task?.traceback ?? null),
    `its tasks: svc tasks list --fingerprint ${group.fingerprint}`
  ].join("\n")

export const show = ({ fingerprint, hours, json, project }: Common & { readonly fingerprint: string }) =>
  Effect.gen(function*() {
    const urlParams = yield* decodeInput(FindFailureGroup, queryOf({ hours: textOf(hours) }), "options")
    yield* withRemote(project, ({ api, slug }) =>
      Effect.flatMap(
        api.failures.get({ path: { slug, fingerprint }, urlParams, withResponse: true }),
        (answer) => printAnswer(answer, json, formatGroup)
      ))
  })

const formatTraceback = (traceback: string | null) => traceback === null ? [] : [indentLines(traceback.trimEnd())]
