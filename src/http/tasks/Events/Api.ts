import { HttpApiEndpoint } from "@effect/platform"
import { Access } from "../../../domain/kernel/Access.ts"
import { EventList } from "../../../domain/tasks/Task.ts"
import { ListEvents } from "../../../domain/tasks/Task/Filter.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

/** A task's timeline (bodies: events). */
export class EventsApi extends projectGroup("events", "Tasks")
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
{}
