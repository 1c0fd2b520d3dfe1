import { findNewlyEnded, outcomes } from "../../../domain/tasks/Rollup/Contribution.ts"
import type { Metrics } from "../../kernel/Metrics.ts"
import type { FoldedGroup } from "./Fold.ts"

/** `/metrics` repeats a label in each bucket of its histogram. */
const maxNameLength = 200

/** The label of task names beyond either limit, and of tasks without a known name. */
const other = "other"

/**
 * Counts ended runs of tasks in the metrics by name. The first `maxNames` names of this process have their own series. An
 * end that is reported again is no further one. Plain code on the hot path.
 */
export const makeEndCounter = ({ taskRun, tasksEnded }: Pick<Metrics, "taskRun" | "tasksEnded">, maxNames: number) => {
  const makeSeries = (name: string) => {
    const [success, failure, revoked, rejected] = outcomes.map((outcome) => tasksEnded.labels(name, outcome))
    return { success: success!, failure: failure!, revoked: revoked!, rejected: rejected!, run: taskRun.labels(name) }
  }
  const seriesByName = new Map<string, ReturnType<typeof makeSeries>>()

  const addSeries = (name: string) => {
    const series = makeSeries(name)
    for (const outcome of outcomes) series[outcome].inc(0) // rate() misses the first failure of a series that starts at 1
    seriesByName.set(name, series)
    return series
  }
  const others = addSeries(other)

  const seriesOf = (name: string) => {
    const series = seriesByName.get(name)
    if (series !== undefined) return series
    const isOwn = seriesByName.size <= maxNames && name.length <= maxNameLength && !name.startsWith("<unknown")
    return isOwn ? addSeries(name) : others
  }

  return (folded: ReadonlyArray<FoldedGroup>): void => {
    for (const { after, before, row } of folded) {
      for (const { outcome, runtimeMillis } of findNewlyEnded(before, after)) {
        const series = seriesOf(row.name)
        series[outcome].inc()
        if (runtimeMillis !== null) series.run.observe(runtimeMillis / 1000)
      }
    }
  }
}
