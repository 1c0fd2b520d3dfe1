import { ScheduleFleet } from "../../../services/schedules/Fleet.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("schedulers", function*(handlers) {
  const fleet = yield* ScheduleFleet
  return handlers.handle("list", () => fleet.list())
})
