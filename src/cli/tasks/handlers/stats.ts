import { Console, Effect } from "effect"
import type { Stats } from "../../../domain/tasks/Rollup/Stats.ts"
import { ListTaskNames, minutesIn, type TaskNameStats, type TrendWindow } from "../../../domain/tasks/Rollup/Trends.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatFields, formatTable } from "../../io/Table.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call } from "../../remote/Handlers.ts"
import { printResponse } from "../../remote/Remote.ts"
import type { definitions } from "../stats.ts"

/** `132 ms`, `4.1 s`, `12 min`. */
const formatMillis = (millis: number | undefined): string | null => {
  if (millis === undefined) return null
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 120_000) return `${Number((millis / 1000).toPrecision(3))} s`
  return `${Math.round(millis / 60_000)} min`
}

const formatShare = (share: number): string => `${Number((share * 100).toFixed(1))} %`

const columns: ReadonlyArray<Column<TaskNameStats>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "ENGINE", cell: ({ engine }) => engine, dropRank: 4 },
  { head: "SUCCESS", cell: ({ success }) => success },
  { head: "FAILURE", cell: ({ failure }) => failure },
  { head: "FAILED", cell: ({ failure_rate }) => formatShare(failure_rate) },
  { head: "RETRY", cell: ({ retry }) => retry, dropRank: 3 },
  { head: "P50", cell: ({ runtime_ms }) => formatMillis(runtime_ms?.p50) },
  { head: "P95", cell: ({ runtime_ms }) => formatMillis(runtime_ms?.p95) },
  { head: "P99", cell: ({ runtime_ms }) => formatMillis(runtime_ms?.p99), dropRank: 2 },
  { head: "WAIT P95", cell: ({ wait_ms }) => formatMillis(wait_ms?.p95), dropRank: 1 }
]

const formatStats = (stats: Stats, window: TrendWindow): string =>
  formatFields([
    ["health", stats.system_health.status],
    [`succeeded in ${window}`, stats.tasks_succeeded_24h],
    [`failed in ${window}`, `${stats.tasks_failed_24h} (${formatShare(stats.failure_rate_24h)})`],
    ["runtime p50, p95, p99", formatPercentiles(stats.runtime_ms)],
    ["wait p50, p95, p99", formatPercentiles(stats.wait_ms)],
    ["agents online", `${stats.agents_online} of ${stats.agents_online + stats.agents_offline}`],
    ["workers online", `${stats.workers_online} of ${stats.workers_online + stats.workers_offline}`],
    ["open commands", stats.commands_pending]
  ])

const formatPercentiles = (percentiles: Stats["runtime_ms"]): string | null =>
  percentiles === null
    ? null
    : [percentiles.p50, percentiles.p95, percentiles.p99].map((millis) => formatMillis(millis)).join(", ")

export const handlers: HandlersOf<typeof definitions> = {
  /** With `--json` the task names alone, as the brain returns them: `GET …/stats` has the rest. */
  stats: ({ json, limit, project, search, sort, window }) =>
    Effect.flatMap(
      decodeInput(ListTaskNames, { window, sort, limit: String(limit), ...givenOf({ search }) }, "options"),
      (urlParams) =>
        call(function*({ api, slug }) {
          if (!json) {
            const numbers = yield* api.trends.stats({ path: { slug }, urlParams: { hours: minutesIn[window] / 60 } })
            yield* Console.log(`${formatStats(numbers, window)}\n`)
          }
          const names = yield* api.trends.names({ path: { slug }, urlParams, withResponse: true })
          yield* printResponse(
            names,
            json,
            ({ items }, _text, view) =>
              items.length === 0 ? `No task ended in ${window}.` : formatTable(columns, items, view)
          )
        })({ project })
    )
}
