import { Effect, Option } from "effect"
import {
  type FailureGroup,
  type FailureGroupDetail,
  type FailureWindow,
  FindFailureGroup,
  ListFailureGroups,
  type Share
} from "../../../domain/tasks/Failure/Group.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, idColumn } from "../../io/Table.ts"
import { indentLines } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { list, show } from "../../remote/Handlers.ts"
import type { definitions } from "../failures.ts"
import { findFingerprint } from "../Fingerprint.ts"

/** With `--hours` the failures of that window; the other counts are of all time. */
const columns: ReadonlyArray<Column<FailureGroup>> = [
  { head: "NAME", cell: ({ sample_task_name }) => sample_task_name, maxLength: 60, minLength: 12 },
  { head: "ERROR", cell: ({ sample_exception }) => sample_exception, maxLength: 60, minLength: 10, hidesEmpty: true },
  { head: "STATUS", cell: ({ status }) => status },
  { head: "FAILURES", cell: ({ occurrences, window }) => window?.occurrences ?? occurrences },
  { head: "TREND", cell: ({ window }) => window && formatBars(window.counts), dropRank: 4, hidesEmpty: true },
  { head: "OPEN", cell: ({ open_count }) => open_count },
  {
    head: "RECOVERED",
    cell: ({ recovered_count, window }) => window === null ? recovered_count : null,
    dropRank: 2,
    hidesEmpty: true
  },
  { head: "LAST", cell: ({ last_seen }, view) => formatAge(last_seen, view) },
  { head: "FIRST", cell: ({ first_seen }, view) => formatAge(first_seen, view), dropRank: 1 },
  { head: "ENGINE", cell: ({ engines }) => engines.join(", "), dropRank: 3 },
  idColumn("ISSUE", ({ fingerprint }) => fingerprint)
]

const textOf = Option.map(String)

const bars = "▁▂▃▄▅▆▇█"

/** Columns of the line of bars: with more buckets, each covers several. */
const maxBars = 84

const formatBars = (counts: ReadonlyArray<number>): string => {
  const highest = Math.max(...counts)
  return counts.map((count) => count === 0 ? " " : bars[Math.ceil((count / highest) * bars.length) - 1]).join("")
}

const formatSeconds = (seconds: number): string =>
  seconds % 86_400 === 0 ? `${seconds / 86_400}d` : seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`

/** The failures of the window as one line of bars, and the number of the highest bar. */
const formatWindow = ({ bucket_seconds, counts, occurrences, since }: FailureWindow): string => {
  if (occurrences === 0) return `no failures since ${since.slice(0, 16)}Z`
  const perBar = Math.ceil(counts.length / maxBars)
  const sums = Array.from(
    { length: Math.ceil(counts.length / perBar) },
    (_, bar) => counts.slice(bar * perBar, (bar + 1) * perBar).reduce((sum, count) => sum + count, 0)
  )
  return `${formatBars(sums)}|\n${since.slice(0, 16)}Z to now, ${
    formatSeconds(bucket_seconds * perBar)
  } a bar; the highest is ${Math.max(...sums)}`
}

const formatShares = (shares: ReadonlyArray<Share>): string =>
  shares.slice(0, 5).map(({ name, tasks }) => `${name ?? "unknown"} (${tasks})`).join(", ")

const formatGroup = (group: FailureGroupDetail): string =>
  [
    formatFields([
      ["name", group.sample_task_name],
      ["issue", group.fingerprint],
      ["status", group.status],
      ["engine", group.engines.join(", ")],
      ["failures", group.occurrences],
      ["in the window", group.window?.occurrences ?? null],
      ["open", group.open_count],
      ["recovered", group.recovered_count],
      ["first seen", group.first_seen],
      ["last seen", group.last_seen],
      ["workers", formatShares(group.workers)],
      ["queues", formatShares(group.queues)],
      ["sample", group.sample_task?.task_id ?? null],
      ["exception", group.sample_task?.exception ?? group.sample_exception]
    ]),
    ...(group.window === null ? [] : [formatWindow(group.window)]),
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
