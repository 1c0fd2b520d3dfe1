import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { Project } from "../../domain/Project.ts"
import { Reader } from "../Database.ts"
import { cancelCommands } from "../Agents/CancelCommands.ts"
import { Flag, Json } from "../Row.ts"

/** A row of `projects` as the drivers give it, to and from a Project. */
const Row = Schema.Struct({ ...Project.fields, is_active: Flag, allowed_schedulers: Schema.NullOr(Json(Schema.Array(Schema.String))) })
const decodeRow = Schema.decodeUnknownSync(Row)
const decode = (row: object) => decodeRow(row)
const encode = Schema.encodeSync(Row)

export interface Deletion {
  readonly project_id: string
  readonly created_at: string
}

const sliceRows = 1000

/** Tables that hold rows of a project without a foreign key, and what identifies a row. */
const leftovers = [
  ["tasks", "project_id, id"],
  ["commands", "id"],
  ["task_retries", "project_id, engine, new_task_id, task_id"],
  ["task_facets", "project_id, facet, value"],
  ["task_counts", "project_id, state, slot"]
] as const

export class ProjectsRepo extends Effect.Service<ProjectsRepo>()("svc/ProjectsRepo", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const read = yield* Reader

    const more = (slice: Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>) =>
      Effect.map(slice, (rows) => rows.length === sliceRows)
    const first = (rows: ReadonlyArray<object>) => Option.map(Option.fromNullable(rows[0]), decode)

    return {
      list: Effect.map(read`SELECT * FROM projects ORDER BY slug`, (rows) => rows.map(decode)),
      bySlug: (slug: string) => Effect.map(read`SELECT * FROM projects WHERE slug = ${slug}`, first),
      byId: (id: string) => Effect.map(read`SELECT * FROM projects WHERE id = ${id}`, first),
      insert: (project: Project) => sql`INSERT INTO projects ${sql.insert(encode(project))}`,
      update: (project: Project) => sql`UPDATE projects SET ${sql.update(encode(project), ["id"])} WHERE id = ${project.id}`,
      delete: (id: string) => sql`DELETE FROM projects WHERE id = ${id}`,

      agentIds: (id: string) =>
        Effect.map(read<{ id: string }>`SELECT id FROM agents WHERE project_id = ${id}`, (rows) => rows.map((row) => row.id)),
      cancelCommands: (id: string) => cancelCommands(sql, sql`project_id = ${id}`, "The project was deleted."),
      /** Removes some health rows of the project's agents; answers whether there may be more. */
      deleteHealthSlice: (id: string) =>
        more(sql`DELETE FROM agent_health WHERE id IN (
          SELECT h.id FROM agent_health h JOIN agents a ON a.id = h.agent_id
          WHERE a.project_id = ${id} LIMIT ${sliceRows}) RETURNING id`),
      insertDeletion: (project_id: string, created_at: string) =>
        sql`INSERT INTO project_deletions ${sql.insert({ project_id, created_at })}`,
      deletions: read<Deletion>`SELECT project_id, created_at FROM project_deletions ORDER BY project_id`,
      forgetDeletion: (projectId: string) => sql`DELETE FROM project_deletions WHERE project_id = ${projectId}`,
      /** For each table of leftovers: removes some of the project's rows; answers whether there may be more. */
      leftoverSlices: leftovers.map(([table, key]) => (projectId: string) =>
        more(sql`DELETE FROM ${sql(table)} WHERE (${sql.literal(key)}) IN (
          SELECT ${sql.literal(key)} FROM ${sql(table)} WHERE project_id = ${projectId} LIMIT ${sliceRows}) RETURNING 1`))
    } as const
  })
}) {
  static readonly layer = this.Default
}
