/** The statements that change failure groups, for the writers of both databases and for the deletion of tasks. */
import type { SqlClient } from "@effect/sql"
import type { ProjectId } from "../../../domain/kernel/Id.ts"
import { recordColumns, recordset } from "../../kernel/sql/Recordset.ts"
import type { Level } from "../Rollups/Series.ts"

/** What one transaction changes in a group. Counts are added to the stored ones. */
export interface GroupUpdate {
  readonly project_id: ProjectId
  readonly fingerprint: string
  readonly engine: string
  readonly task_name: string
  readonly sample_task_id: string
  readonly sample_exception: string | null
  readonly first_seen_at: string
  readonly last_seen_at: string
  /** Without new occurrences a group that is not stored is not created: it was over the cap, or expired. */
  readonly occurrences: number
  readonly open_count: number
  readonly recovered_count: number
}

export interface CountUpdate {
  readonly project_id: ProjectId
  readonly fingerprint: string
  readonly level: Level
  /** Minutes since 1970. */
  readonly bucket: number
  readonly occurrences: number
}

/** An update that adds no occurrence leaves first seen, last seen and the sample as they are. */
export const unseen = { first_seen_at: "~", last_seen_at: "" } as const

const groupColumns = {
  project_id: "uuid",
  fingerprint: "text",
  engine: "text",
  task_name: "text",
  sample_task_id: "text",
  sample_exception: "text",
  first_seen_at: "text",
  last_seen_at: "text",
  occurrences: "bigint",
  open_count: "bigint",
  recovered_count: "bigint"
} as const satisfies Record<keyof GroupUpdate, "uuid" | "text" | "bigint">

const countColumns = {
  project_id: "uuid",
  fingerprint: "text",
  level: "integer",
  bucket: "bigint",
  occurrences: "bigint"
} as const satisfies Record<keyof CountUpdate, "uuid" | "text" | "integer" | "bigint">

/** The names of two functions differ between the dialects. */
interface Extremes {
  readonly least: "min" | "LEAST"
  readonly greatest: "max" | "GREATEST"
}

const namesOf = (columns: object): string => Object.keys(columns).join(", ")

/** Of two failures at one moment the one with the smaller id is the sample, so that their order does not count. */
const isNewer = `(excluded.last_seen_at > failure_groups.last_seen_at OR
  (excluded.last_seen_at = failure_groups.last_seen_at AND excluded.sample_task_id < failure_groups.sample_task_id))`

/**
 * Rows of groups that exist, or gain occurrences, in the order of the rows: they are sorted, so two writers lock them
 * in one order. A count below 0 is 0: a group that was over the cap for a while, or has expired, has not counted all its
 * tasks, so that its first row can have one.
 */
const groupsBegin = `INSERT INTO failure_groups (${namesOf(groupColumns)}) SELECT ${namesOf(groupColumns)} FROM `

const groupsEnd = ({ greatest, least }: Extremes) =>
  ` WHERE r.occurrences > 0 OR EXISTS (
      SELECT 1 FROM failure_groups g WHERE g.project_id = r.project_id AND g.fingerprint = r.fingerprint)
    ON CONFLICT (project_id, fingerprint) DO UPDATE SET
      sample_task_id = CASE WHEN ${isNewer} THEN excluded.sample_task_id ELSE failure_groups.sample_task_id END,
      sample_exception = CASE WHEN ${isNewer} THEN coalesce(excluded.sample_exception, failure_groups.sample_exception)
        ELSE failure_groups.sample_exception END,
      first_seen_at = ${least}(failure_groups.first_seen_at, excluded.first_seen_at),
      last_seen_at = ${greatest}(failure_groups.last_seen_at, excluded.last_seen_at),
      occurrences = ${greatest}(0, failure_groups.occurrences + excluded.occurrences),
      open_count = ${greatest}(0, ${greatest}(0, failure_groups.open_count) + excluded.open_count),
      recovered_count = ${greatest}(0, ${greatest}(0, failure_groups.recovered_count) + excluded.recovered_count)`

const countsBegin = `INSERT INTO failure_group_counts (${namesOf(countColumns)}) SELECT ${namesOf(countColumns)} FROM `

const countsEnd = ({ greatest }: Extremes) =>
  ` WHERE r.occurrences > 0 OR EXISTS (SELECT 1 FROM failure_group_counts c
      WHERE c.project_id = r.project_id AND c.fingerprint = r.fingerprint AND c.level = r.level AND c.bucket = r.bucket)
    ON CONFLICT (project_id, fingerprint, level, bucket) DO UPDATE SET
      occurrences = ${greatest}(0, failure_group_counts.occurrences + excluded.occurrences)`

const onSqlite: Extremes = { least: "min", greatest: "max" }
const onPostgres: Extremes = { least: "LEAST", greatest: "GREATEST" }

const sqliteRows = (columns: object): string =>
  `(SELECT ${Object.keys(columns).map((name) => `value ->> '${name}' AS ${name}`).join(", ")} FROM json_each(?)) AS r`

const postgresRows = (columns: Readonly<Record<string, string>>): string =>
  `json_to_recordset($1::json) AS ${recordColumns("r", columns)}`

/** With the rows as JSON for their one parameter. */
export const sqliteTexts = {
  groups: `${groupsBegin}${sqliteRows(groupColumns)}${groupsEnd(onSqlite)}`,
  counts: `${countsBegin}${sqliteRows(countColumns)}${countsEnd(onSqlite)}`
} as const

export const postgresTexts = {
  groups: `${groupsBegin}${postgresRows(groupColumns)}${groupsEnd(onPostgres)}`,
  counts: `${countsBegin}${postgresRows(countColumns)}${countsEnd(onPostgres)}`
} as const

/** Writes the rows, sorted by project and fingerprint, in the caller's transaction. */
export const writeGroups = (sql: SqlClient.SqlClient, rows: ReadonlyArray<GroupUpdate>) =>
  sql`${sql.literal(groupsBegin)}${recordset(sql, "r", groupColumns, rows)}${
    sql.onDialectOrElse({
      pg: () => sql.literal(groupsEnd(onPostgres)),
      orElse: () => sql.literal(groupsEnd(onSqlite))
    })
  }`
