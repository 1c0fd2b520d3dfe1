import { HttpApiEndpoint } from "@effect/platform"
import { Access } from "../../../domain/kernel/Access.ts"
import { Fleet } from "../../../domain/schedules/Schedule/Fleet.ts"
import { operation } from "../../Docs/Tags.ts"
import { actorGroup } from "../../Groups.ts"

/** The schedulers themselves (bodies: schedulers). */
export class SchedulersApi extends actorGroup("schedulers", "Schedules")
  .add(
    HttpApiEndpoint.get("list", "/schedulers")
      .addSuccess(Fleet)
      .annotate(Access, { caller: "authenticated", scope: "schedules:read" })
      .annotateContext(operation(
        "List schedulers",
        "The service's own, and those of engines in the caller's projects, with what is wrong with each."
      ))
  )
{}
