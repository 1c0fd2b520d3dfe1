import { Effect, Schedule } from "effect"
import type { ControlOperationPublic } from "../../domain/schedules/Schedule/Operation.ts"
import { reportInterrupt } from "../commands/Issue.ts"
import { escapeText } from "../io/TerminalText.ts"
import { CliError, OutcomeUnknown } from "../program/Explain.ts"
import { isTransient, type Remote } from "../remote/Remote.ts"

const openStatuses: ReadonlySet<string> = new Set(["pending", "sent", "accepted"])

/** Milliseconds that a snapshot may take which decides about an unknown outcome. */
const snapshotMillis = 15_000

/** The brain ends an operation at its command's timeout. After this time no end is to be expected. */
const longestMinutes = 65

const nameOf = ({ operation, schedule_id, source_key }: ControlOperationPublic): string =>
  escapeText(`${operation} of ${source_key} (${schedule_id})`)

/** Polls until the operation has ended, from every 50 ms to every second. Transient failures of the brain are retried. */
export const awaitOperation = ({ api, slug }: Remote, begun: ControlOperationPublic) => {
  const getOperation = api.schedules.controlOperation({
    path: { slug, operation_id: begun.id },
    withResponse: true
  }).pipe(Effect.retry({ while: isTransient, schedule: Schedule.spaced("1 second") }))
  const poll = (pauseMillis: number, unknownMillis: number): typeof getOperation =>
    Effect.flatMap(getOperation, (answer) => {
      const [{ operation, status }] = answer
      const isUnknown = status === "indeterminate" && operation !== "trigger" && unknownMillis < snapshotMillis
      if (!openStatuses.has(status) && !isUnknown) return Effect.succeed(answer)
      const next = Math.min(pauseMillis * 1.5, 1000)
      return Effect.delay(
        Effect.suspend(() => poll(next, isUnknown ? unknownMillis + pauseMillis : 0)),
        pauseMillis
      )
    })
  const unknown = (what: string) => new OutcomeUnknown({ message: `${what} ${nameOf(begun)}` })
  return poll(50, 0).pipe(
    Effect.timeoutFail({
      duration: `${longestMinutes} minutes`,
      onTimeout: () => unknown("the brain did not report in time the outcome of")
    }),
    Effect.onInterrupt(() => reportInterrupt(unknown("stopped waiting for")))
  )
}

/** Fails unless the operation succeeded. */
export const checkOperation = (operation: ControlOperationPublic): Effect.Effect<void, CliError | OutcomeUnknown> => {
  const why = operation.error === null ? "" : `: ${escapeText(operation.error)}`
  switch (operation.status) {
    case "failed":
      return new CliError({ message: `${nameOf(operation)} failed${why}` })
    case "expired":
      return new CliError({ message: `${nameOf(operation)} was never sent${why}` })
    case "indeterminate":
      return new OutcomeUnknown({ message: `the outcome of ${nameOf(operation)} is unknown${why}` })
    default:
      return Effect.void
  }
}
