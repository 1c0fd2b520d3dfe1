import { HttpApiEndpoint } from "@effect/platform"
import { ActivityList, ListActivity } from "../../../domain/audit/Activity.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

/** The activity feed (interface, Activity feed; bodies: activity). */
export class ActivityApi extends actorGroup("activity", "Audit")
  .add(
    HttpApiEndpoint.get("list", "/activity")
      .setUrlParams(ListActivity)
      .addSuccess(ActivityList)
      .annotate(Access, { caller: "authenticated", scope: "audit:read", bucket: "activity" })
      .annotateContext(operation(
        "Follow the activity feed",
        "Rows of the audit log, newest first. A global admin sees every row, others see those of their " +
          "projects. With `since_cursor` alone it returns the oldest of the newer rows, so that a client that " +
          "repeats it with `newest_cursor` sees each row once."
      ))
  )
{}
