import { Clock, Effect } from "effect"
import type { BulkRetryRequestPublic } from "../../domain/commands/BulkRetry.ts"
import { CliError, OutcomeUnknown } from "../program/Explain.ts"
import type { DecodedResponse, Remote } from "../remote/Remote.ts"
import { watchProgress } from "../remote/WatchProgress.ts"

const endedOf = ({ counts }: BulkRetryRequestPublic): number => counts.total - counts.pending - counts.claimed

/** A request as it was first seen, for its speed. */
interface Start {
  readonly ended: number
  readonly at: number
}

/** How far a request is, in one line. */
const formatProgress = (request: BulkRetryRequestPublic, start: Start, now: number): string => {
  const { control_state, counts, finished_at } = request
  const ended = endedOf(request)
  const share = counts.total === 0 ? 100 : Math.floor((100 * ended) / counts.total)
  const speed = now > start.at ? ((ended - start.ended) / (now - start.at)) * 1000 : 0
  const left = speed > 0 ? Math.ceil((counts.total - ended) / speed) : null
  const parts = [
    `${ended} of ${counts.total} (${share} %)`,
    `succeeded ${counts.succeeded}`,
    ...(counts.failed === 0 ? [] : [`failed ${counts.failed}`]),
    ...(counts.unknown === 0 ? [] : [`unknown ${counts.unknown}`]),
    ...(counts.unobserved === 0 ? [] : [`left out ${counts.unobserved}`])
  ]
  if (finished_at !== null) return parts.join("  ")
  if (control_state !== "running") return [...parts, control_state].join("  ")
  if (left === null) return parts.join("  ")
  return [...parts, `${speed.toFixed(speed < 10 ? 1 : 0)} a second`, `${left} s left`].join("  ")
}

export const hasEnded = ({ finished_at }: BulkRetryRequestPublic): boolean => finished_at !== null

/** It has ended, or is paused and every command that was sent has its outcome. */
export const isQuiet = (request: BulkRetryRequestPublic): boolean =>
  hasEnded(request) || (request.control_state === "paused" && request.counts.claimed === 0)

/** Shows the progress on standard error, until `isLast`; returns the last response. */
export const watchBulkRetry = (
  { api, slug }: Remote,
  first: DecodedResponse<BulkRetryRequestPublic>,
  isLast: (request: BulkRetryRequestPublic) => boolean
) =>
  Effect.gen(function*() {
    const { id } = first[0]
    const start: Start = { ended: endedOf(first[0]), at: yield* Clock.currentTimeMillis }
    return yield* watchProgress(first, {
      read: api.bulk_retries.get({ path: { slug, request_id: id }, withResponse: true }),
      format: (request, nowMillis) => formatProgress(request, start, nowMillis),
      isLast,
      interrupted: `stopped watching; the bulk retry goes on. svc bulk-retry show ${id} --watch shows it`
    })
  })

/** Fails unless every task was retried. */
export const checkOutcome = ({ counts, id, status }: BulkRetryRequestPublic): Effect.Effect<
  void,
  CliError | OutcomeUnknown
> => {
  const hint = `svc bulk-retry items ${id} --status`
  if (status !== "completed") {
    return new CliError({ message: `the bulk retry was ${status}: ${counts.pending} tasks are left` })
  }
  if (counts.failed > 0) return new CliError({ message: `${counts.failed} tasks were not retried: ${hint} failed` })
  return counts.unknown > 0
    ? new OutcomeUnknown({ message: `whether ${counts.unknown} tasks were retried is unknown: ${hint} unknown` })
    : Effect.void
}
