import { encode } from "../../src/domain/tasks/Rollup/Histogram.ts"
import { levels, minutesOf, seriesKinds } from "../../src/services/tasks/Rollups/Series.ts"
import { nameOf, names, queues, type Seeding, type Spelling, workers } from "./rows.ts"

/**
 * What the first project keeps besides its tasks, written by the database itself: what charts sum and mark, and the rows of
 * the audit log that no user wrote.
 */

/** Rows of each kind of mark, and of the audit log, over the time of the tasks; a hundredth of them are deploys. */
const marks = 100_000

const user = "01900000-0000-7000-8000-00000000aaaa"
const subject = "01900000-0000-7000-8000-00000000bbbb"

const durations = encode(new Map(Array.from({ length: 24 }, (_, index) => [120 + index * 3, index + 1])))

const quote = (text: string) => `'${text}'`

interface Series {
  readonly kind: number
  readonly engine: string
  readonly queue: string
  readonly name: string
}

const series: ReadonlyArray<Series> = [
  { kind: seriesKinds.project, engine: "", queue: "", name: "" },
  { kind: seriesKinds.engine, engine: "celery", queue: "", name: "" },
  ...Array.from({ length: queues }, (_, index) => ({
    kind: seriesKinds.queue,
    engine: "celery",
    queue: `queue-${index}`,
    name: ""
  })),
  ...Array.from({ length: names }, (_, index) => ({
    kind: seriesKinds.task,
    engine: "celery",
    queue: `queue-${index % queues}`,
    name: nameOf(index)
  })),
  ...Array.from({ length: workers }, (_, index) => ({
    kind: seriesKinds.worker,
    engine: "celery",
    queue: "",
    name: `celery@worker-${index}`
  }))
]

/** Days of each level. */
const keptDays = [4, 30, 30] as const

export const historySql = ({ end, projectIds }: Seeding, { hex, moment, numbers, uuid }: Spelling) => {
  const project = uuid(quote(projectIds[0]!))
  const lastMinute = Math.floor(end / 60_000)
  const spanMinutes = keptDays[2] * 1440
  const millis = `(${end} - ${spanMinutes * 60_000} / ${marks} * (${marks} - n))`
  const stamp = hex(millis, 12)
  const idOfMark = uuid(`substr(${stamp}, 1, 8) || '-' || substr(${stamp}, 9) || '-7000-8000-' || ${hex("n", 12)}`)
  const markRows = numbers(0, marks)
  return [
    `INSERT INTO rollup_series (project_id, kind, engine, queue, name) VALUES ${
      series.map(({ engine, kind, name, queue }) =>
        `(${project}, ${kind}, ${quote(engine)}, ${quote(queue)}, ${quote(name)})`
      ).join(", ")
    }`,
    ...Object.values(levels).map((level) => {
      const size = minutesOf[level]
      const buckets = keptDays[level] * 1440 / size
      const first = Math.floor(lastMinute / size) - buckets + 1
      return `INSERT INTO rollups (project_id, level, series_id, bucket, received, success, failure, retry, revoked, rejected,
          runtime_count, runtime_sum, wait_count, wait_sum, runtimes, waits)
        SELECT ${project}, ${level}, id, (${first} + n) * ${size}, 310, 290, 9, 1, 0, 0, 300, 60000, 300, 9000,
          ${quote(durations)}, ${quote(durations)}
        FROM ${numbers(0, buckets)} CROSS JOIN rollup_series
        WHERE kind <> ${seriesKinds.worker} OR ${level === levels.day ? "1 = 0" : `n >= ${buckets - 8 * 1440 / size}`}`
    }),
    `INSERT INTO failure_group_counts (project_id, fingerprint, level, bucket, occurrences)
      SELECT project_id, fingerprint, ${levels.hour}, (${Math.floor(lastMinute / 60) - 720} + n) * 60, 3
      FROM ${numbers(0, 720)} CROSS JOIN failure_groups WHERE project_id = ${project}`,
    `INSERT INTO deploys (id, project_id, version, at, created_at)
      SELECT ${idOfMark}, ${project}, 'v' || n, ${moment(millis)}, ${
      moment(millis)
    } FROM ${markRows} WHERE n % 100 = 0`,
    `INSERT INTO commands (id, project_id, issued_by, action, target_type, target_id, payload, status, issued_at, timeout_at)
      SELECT ${idOfMark}, ${project}, ${uuid(quote(user))}, 'task.retry', 'task', 'task-' || n, '{}', 'succeeded',
        ${moment(millis)}, ${moment(millis)} FROM ${markRows}`,
    `INSERT INTO schedule_misfires (id, project_id, schedule_id, detected_at, expected_fire_at, lateness_seconds,
        grace_seconds, slots, cause, name, engine, kind)
      SELECT ${idOfMark}, ${project}, ${uuid(quote(subject))}, ${moment(millis)}, ${
      moment(millis)
    }, 60, 30, 1, 'unknown',
        'nightly', 'celery', 'cron' FROM ${markRows}`,
    `INSERT INTO automation_executions (id, project_id, rule_id, rule_name, trigger_key, condition_key, action, outcome,
        occurrences, occurred_at, created_at)
      SELECT ${idOfMark}, ${project}, ${
      uuid(quote(subject))
    }, 'Retry charges', 'n' || n, 'c', 'task.retry', 'executed', 1,
        ${moment(millis)}, ${moment(millis)} FROM ${markRows}`,
    // before those of the brain, whose chain they are no part of
    `INSERT INTO audit_log (id, seq, project_id, action, target_type, target_id, result, outcome, metadata, occurred_at,
        row_hash, prev_row_hmac, row_hmac, key_id)
      SELECT ${idOfMark}, n - ${marks}, ${project}, 'automation.executed', 'rule', 'n' || n, 'success', 'allow', '{}',
        ${moment(millis)}, '', '', '', '' FROM ${markRows}`
  ]
}
