import { formatMinute, type Timestamp } from "../../domain/kernel/Timestamp.ts"
import { makeSingleEvent, type TriggerEvent } from "../../domain/triggers/Trigger.ts"
import type { ApprovalRow } from "./Repo.ts"

const maxTextLength = 300

const makeEvent = ({ id, project_id, summary }: ApprovalRow, at: Timestamp, detail: string): TriggerEvent =>
  makeSingleEvent({
    project_id,
    trigger: "approval.requested",
    condition: id,
    subject: { type: "approval", id, name: summary.slice(0, maxTextLength).toWellFormed() }
  }, { occurred_at: at, detail })

/** Does not name the person who asks: people outside of the project may read a channel. Members see it in the activity feed. */
export const requestedEvent = (row: ApprovalRow): TriggerEvent =>
  makeEvent(
    row,
    row.created_at,
    `Another admin approves or rejects it before ${formatMinute(row.expires_at)} (approval ${row.id}).`
  )

/** What the inbox's messages of a request have in common, by which its end finds them. */
export const requestNoticeOf = ({ id, kind, project_id }: ApprovalRow) => ({
  project_id,
  trigger: "approval.requested",
  data: { approval_id: id, kind }
})

/** Ends the alert of the request. */
export const decidedEvent = (row: ApprovalRow, status: string, at: Timestamp): TriggerEvent => ({
  ...makeEvent(row, at, `It was ${status}.`),
  recovered: true
})
