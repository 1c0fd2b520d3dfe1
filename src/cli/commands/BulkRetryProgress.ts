import { Clock, Console, Effect } from "effect"
import type { BulkRetryRequestPublic } from "../../domain/commands/BulkRetry.ts"
import { TaskOutcome } from "../../domain/commands/BulkRetry/TaskOutcome.ts"
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
  const { control_state, counts, finished_at, outcomes } = request
  const ended = endedOf(request)
  const share = counts.total === 0 ? 100 : Math.floor((100 * ended) / counts.total)
  const speed = now > start.at ? ((ended - start.ended) / (now - start.at)) * 1000 : 0
  const left = speed > 0 ? Math.ceil((counts.total - ended) / speed) : null
  const parts = [
    `${ended} of ${counts.total} (${share} %)`,
    `retried ${counts.succeeded}`,
    ...(outcomes === null || outcomes.failed === 0 ? [] : [`failed again ${outcomes.failed}`]),
    ...(counts.failed === 0 ? [] : [`not retried ${counts.failed}`]),
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

export const outcomeNames: Readonly<Record<TaskOutcome, string>> = {
  succeeded: "succeeded",
  failed: "failed again",
  waiting: "waiting",
  cancelled: "cancelled",
  unknown: "unknown"
}

/** What became of the retried tasks, as far as there are some. */
export const formatOutcomes = ({ outcomes }: BulkRetryRequestPublic): string | null => {
  const parts = TaskOutcome.literals.flatMap((outcome) => {
    const count = outcomes?.[outcome] ?? 0
    return count === 0 ? [] : [`${count} ${outcomeNames[outcome]}`]
  })
  return parts.length === 0 ? null : parts.join(", ")
}

/** Says on standard error how many tasks failed again so far. It changes no exit code: they were retried. */
export const reportFailedAgain = ({ id, outcomes }: BulkRetryRequestPublic): Effect.Effect<void> =>
  outcomes === null || outcomes.failed === 0
    ? Effect.void
    : Console.error(`svc: ${outcomes.failed} retried tasks failed again: svc bulk-retry items ${id} --outcome failed`)

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
