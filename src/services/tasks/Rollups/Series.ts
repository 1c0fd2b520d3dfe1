/** Which sums there are, and their rows in the tables. */
import type { Cell } from "../../../domain/tasks/Rollup/Contribution.ts"

/**
 * A series of each kind counts all tasks of its project, engine, queue, or name in a queue. Those of a worker count the
 * ends of its tasks alone.
 */
export const seriesKinds = { project: 0, engine: 1, queue: 2, task: 3, worker: 4 } as const

export const levels = { minute: 0, hour: 1, day: 2 } as const
export type Level = (typeof levels)[keyof typeof levels]

/** Minutes of a bucket. */
export const minutesOf = [1, 60, 1440] as const satisfies Record<Level, number>

/** Each pod has a name of its own: the minutes and hours of workers are kept for so many days, and no days of them. */
export const workerDays = 8

/** The names of workers that a project counts apart within `workerDays`, where it has so many series of other kinds at most. */
export const maxWorkersOf = (maxSeries: number): number => Math.min(maxSeries, 1000)

/** Identifies a series; the fields that its kind does not name are empty. The name of a worker is its `name`. */
export interface SeriesKey {
  readonly project_id: string
  readonly kind: number
  readonly engine: string
  readonly queue: string
  readonly name: string
}

/** Identifies a row of `rollups`; `bucket` is minutes since 1970. */
export interface BucketKey {
  readonly project_id: string
  readonly level: Level
  readonly series_id: number
  readonly bucket: number
}

/** Beyond the cap of its project a series is counted in this one, of its kind. */
export const overflow = "other"

export const overflowOf = ({ kind, project_id }: SeriesKey): SeriesKey => ({
  project_id,
  kind,
  engine: overflow,
  queue: kind === seriesKinds.queue || kind === seriesKinds.task ? overflow : "",
  name: kind >= seriesKinds.task ? overflow : ""
})

/** Texts of agents contain no NUL. */
export const seriesKeyText = ({ engine, kind, name, project_id, queue }: SeriesKey): string =>
  `${project_id}\0${kind}\0${engine}\0${queue}\0${name}`

/** The series that a task name in a queue adds to, or a worker. */
export const seriesOf = (key: SeriesKey): ReadonlyArray<SeriesKey> => {
  if (key.kind === seriesKinds.worker) return [key]
  const { engine, project_id, queue } = key
  return [
    { project_id, kind: seriesKinds.project, engine: "", queue: "", name: "" },
    { project_id, kind: seriesKinds.engine, engine, queue: "", name: "" },
    { project_id, kind: seriesKinds.queue, engine, queue, name: "" },
    key
  ]
}

/** How long the rows of a series are kept, by level. */
export const keptDaysOf = (
  kind: number,
  settings: {
    readonly rollupMinutesRetentionDays: number
    readonly rollupHoursRetentionDays: number
    readonly rollupDaysRetentionDays: number
  }
): ReadonlyArray<{ readonly level: Level; readonly days: number }> => {
  const { rollupDaysRetentionDays, rollupHoursRetentionDays, rollupMinutesRetentionDays } = settings
  return kind === seriesKinds.worker
    ? [
      { level: levels.minute, days: Math.min(rollupMinutesRetentionDays, workerDays) },
      { level: levels.hour, days: Math.min(rollupHoursRetentionDays, workerDays) }
    ]
    : [
      { level: levels.minute, days: rollupMinutesRetentionDays },
      { level: levels.hour, days: rollupHoursRetentionDays },
      { level: levels.day, days: rollupDaysRetentionDays }
    ]
}

/** The changes of one series, by level and bucket. */
export interface SeriesChange {
  readonly key: SeriesKey
  readonly buckets: ReadonlyArray<Map<number, Cell>>
}
