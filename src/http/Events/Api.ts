import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Access } from "../../domain/Access.ts"
import { ListEvents } from "../../domain/Task/Filter.ts"
import { EventList } from "../../domain/Task.ts"
import { Authenticated, InProject } from "../Access.ts"
import { slug } from "../Projects/Api.ts"

/** A task's timeline (bodies: events). */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/events`
      .setUrlParams(ListEvents)
      .addSuccess(EventList)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
  )
  .middleware(InProject)
  .middleware(Authenticated)
{}
