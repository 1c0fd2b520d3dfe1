/** The counts that callers see of a sum. */
import type { EncodedCell } from "../../../domain/tasks/Rollup/Contribution.ts"
import { percentilesOf } from "../../../domain/tasks/Rollup/Histogram.ts"

/** A sum of changes is negative only after events of a task that expired or overflowed; it shows as 0. */
export const atLeastZero = (count: number): number => Math.max(0, count)

export const countsOf = (totals: EncodedCell) => {
  const counts = {
    received: atLeastZero(totals.received),
    success: atLeastZero(totals.success),
    failure: atLeastZero(totals.failure),
    retry: atLeastZero(totals.retry),
    revoked: atLeastZero(totals.revoked),
    rejected: atLeastZero(totals.rejected)
  }
  return {
    ...counts,
    total: counts.success + counts.failure + counts.retry + counts.revoked + counts.rejected,
    avg_runtime_ms: totals.runtime_count > 0
      ? atLeastZero(Math.round(totals.runtime_sum / totals.runtime_count))
      : null,
    runtime_ms: percentilesOf(totals.runtimes),
    wait_ms: percentilesOf(totals.waits)
  }
}

export const failureRateOf = ({ failure, success }: Pick<EncodedCell, "failure" | "success">): number => {
  const ended = atLeastZero(failure) + atLeastZero(success)
  return ended === 0 ? 0 : Number((atLeastZero(failure) / ended).toFixed(4))
}

/** The total counts every end of an attempt. */
export const endedOf = ({ retry, total }: { readonly retry: number; readonly total: number }): number => total - retry
