import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Stream } from "effect"
import { decodePosition } from "../../domain/LiveTask.ts"
import { CurrentActor, CurrentProject } from "../../services/CurrentActor.ts"
import { Hints } from "../../services/Database.ts"
import { type LiveMessage, LiveTasks } from "../../services/LiveTasks.ts"
import { NodeServer } from "../../services/NodeServer.ts"
import { Api } from "../Api.ts"
import { Authorize } from "../middleware/Authorize.ts"

/** Proxies cut idle connections; and so often at least the right to see is asked again. */
const pulse = "15 seconds"

const render = (message: LiveMessage): string =>
  message.kind === "task"
    ? `id: ${message.id}\nevent: task\ndata: ${JSON.stringify(message.task)}\n\n`
    : `id: ${message.id}\nevent: reset\ndata: {}\n\n`

export const layer = HttpApiBuilder.group(Api, "stream", Effect.fnUntraced(function*(handlers) {
  const live = yield* LiveTasks
  const authorize = yield* Authorize
  const hints = yield* Hints
  return handlers.handleRaw("stream", ({ request }) =>
    Effect.gen(function*() {
      const project = yield* CurrentProject
      const { params } = yield* HttpRouter.RouteContext
      const sent = (yield* HttpServerRequest.HttpServerRequest).headers["last-event-id"]
      const changes = Stream.map(live.stream(project.id, sent === undefined ? null : decodePosition(sent)), render)
      // ends the stream when the session, the key, the membership or the project is gone: at once when that is told
      const actor = yield* CurrentActor
      const told = Stream.filter(hints.subscribe("access"), (id) =>
        id === project.id || (actor.kind === "person" && id === actor.user_id))
      const pulses = Stream.mapEffect(Stream.merge(Stream.tick(pulse), told), () =>
        Effect.as(authorize.stillGranted({ caller: "viewer", scope: "tasks:read" }, request, params), ": still here\n\n"))
      const { closing } = yield* NodeServer
      const text = Stream.merge(changes, pulses, { haltStrategy: "either" }).pipe(
        Stream.catchAll(() => Stream.empty),
        Stream.interruptWhen(closing),
        Stream.encodeText
      )
      return HttpServerResponse.stream(text, {
        contentType: "text/event-stream",
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
      })
    }))
}))
