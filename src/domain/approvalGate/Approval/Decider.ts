import type { UserId } from "../../kernel/Id.ts"
import { addSeconds, secondsPerDay, type Timestamp } from "../../kernel/Timestamp.ts"

/** An active account that may decide in a project, and since when each of its reasons holds. */
export interface Decider {
  readonly user_id: UserId
  /** Since when the account is its person's own: it was created or activated, or another person set its password. */
  readonly account_since: Timestamp
  /** Since when it is a global admin; null: it is none. */
  readonly admin_since: Timestamp | null
  /** Since when it is an admin of the project; null: it is none. */
  readonly member_since: Timestamp | null
  /** When the operator of the brain's machine vouched for its person. */
  readonly vouched_at: Timestamp | null
}

/** Since when the account decides in the project: by its older role, and not before it was its person's own. */
export const decidesSince = ({ account_since, admin_since, member_since }: Decider): Timestamp => {
  const roles = [admin_since, member_since].filter((since) => since !== null)
  const [role = account_since] = roles.sort()
  return role < account_since ? account_since : role
}

/** Whether the operator of the brain's machine vouched for the account as it is now. */
export const isVouchedFor = (decider: Decider): boolean =>
  decider.vouched_at !== null && decider.vouched_at >= decidesSince(decider)

/** Whether the account may approve what was requested then: who asked must not have made the second person. */
export const canApprove = (decider: Decider, requestedAt: Timestamp, minDays: number): boolean =>
  isVouchedFor(decider) || decidesSince(decider) <= addSeconds(requestedAt, -minDays * secondsPerDay)
