import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Access } from "../../../domain/kernel/Access.ts"
import { EventList } from "../../../domain/tasks/Task.ts"
import { ListEvents } from "../../../domain/tasks/Task/Filter.ts"
import { ProvideActor, ProvideProject } from "../../Access.ts"
import { inChapter, operation } from "../../Docs/Tags.ts"
import { slug } from "../../ProjectPath.ts"

/** A task's timeline (bodies: events). */
export class EventsApi extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/events`
      .setUrlParams(ListEvents)
      .addSuccess(EventList)
      .annotate(Access, { caller: "viewer", scope: "tasks:read" })
      .annotateContext(operation(
        "List a task's events",
        "Its timeline, earliest first. An unknown task has an empty list, because a client may ask before " +
          "the first event arrives."
      ))
  )
  .middleware(ProvideProject)
  .middleware(ProvideActor)
  .annotateContext(inChapter("Tasks"))
{}
