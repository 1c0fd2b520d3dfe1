import { Clock, Effect } from "effect"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { type Timestamp, toEpochMillis } from "../../../domain/kernel/Timestamp.ts"
import {
  type Contribution,
  findNewlyEnded,
  outcomes,
  type RunContribution
} from "../../../domain/tasks/Rollup/Contribution.ts"
import { Metrics } from "../../kernel/Metrics.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import type { FoldedGroup } from "./Fold.ts"

/** Pairs of project and engine of this process that have their own series; further ones are `other`. */
const maxSeries = 200

const other = "other"

/** A project may get another slug. */
const slugMillis = 60_000

/**
 * Counts runs of tasks in the metrics by project and engine, as this process stores them: the sum over replicas is that of all
 * tasks. A repeated event changes nothing and counts nothing.
 */
export const makeProjectCounter = Effect.gen(function*() {
  const read = yield* Reader
  const metrics = yield* Metrics
  const slugs = new Map<ProjectId, { readonly slug: string; readonly readAt: number }>()

  /** Reads the slugs of projects that are not known, or have not been read for a minute. */
  const prepare = Effect.fnUntraced(function*(ids: ReadonlySet<ProjectId>) {
    const now = yield* Clock.currentTimeMillis
    const wanted = [...ids].filter((id) => now - (slugs.get(id)?.readAt ?? 0) > slugMillis)
    if (wanted.length === 0) return
    const rows = yield* read<{ id: ProjectId; slug: string }>`SELECT id, slug FROM projects WHERE ${idIn(read, wanted)}`
    for (const { id, slug } of rows) slugs.set(id, { slug, readAt: now })
  })

  const makeSeries = (project: string, engine: string) => {
    const [success, failure, revoked, rejected] = outcomes.map((outcome) =>
      metrics.projectTasksEnded.labels(project, engine, outcome)
    )
    const series = {
      received: metrics.projectTasksReceived.labels(project, engine),
      retries: metrics.projectTaskRetries.labels(project, engine),
      success: success!,
      failure: failure!,
      revoked: revoked!,
      rejected: rejected!,
      run: metrics.projectTaskRun.labels(project, engine),
      wait: metrics.projectTaskWait.labels(project, engine)
    }
    for (const outcome of outcomes) series[outcome].inc(0) // rate() misses the first failure of a series that starts at 1
    series.received.inc(0)
    series.retries.inc(0)
    return series
  }
  const byPair = new Map<string, ReturnType<typeof makeSeries>>()

  const seriesOf = (projectId: ProjectId, engine: string) => {
    const slug = slugs.get(projectId)?.slug
    const key = slug === undefined ? other : `${slug}\n${engine}`
    const known = byPair.get(key)
    if (known !== undefined) return known
    const isOwn = slug !== undefined && byPair.size < maxSeries
    const series = isOwn ? makeSeries(slug, engine) : byPair.get(other) ?? makeSeries(other, other)
    byPair.set(isOwn ? key : other, series)
    return series
  }

  /** Plain code on the hot path. */
  const count = (folded: ReadonlyArray<FoldedGroup>): void => {
    for (const { after, before, row } of folded) {
      const series = seriesOf(row.project_id, row.engine)
      const received = after.runs.length - (before?.runs.length ?? 0)
      if (received > 0) series.received.inc(received)
      const retries = after.retries.length - (before?.retries.length ?? 0)
      if (retries > 0) series.retries.inc(retries)
      for (const { startedAt, waitsFrom } of findNewlyStarted(before, after)) {
        // the casts: a contribution holds the timestamps of its task
        const millis = toEpochMillis(startedAt as Timestamp) - toEpochMillis(waitsFrom as Timestamp)
        if (millis >= 0) series.wait.observe(millis / 1000) // less: clocks disagree
      }
      for (const { outcome, runtimeMillis } of findNewlyEnded(before, after)) {
        series[outcome].inc()
        if (runtimeMillis !== null) series.run.observe(runtimeMillis / 1000)
      }
    }
  }

  return { prepare, count } as const
})

const hasWaited = ({ startedAt, waitsFrom }: RunContribution): boolean => startedAt !== null && waitsFrom !== null

/** The latest of the runs with a wait, as many as there are more of them than before. */
const findNewlyStarted = (before: Contribution | null, after: Contribution): ReadonlyArray<RunContribution> => {
  const waits = after.runs.filter(hasWaited)
  return waits.slice(before === null ? 0 : Math.min(before.runs.filter(hasWaited).length, waits.length))
}
