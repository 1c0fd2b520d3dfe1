/** Which sums there are, and their rows in the tables. */
import type { Cell } from "../../../domain/tasks/Rollup/Contribution.ts"

/** A series of each kind counts all tasks of its project, engine, queue, or name in a queue. */
export const seriesKinds = { project: 0, engine: 1, queue: 2, task: 3 } as const

export const levels = { minute: 0, hour: 1, day: 2 } as const
export type Level = (typeof levels)[keyof typeof levels]

/** Minutes of a bucket. */
export const minutesOf = [1, 60, 1440] as const satisfies Record<Level, number>

/** Identifies a series; the fields that its kind does not name are empty. */
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
const overflow = "other"

export const overflowOf = ({ kind, project_id }: SeriesKey): SeriesKey => ({
  project_id,
  kind,
  engine: overflow,
  queue: kind >= seriesKinds.queue ? overflow : "",
  name: kind >= seriesKinds.task ? overflow : ""
})

/** Texts of agents contain no NUL. */
export const seriesKeyText = ({ engine, kind, name, project_id, queue }: SeriesKey): string =>
  `${project_id}\0${kind}\0${engine}\0${queue}\0${name}`

/** The series that a task name in a queue adds to. */
export const seriesOf = (
  { engine, name, project_id, queue }: Omit<SeriesKey, "kind">
): ReadonlyArray<SeriesKey> => [
  { project_id, kind: seriesKinds.project, engine: "", queue: "", name: "" },
  { project_id, kind: seriesKinds.engine, engine, queue: "", name: "" },
  { project_id, kind: seriesKinds.queue, engine, queue, name: "" },
  { project_id, kind: seriesKinds.task, engine, queue, name }
]

/** The changes of one series, by level and bucket. */
export interface SeriesChange {
  readonly key: SeriesKey
  readonly buckets: ReadonlyArray<Map<number, Cell>>
}
