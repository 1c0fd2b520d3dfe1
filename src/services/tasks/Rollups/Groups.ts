/** The largest queues, names or workers of a chart. */
import { Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { emptyEncodedCell } from "../../../domain/tasks/Rollup/Contribution.ts"
import { type FindTrends, minutesIn, type Trends } from "../../../domain/tasks/Rollup/Trends.ts"
import { orDieOnSql } from "../../kernel/sql/Database.ts"
import { countsOf, endedOf } from "./Counts.ts"
import type { makeRollupRepo } from "./Repo.ts"
import { levels, overflow, seriesKinds } from "./Series.ts"
import { levelOf } from "./Window.ts"

/** Groups that a chart shows apart. */
const maxGroups = 5

/**
 * The ends of tasks by bucket of the trends, for each of the largest groups, and of all others together. Of workers also
 * whether there were some beyond the first `maxWorkers` names, which are among all others.
 */
export const makeFindGroups = (repo: Effect.Effect.Success<typeof makeRollupRepo>, maxWorkers: number) =>
  Effect.fnUntraced(function*(
    id: ProjectId,
    { engine, name, queue }: FindTrends,
    by: NonNullable<FindTrends["by"]>,
    { bucket, series }: Trends
  ) {
    const size = minutesIn[bucket]
    const from = Math.floor(Timestamp.toEpochSeconds(series[0]!.t) / 60) // a window has a bucket at least
    const level = by === "worker" && levelOf(size) === levels.day ? levels.hour : levelOf(size)
    const range = { level, from, to: from + series.length * size - 1 }
    const kind = by === "worker"
      ? seriesKinds.worker
      : by === "name" || name !== undefined
      ? seriesKinds.task
      : seriesKinds.queue
    const listed = yield* repo.listSeries(id, { kind, engine, queue, name })
    // of workers beyond the cap, whatever their engine: all others
    const beyondCap = by === "worker" ? yield* repo.listSeries(id, { kind, engine: overflow }) : []
    const all = by === "worker" ? listed.filter((each) => each.engine !== overflow) : listed
    const totals = yield* repo.sumSeries(id, [...all, ...beyondCap].map((each) => each.id), [range], "none")
    const endedIn = (series: number) => endedOf(countsOf(totals.get(series) ?? emptyEncodedCell()))
    const sums = new Map<string, { readonly key: string; readonly ids: Array<number>; total: number }>()
    for (const each of all) {
      const group = each[by === "worker" ? "name" : by]
      const sum = sums.get(group) ?? { key: group, ids: [], total: 0 }
      sums.set(sum.key, sum)
      sum.ids.push(each.id)
      sum.total += endedIn(each.id)
    }
    const groups = [...sums.values()].filter(({ total }) => total > 0)
      .sort((left, right) => right.total - left.total || (left.key < right.key ? -1 : 1)).slice(0, maxGroups)
      .map(({ ids, key }) => ({ ids, key, ended: series.map(() => 0) }))
    const groupOf = new Map(groups.flatMap((group) => group.ids.map((each) => [each, group] as const)))
    for (const row of yield* repo.countEndsBySlot(id, [...groupOf.keys()], range, size)) {
      const counts = groupOf.get(row.series_id)?.ended
      if (counts !== undefined) counts[row.slot] = (counts[row.slot] ?? 0) + Number(row.ended)
    }
    const others = series.map((counts, slot) =>
      Math.max(0, endedOf(counts) - groups.reduce((sum, { ended }) => sum + (ended[slot] ?? 0), 0))
    )
    const shown = groups.map(({ ended, key }) => ({ key, ended }))
    const isOverCap = beyondCap.some((each) => endedIn(each.id) > 0)
    return {
      groups: others.some((count) => count > 0) ? [...shown, { key: null, ended: others }] : shown,
      ...(by === "worker" && { workers_cap: isOverCap ? maxWorkers : null })
    }
  }, orDieOnSql)
