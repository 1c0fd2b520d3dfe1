import { Effect, Schema } from "effect"
import type { ExportJobCreate } from "../../domain/audit/AuditExport.ts"
import { UserId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import { makeExportJobs } from "./ExportJobs.ts"
import { auditExports } from "./ExportJobs/Kinds.ts"

/** The terms as they are stored and shown; those that were not given are absent. */
export const StoredFilters = Schema.Struct({
  action_prefix: Schema.optional(Schema.String),
  outcome: Schema.optional(Schema.String),
  user_id: Schema.optional(UserId),
  target_id: Schema.optional(Schema.String),
  since: Schema.optional(Timestamp.Timestamp),
  fields: Schema.optional(Schema.Array(Schema.String))
})

/**
 * Exports of a project's audit log that are too large for one response (docs/audit.md, Exports in the background).
 * `AuditExports/Runner.ts` writes them.
 */
export class AuditExports extends Effect.Service<AuditExports>()("svc/AuditExports", {
  effect: Effect.gen(function*() {
    // a file with addresses is open to all who read the log: a global admin has created it for them
    const jobs = yield* makeExportJobs(auditExports, Effect.void)

    const create = Effect.fn("AuditExports.create")(function*({ format, ...terms }: ExportJobCreate) {
      const actor = yield* CurrentActor
      return yield* jobs.create({
        format,
        terms,
        showsHidden: actor.kind === "person" && actor.is_admin,
        created_at: yield* Timestamp.now
      })
    })

    return { ...jobs, create } as const
  })
}) {
  static readonly layer = this.Default
}
