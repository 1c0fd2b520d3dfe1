import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Schedule, Stream } from "effect"
import { decodePosition } from "../../domain/LiveTask.ts"
import { CurrentProject } from "../../services/CurrentActor.ts"
import { type LiveMessage, LiveTasks } from "../../services/LiveTasks.ts"
import { NodeServer } from "../../services/NodeServer.ts"
import { Api } from "../Api.ts"
import { Authorize } from "../middleware/Authorize.ts"

/** Proxies cut idle connections; and so often the right to see is asked again. */
const pulse = "15 seconds"

const render = (message: LiveMessage): string =>
  message.kind === "task"
    ? `id: ${message.id}\nevent: task\ndata: ${JSON.stringify(message.task)}\n\n`
    : `id: ${message.id}\nevent: reset\ndata: {}\n\n`

export const layer = HttpApiBuilder.group(Api, "stream", Effect.fnUntraced(function*(handlers) {
  const live = yield* LiveTasks
  const authorize = yield* Authorize
  return handlers.handleRaw("stream", ({ request }) =>
    Effect.gen(function*() {
      const project = yield* CurrentProject
      const { params } = yield* HttpRouter.RouteContext
      const sent = (yield* HttpServerRequest.HttpServerRequest).headers["last-event-id"]
      const changes = Stream.map(live.stream(project.id, sent === undefined ? null : decodePosition(sent)), render)
      // ends the stream when the session, the key or the membership is gone
      const pulses = Stream.repeatEffectWithSchedule(
        Effect.as(authorize.grant({ caller: "viewer", scope: "tasks:read" }, request, params, "GET /projects/:slug/stream"), ": still here\n\n"),
        Schedule.spaced(pulse)
      )
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
