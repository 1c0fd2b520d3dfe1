import { HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Access } from "../../../domain/kernel/Access.ts"
import { Fleet } from "../../../domain/schedules/Schedule/Fleet.ts"
import { ProvideActor } from "../../Access.ts"
import { inChapter, operation } from "../../Docs/Tags.ts"

/** The schedulers themselves (bodies: schedulers). */
export class SchedulersApi extends HttpApiGroup.make("schedulers")
  .add(
    HttpApiEndpoint.get("list", "/schedulers")
      .addSuccess(Fleet)
      .annotate(Access, { caller: "authenticated", scope: "schedules:read" })
      .annotateContext(operation(
        "List schedulers",
        "The service's own, and those of engines in the caller's projects, with what is wrong with each."
      ))
  )
  .middleware(ProvideActor)
  .annotateContext(inChapter("Schedules"))
{}
