import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access } from "../../../domain/kernel/Access.ts"
import { withParameters } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

export const streamEndpoint = HttpApiEndpoint.get("stream")`/projects/${slug}/stream`
  .addSuccess(
    Schema.String.pipe(HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" })).annotations({
      description: "Server-sent events."
    })
  )
  .annotateContext(withParameters({
    in: "header",
    name: "Last-Event-ID",
    description: "The last `id` that arrived, to continue after a break of up to five minutes.",
    example: "WyJzdHJlYW0iXQ"
  }))
  .annotate(Access, { caller: "viewer", scope: "tasks:read", isLive: true, failureCodes: ["rate_limited"] })
  .annotateContext(operation(
    "Follow changed tasks",
    "Server-sent events. `event: task` has one changed task in its newest state, without arguments, " +
      "result and traceback; several changes between two reads are one message. `event: reset` says that " +
      "changes were left out: load the list again. `event: inbox` has the number of unread notifications of the " +
      "caller's inbox after it changed, if the caller may read it. `event: heartbeat` comes after 10 to 15 " +
      "seconds without another event of the project. The stream ends when the caller loses the right to see it."
  ))

/** Live updates by server-sent events (docs/api.md, Live updates). */
export class StreamApi extends projectGroup("stream", "Tasks")
  .add(streamEndpoint)
{}
