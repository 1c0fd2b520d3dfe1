import { Effect } from "effect"
import type { ControlOperationPublic } from "../../domain/schedules/Schedule/Operation.ts"
import { escapeText } from "../io/TerminalText.ts"
import { CliError, OutcomeUnknown } from "../program/Explain.ts"
import { awaitOutcome } from "../remote/Outcome.ts"
import type { Remote } from "../remote/Remote.ts"

const openStatuses: ReadonlySet<string> = new Set(["pending", "sent", "accepted"])

/** Milliseconds that a snapshot may take which decides about an unknown outcome. */
const snapshotMillis = 15_000

/** The brain ends an operation at its command's timeout. After this time no end is to be expected. */
const longestMillis = 65 * 60_000

const nameOf = ({ operation, schedule_id, source_key }: ControlOperationPublic): string =>
  escapeText(`${operation} of ${source_key} (${schedule_id})`)

/** Waits until the operation has ended. An unknown outcome may still be decided by a snapshot, except that of a trigger. */
export const awaitOperation = ({ api, slug }: Remote, begun: ControlOperationPublic) => {
  let unknownMillis = 0
  const isLast = ({ operation, status }: ControlOperationPublic, pauseMillis: number): boolean => {
    const isOpen = openStatuses.has(status)
    if (!isOpen && (status !== "indeterminate" || operation === "trigger" || unknownMillis >= snapshotMillis)) {
      return true
    }
    unknownMillis = isOpen ? 0 : unknownMillis + pauseMillis
    return false
  }
  const path = { slug, operation_id: begun.id }
  return awaitOutcome(api.schedules.controlOperation({ path, withResponse: true }), {
    isLast,
    longestMillis,
    subject: nameOf(begun)
  })
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
