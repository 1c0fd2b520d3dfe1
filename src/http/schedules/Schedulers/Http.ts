import { Effect } from "effect"
import { ScheduleFleet } from "../../../services/schedules/Fleet.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup(
  "schedulers",
  Effect.fnUntraced(function*(handlers) {
    const fleet = yield* ScheduleFleet
    return handlers.handle("list", () => fleet.list())
  })
)
