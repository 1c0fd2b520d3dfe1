import { SqlClient } from "@effect/sql"
import { Array as Arr, Effect, Option, Schema } from "effect"
import { AgentId, ProjectId, type UserId } from "../../../domain/kernel/Id.ts"
import { ApprovalPolicy, Project } from "../../../domain/kernel/Project.ts"
import { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { deleteExports } from "../../audit/ExportJobs/Chunks.ts"
import { BooleanColumn, JsonColumn } from "../../kernel/sql/ColumnTypes.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { deleteInSlices, forNoKeyUpdate, jsonFunctionsOf } from "../../kernel/sql/Dialect.ts"
import { PreparedReads } from "../../kernel/sql/PreparedReads.ts"
import { firstRowOf, rowsOf } from "../../kernel/sql/Rows.ts"

/** Converts between a row of `projects`, as the drivers return it, and a Project. */
const Row = Schema.Struct({
  ...Project.fields,
  is_active: BooleanColumn,
  allowed_schedulers: Schema.NullOr(JsonColumn(Schema.Array(Schema.String))),
  allowed_cidrs: Schema.NullOr(JsonColumn(Schema.Array(Schema.String))),
  approvals: Schema.NullOr(JsonColumn(ApprovalPolicy))
})
const allRows = rowsOf(Row)
const firstRow = firstRowOf(Row)
const encode = Schema.encodeSync(Row)

/** Decodes a row without the schema, which took 20 µs of every request: only `encode` writes these rows. */
const decodeUnchecked = (row: typeof Row.Encoded): Project => ({
  // the casts: `encode` wrote them
  ...(row as unknown as Project),
  is_active: row.is_active === 1,
  allowed_schedulers: row.allowed_schedulers === null ? null : JSON.parse(row.allowed_schedulers),
  allowed_cidrs: row.allowed_cidrs === null ? null : JSON.parse(row.allowed_cidrs),
  approvals: row.approvals === null ? null : JSON.parse(row.approvals)
})

/** The columns of the project `p` as one JSON text, for a statement that joins it; `decodeJoinedProject` reads it. */
export const joinedProjectSql = (sql: SqlClient.SqlClient): string => {
  const members = Object.keys(Row.fields).map((field) => `'${field}', p.${field}`).join(", ")
  return `CASE WHEN p.id IS NOT NULL THEN CAST(${jsonFunctionsOf(sql).object}(${members}) AS TEXT) END`
}

export const decodeJoinedProject = (text: string): Project => decodeUnchecked(JSON.parse(text))

const Deletion = Schema.Struct({ project_id: ProjectId, created_at: Timestamp })

/** Tables with rows of a project but no foreign key, and their primary keys. */
const orphanTables = [
  ["tasks", "project_id, id"],
  ["commands", "id"],
  ["bulk_retry_items", "project_id, request_id, position"],
  ["schedule_fires", "fire_id, scheduled_for"],
  ["task_orphans", "project_id, engine, task_id"],
  ["task_outputs", "project_id, engine, task_id"],
  ["task_log_chunks", "project_id, engine, task_id, event_id"],
  ["task_retries", "project_id, engine, new_task_id, task_id"],
  ["trigger_events", "id"],
  ["deliveries", "id"],
  ["automation_executions", "id"],
  ["task_facets", "project_id, facet, value"],
  ["task_counts", "project_id, state, slot"],
  ["searchable_values", "project_id, path, value, task"],
  ["failure_groups", "project_id, fingerprint"],
  ["failure_group_counts", "project_id, fingerprint, level, bucket"],
  ["rollups", "project_id, level, series_id, bucket"],
  ["rollup_series", "id"]
] as const

export class ProjectsRepo extends Effect.Service<ProjectsRepo>()("svc/ProjectsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader
    const { rows } = yield* PreparedReads

    const selectBySlug = rows<typeof Row.Encoded>(
      `SELECT ${Object.keys(Row.fields).join(", ")} FROM projects WHERE slug = ?`
    )

    return {
      list: allRows(read`SELECT * FROM projects ORDER BY slug`),
      listIds: Effect.map(
        rowsOf(Schema.Struct({ id: ProjectId }))(read`SELECT id FROM projects ORDER BY id`),
        Arr.map(({ id }) => id)
      ),
      findBySlug: (slug: string) =>
        Effect.map(selectBySlug(slug), ([row]) => Option.map(Option.fromNullable(row), decodeUnchecked)),
      /** Locks the project's row until the transaction ends. New rows may refer to the locked row. */
      findForUpdate: (id: ProjectId) => firstRow(sql`SELECT * FROM projects WHERE id = ${id} ${forNoKeyUpdate(sql)}`),
      findById: (id: ProjectId) => firstRow(read`SELECT * FROM projects WHERE id = ${id}`),
      /** The oldest project that wants approvals, of all or of those that the user is an admin of. */
      findWithApprovals: (adminId: UserId | null) => {
        const isAdmin = sql`EXISTS (SELECT 1 FROM memberships m
          WHERE m.project_id = p.id AND m.user_id = ${adminId} AND m.role = 'admin')`
        return firstRow(
          sql`SELECT p.* FROM projects p WHERE ${
            sql.and([sql`p.approvals IS NOT NULL`, ...(adminId === null ? [] : [isAdmin])])
          } ORDER BY p.id LIMIT 1`
        )
      },
      insert: (project: Project) => sql`INSERT INTO projects ${sql.insert(encode(project))}`,
      update: (project: Project) =>
        sql`UPDATE projects SET ${sql.update(encode(project), ["id"])} WHERE id = ${project.id}`,
      delete: (id: ProjectId) => sql`DELETE FROM projects WHERE id = ${id}`,

      listAgentIds: (id: ProjectId) =>
        Effect.map(
          rowsOf(Schema.Struct({ id: AgentId }))(read`SELECT id FROM agents WHERE project_id = ${id}`),
          Arr.map((agent) => agent.id)
        ),
      /** The health rows of the project's agents. */
      deleteHealth: (id: ProjectId) => {
        const where = sql`agent_id IN (SELECT id FROM agents WHERE project_id = ${id})`
        return deleteInSlices(sql, { table: "agent_health", key: "id", where })
      },
      /** The project's exports, with their files. */
      deleteExports: (id: ProjectId) => deleteExports(sql, sql`project_id = ${id}`),
      insertDeletion: (project_id: ProjectId, created_at: string) =>
        sql`INSERT INTO project_deletions ${sql.insert({ project_id, created_at })}`,
      listDeletions: rowsOf(Deletion)(read`SELECT project_id, created_at FROM project_deletions ORDER BY project_id`),
      /**
       * Ends the deletion unless rows are left: another replica may have stored a late event since this one deleted them.
       */
      deleteDeletion: (projectId: ProjectId) =>
        sql`DELETE FROM project_deletions WHERE ${
          sql.and([
            sql`project_id = ${projectId}`,
            ...orphanTables.map(([table]) =>
              sql`NOT EXISTS (SELECT 1 FROM ${sql(table)} WHERE project_id = ${projectId})`
            )
          ])
        }`,
      /** The rows that the project left behind in tables without a foreign key. */
      deleteOrphans: (projectId: ProjectId) =>
        Effect.forEach(
          orphanTables,
          ([table, key]) => deleteInSlices(sql, { table, key, where: sql`project_id = ${projectId}` }),
          { discard: true }
        )
    } as const
  })
}) {
  static readonly layer = this.Default
}
