/** What follows from a change of a schedule that the service fires. Pure. */
import * as Either from "effect/Either"
import type { ValidationFailed } from "../../kernel/Errors.ts"
import type { Timestamp } from "../../kernel/Timestamp.ts"
import type { Schedule } from "../Schedule.ts"
import { hasSameCadence } from "./Definition.ts"
import { compileSchedule, cursorAfter } from "./Plan.ts"
import { isAboutDefinition, noQuarantine } from "./Recovery.ts"

/** What an enabled schedule starts from: ticks until now are past, and failures until now do not count. */
export const enableFrom = (schedule: Schedule, now: Timestamp) =>
  Either.map(compileSchedule(schedule), (cadence) => ({
    is_enabled: true,
    enabled_at: now,
    ...cursorAfter(schedule, cadence, now)
  }))

/**
 * The further fields of a schedule that becomes `changed`. A changed cadence, or enabling, begins with the next tick
 * after now. So does a schedule in quarantine for its definition: that it compiles here ends the quarantine.
 */
export const followChange = (
  before: Schedule,
  changed: Schedule,
  now: Timestamp
): Either.Either<Partial<Schedule>, ValidationFailed> => {
  const isSound = isAboutDefinition(before.quarantine_code)
  const isEnabling = changed.is_enabled && !before.is_enabled
  if (hasSameCadence(before, changed) && !isEnabling && !isSound) return Either.right({})
  return Either.map(compileSchedule(changed), (cadence) => ({
    ...(isSound && noQuarantine),
    ...cursorAfter(changed, cadence, now),
    ...(isEnabling && { enabled_at: now })
  }))
}
