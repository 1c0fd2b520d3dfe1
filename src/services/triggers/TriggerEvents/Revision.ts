import type { SqlClient } from "@effect/sql"
import type { ProjectId } from "../../../domain/kernel/Id.ts"

/** In each transaction that changes what a project's subscriptions or rules ask for: caches read them again. */
export const bumpRevision = (sql: SqlClient.SqlClient, projectId: ProjectId) =>
  sql`INSERT INTO trigger_revisions (project_id, revision) VALUES (${projectId}, 1)
    ON CONFLICT (project_id) DO UPDATE SET revision = trigger_revisions.revision + 1`
