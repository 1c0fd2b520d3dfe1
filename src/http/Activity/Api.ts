import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Access } from "../../domain/Access.ts"
import { ActivityList, ListActivity } from "../../domain/Activity.ts"
import { Authenticated } from "../Access.ts"

/** The activity feed (interface, Activity feed; bodies: activity). */
export class ActivityApi extends HttpApiGroup.make("activity")
  .add(
    HttpApiEndpoint.get("list", "/activity")
      .setUrlParams(ListActivity)
      .addSuccess(ActivityList)
      .annotate(Access, { caller: "authenticated", scope: "audit:read", bucket: "activity" })
  )
  .middleware(Authenticated)
{}
