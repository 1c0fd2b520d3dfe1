import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { orFail } from "../kernel/sql/Rows.ts"

/** The schedule that was found; fails where there is none. */
export const orNotFound = orFail(new NotFound({ resource: "schedule" }))

export const nameTaken = (scheduler: string, name: string) =>
  new Conflict({
    code: "schedule_name_taken",
    detail: `The scheduler ${scheduler} has a schedule "${name}" in this project. Choose another name.`
  })

/** The definition of an externally owned schedule is its owner's; the brain only shows it. */
export const externallyOwned = (schedule: Schedule, verb: string) =>
  new Conflict({
    code: "schedule_externally_owned",
    detail: `${schedule.scheduler} owns and fires the schedule "${schedule.name}", so the brain cannot ${verb} it. ${
      verb === "update" ? "Change it through native-operations, if its scheduler takes changes." : "Disable it instead."
    }`
  })

/** The refusal of an operation on an older view. */
export const staleToken = new Conflict({
  code: "stale_control_token",
  detail: "The schedule has changed since its control token was read. Look at it again, then decide."
})
