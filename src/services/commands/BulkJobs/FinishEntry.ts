import type { AuditEntry } from "../../audit/Row.ts"
import type { BulkJobRow } from "./Repo.ts"

/** The audit row of a job's end. */
export const finishEntryOf = ({ act, done, id, outcomes, project_id, skipped, total }: BulkJobRow): AuditEntry => ({
  action: "bulk_job.finished",
  target_type: "bulk_job",
  target_id: id,
  project_id,
  metadata: { act, total, done, skipped, ...outcomes }
})
