import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { NewCommand } from "./Model.ts"

type QuestionFields =
  & Pick<
    NewCommand,
    "id" | "project_id" | "agent_id" | "action" | "engine" | "target_type" | "target_id" | "payload" | "issued_at"
  >
  & Partial<Pick<NewCommand, "issued_by" | "idempotency_key" | "bound_session_id">>

/** A command by which the brain asks an agent something. It changes nothing, so it is not in the audit log. */
export const makeQuestionCommand = (fields: QuestionFields, timeoutSeconds: number): NewCommand => ({
  issued_by: null,
  sealed_payload: null,
  idempotency_key: null,
  request_hash: null,
  bound_session_id: null,
  bulk_job_id: null,
  worker_before: null,
  ...fields,
  timeout_at: Timestamp.addSeconds(fields.issued_at, timeoutSeconds),
  status: "pending",
  result: null,
  error: null,
  completed_at: null
})
