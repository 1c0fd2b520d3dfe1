import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import {
  MaintenanceWindow,
  MaintenanceWindowCreate,
  MaintenanceWindowUpdate
} from "../../../domain/alerting/Notification/MaintenanceWindow.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, MaintenanceWindowId } from "../../../domain/kernel/Id.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const windowId = pathParameter("window_id", caseInsensitiveId(MaintenanceWindowId), "The window's id.", exampleId)

/** Times in which a project sends no message. */
export class MaintenanceWindowsApi extends projectGroup("maintenance_windows", "Notifications")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/notifications/maintenance-windows`
      .addSuccess(Schema.Array(MaintenanceWindow))
      .annotate(Access, { caller: "viewer", scope: "notifications:read" })
      .annotateContext(operation("List maintenance windows", "The latest start first."))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/notifications/maintenance-windows`
      .setPayload(MaintenanceWindowCreate)
      .addSuccess(MaintenanceWindow, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: "notifications:write",
        mutates: true,
        creates: true,
        failureCodes: ["too_many_maintenance_windows"]
      })
      .annotateContext(operation(
        "Plan a maintenance window",
        "While it lasts, the project's alerts are recorded and no message is sent. Alerts that are still open at its " +
          "end are sent then."
      ))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/notifications/maintenance-windows/${windowId}`
      .setPayload(MaintenanceWindowUpdate)
      .addSuccess(MaintenanceWindow)
      .annotate(Access, {
        caller: "admin",
        scope: "notifications:write",
        mutates: true,
        failureCodes: ["too_many_maintenance_windows"]
      })
      .annotateContext(operation(
        "Change a maintenance window",
        "Absent fields keep their values. A window that has ended begins again with a later end."
      ))
  )
  .add(
    HttpApiEndpoint.del("remove")`/projects/${slug}/notifications/maintenance-windows/${windowId}`
      .addSuccess(HttpApiSchema.NoContent)
      .annotate(Access, { caller: "admin", scope: "notifications:write", mutates: true })
      .annotateContext(operation("Delete a maintenance window", "One that lasts ends at once."))
  )
{}
