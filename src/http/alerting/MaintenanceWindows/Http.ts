import { MaintenanceWindows } from "../../../services/alerting/MaintenanceWindows.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("maintenance_windows", function*(handlers) {
  const windows = yield* MaintenanceWindows
  return handlers
    .handle("list", () => windows.list())
    .handle("create", ({ payload }) => windows.create(payload))
    .handle("update", ({ path, payload }) => windows.update(path.window_id, payload))
    .handle("remove", ({ path }) => windows.remove(path.window_id))
})
