import type { SqlError } from "@effect/sql"
import { Context, type Effect } from "effect"
import type { AgentId, ProjectId, UserId } from "../../domain/kernel/Id.ts"

/**
 * What ends with a project, an agent, a user or a membership besides its own rows. It belongs to areas that stand above
 * the one that deletes, so these call it through this tag, in the transaction of the deletion; `operations/Removal.ts`
 * has all of it. Rows without a foreign key go later, in slices (`identity/Projects.ts`).
 */
export class Removal extends Context.Tag("svc/Removal")<Removal, {
  /** Before the project's rows are deleted. */
  readonly ofProject: (id: ProjectId) => Effect.Effect<void, SqlError.SqlError>
  /**
   * Before the agent's row is deleted. The outer effect runs before the transaction, the inner one in it; it returns how
   * many schedules it deleted.
   */
  readonly ofAgent: (
    projectId: ProjectId,
    id: AgentId
  ) => Effect.Effect<Effect.Effect<number, SqlError.SqlError>, SqlError.SqlError>
  /** Before the user's row is deleted. */
  readonly ofUser: (id: UserId) => Effect.Effect<void, SqlError.SqlError>
  /** After the membership's row was deleted. */
  readonly ofMembership: (projectId: ProjectId, userId: UserId) => Effect.Effect<void, SqlError.SqlError>
}>() {}
