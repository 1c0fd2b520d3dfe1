import { Effect, Option } from "effect"
import {
  type FailureGroup,
  type FailureGroupDetail,
  FindFailureGroup,
  type GroupHour,
  ListFailureGroups,
  type Share
} from "../../../domain/tasks/Failure/Group.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, idColumn, type View } from "../../io/Table.ts"
import { indentLines } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { list, show } from "../../remote/Handlers.ts"
import type { definitions } from "../failures.ts"
import { findFingerprint } from "../Fingerprint.ts"

const columns: ReadonlyArray<Column<FailureGroup>> = [
  { head: "NAME", cell: ({ sample_task_name }) => sample_task_name, maxLength: 60, minLength: 12 },
  { head: "ERROR", cell: ({ sample_exception }) => sample_exception, maxLength: 60, minLength: 10, hidesEmpty: true },
  { head: "STATUS", cell: ({ status }) => status },
  { head: "FAILURES", cell: ({ occurrences }) => occurrences },
  { head: "OPEN", cell: ({ open_count }) => open_count },
  { head: "RECOVERED", cell: ({ recovered_count }) => recovered_count, dropRank: 2 },
  { head: "LAST", cell: ({ last_seen }, view) => formatAge(last_seen, view) },
  { head: "FIRST", cell: ({ first_seen }, view) => formatAge(first_seen, view), dropRank: 1 },
  { head: "ENGINE", cell: ({ engines }) => engines.join(", "), dropRank: 3 },
  idColumn("ISSUE", ({ fingerprint }) => fingerprint)
]

const textOf = Option.map(String)

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
      ["name", group.sample_task_name],
      ["issue", group.fingerprint],
      ["status", group.status],
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

const formatTraceback = (traceback: string | null) => traceback === null ? [] : [indentLines(traceback.trimEnd())]

export const handlers: HandlersOf<typeof definitions> = {
  list: ({ cursor, engine, hours, limit, status, ...printing }) => {
    const query = { ...givenOf({ engine, status, cursor, hours: textOf(hours) }), limit: String(limit) }
    return Effect.flatMap(
      decodeInput(ListFailureGroups, query, "options"),
      (urlParams) =>
        list(columns, ({ api, slug }) => api.failures.list({ path: { slug }, urlParams, withResponse: true }))(printing)
    )
  },
  show: ({ fingerprint, hours, ...printing }) =>
    Effect.flatMap(decodeInput(FindFailureGroup, givenOf({ hours: textOf(hours) }), "options"), (urlParams) =>
      show(
        function*(remote) {
          const { api, slug } = remote
          const path = { slug, fingerprint: yield* findFingerprint(remote, fingerprint) }
          return yield* api.failures.get({ path, urlParams, withResponse: true })
        },
        formatGroup
      )(printing))
}
