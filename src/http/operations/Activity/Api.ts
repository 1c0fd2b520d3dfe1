import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { ActivityList, ListActivity } from "../../../domain/audit/Activity.ts"
import { Access } from "../../../domain/kernel/Access.ts"
import { ProvideActor } from "../../Access.ts"
import { inChapter, operation } from "../../Docs/Tags.ts"

/** The activity feed (interface, Activity feed; bodies: activity). */
export class ActivityApi extends HttpApiGroup.make("activity")
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
  .middleware(ProvideActor)
  .annotateContext(inChapter("Audit"))
{}
