import type { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { type ProjectId, UserId } from "../../../domain/kernel/Id.ts"
import type { Assignee } from "../../../domain/tasks/Failure/Triage.ts"
import { Reader } from "../../kernel/sql/Database.ts"
import { idIn } from "../../kernel/sql/Dialect.ts"
import { rowsOf } from "../../kernel/sql/Rows.ts"

const assigneeRows = rowsOf(Schema.Struct({ id: UserId, name: Schema.NullOr(Schema.String) }))

export type AssigneeNames = ReadonlyMap<string, Assignee>

const maxListed = 500

/** Who may be assigned to a failure group: a project's members, and global admins, who may work in every project. */
const assignable = (sql: SqlClient.SqlClient, projectId: ProjectId) =>
  sql`users u LEFT JOIN memberships m ON m.user_id = u.id AND m.project_id = ${projectId}
    WHERE u.is_active = 1 AND (u.is_admin = 1 OR m.user_id IS NOT NULL)`

/**
 * Groups that have no assignee in the lists: also those whose assignee was deactivated. They return to that user when the
 * account is active again.
 */
const isUnassigned = (sql: SqlClient.SqlClient, projectId: ProjectId) =>
  sql`(assignee_id IS NULL OR assignee_id NOT IN (SELECT u.id FROM ${assignable(sql, projectId)}))`

/** Groups whose assignee in the lists is this one; null: none. */
export const isAssignedTo = (sql: SqlClient.SqlClient, projectId: ProjectId, assignee: UserId | null) =>
  assignee === null
    ? isUnassigned(sql, projectId)
    : sql`(assignee_id = ${assignee} AND NOT ${isUnassigned(sql, projectId)})`

export const makeAssignees = Effect.gen(function*() {
  const read = yield* Reader

  const select = (projectId: ProjectId, ids: ReadonlyArray<string> | null) =>
    assigneeRows(
      read`SELECT u.id, u.display_name AS name FROM ${assignable(read, projectId)} ${
        ids === null ? read.literal("") : read`AND ${idIn(read, ids, "u.id")}`
      } ORDER BY lower(coalesce(u.display_name, '')), u.id LIMIT ${maxListed + 1}`
    )

  return {
    list: (projectId: ProjectId) =>
      Effect.map(select(projectId, null), (rows) => ({
        people: rows.slice(0, maxListed),
        hasMore: rows.length > maxListed
      })),

    /** Those of the users who may be assigned, by id. */
    find: (projectId: ProjectId, ids: ReadonlyArray<string | null>) => {
      const given = [...new Set(ids.filter((id) => id !== null))]
      return given.length === 0
        ? Effect.succeed<AssigneeNames>(new Map())
        : Effect.map(
          select(projectId, given),
          (rows): AssigneeNames => new Map(rows.map((row) => [row.id, row]))
        )
    }
  } as const
})

/** Takes a user's failure groups from them: those of a project, or all. In the caller's transaction. */
export const clearAssignee = (sql: SqlClient.SqlClient, userId: UserId, projectId: ProjectId | null) =>
  Effect.asVoid(
    sql`UPDATE failure_groups SET assignee_id = NULL WHERE assignee_id = ${userId} ${
      projectId === null ? sql.literal("") : sql`AND project_id = ${projectId}`
    }`
  )
