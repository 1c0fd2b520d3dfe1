import { Clock, Console, Effect, Schedule } from "effect"
import type { BulkRetryRequestPublic } from "../domain/BulkRetry.ts"
import { CliError, OutcomeUnknown } from "./Explain.ts"
import { reportInterrupt } from "./Issue.ts"
import { type ApiError, type DecodedResponse, isTransient, type Remote } from "./Remote.ts"

type Answer = DecodedResponse<BulkRetryRequestPublic>

/** Between two looks at the request. */
const pause = "500 millis"

/** Where standard error is no terminal, a line at most this often. */
const linePauseMillis = 5000

const endedOf = ({ counts }: BulkRetryRequestPublic): number => counts.total - counts.pending - counts.claimed

/** A request as it was first seen, for its speed. */
interface Start {
  readonly ended: number
  readonly at: number
}

/** How far a request is, in one line. */
export const formatProgress = (request: BulkRetryRequestPublic, start: Start, now: number): string => {
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

/** Shows the progress on standard error, until `isLast`; returns the last answer. */
export const watchProgress = (
  { api, slug }: Remote,
  first: Answer,
  isLast: (request: BulkRetryRequestPublic) => boolean
): Effect.Effect<Answer, ApiError> =>
  Effect.gen(function*() {
    const { id } = first[0]
    const isTerminal = process.stderr.isTTY
    const start: Start = { ended: endedOf(first[0]), at: yield* Clock.currentTimeMillis }
    let printed = { line: "", at: 0 }
    const print = (request: BulkRetryRequestPublic) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const line = formatProgress(request, start, now)
        const isEnd = isLast(request)
        const isDue = isEnd || now - printed.at >= linePauseMillis
        const isKnown = line === printed.line
        if (isTerminal ? isKnown && !isEnd : isKnown || !isDue) return
        if (isTerminal) process.stderr.write(`\r${line}\u001b[K${isEnd ? "\n" : ""}`)
        else yield* Console.error(line)
        printed = { line, at: now }
      })
    const look = api.bulk_retries.get({ path: { slug, request_id: id }, withResponse: true }).pipe(
      Effect.retry({ while: isTransient, schedule: Schedule.spaced("1 second") })
    )
    let answer = first
    yield* print(answer[0])
    while (!isLast(answer[0])) {
      answer = yield* Effect.delay(look, pause)
      yield* print(answer[0])
    }
    return answer
  }).pipe(
    Effect.onInterrupt(() =>
      reportInterrupt(
        new OutcomeUnknown({
          message: `stopped watching; the bulk retry goes on. svc bulk-retry show ${first[0].id} --watch shows it`
        })
      )
    )
  )

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
