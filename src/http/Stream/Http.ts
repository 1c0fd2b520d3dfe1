import { HttpApiBuilder, HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import type { Rule } from "../../domain/Access.ts"
import { decodePosition } from "../../domain/LiveTask.ts"
import { CurrentProject, currentPerson } from "../../services/CurrentActor.ts"
import { LiveTasks } from "../../services/LiveTasks.ts"
import { NodeServer } from "../../services/NodeServer.ts"
import { Api } from "../Api.ts"
import { makeSlots } from "./Slots.ts"
import { stalled } from "./Stalled.ts"
import { makeViewers } from "./Viewers.ts"

const rule: Rule = { caller: "viewer", scope: "tasks:read" }

/** A response needs a first byte to be sent at all. */
const greeting = new TextEncoder().encode(": welcome\n\n")

/** A stream whose access ended is closed after its last event; a reader that does not take that is cut after this. */
const grace = "5 seconds"

export const layer = HttpApiBuilder.group(Api, "stream", Effect.fnUntraced(function*(handlers) {
  const live = yield* LiveTasks
  const { closing } = yield* NodeServer
  const takeSlot = yield* makeSlots
  const watchAccess = yield* makeViewers(rule)
  return handlers.handleRaw("stream", ({ request }) =>
    Effect.gen(function*() {
      const project = yield* CurrentProject
      const person = yield* currentPerson
      const { params } = yield* HttpRouter.RouteContext
      const sent = (yield* HttpServerRequest.HttpServerRequest).headers["last-event-id"]
      yield* takeSlot(person.user_id)
      const accessEnded = yield* watchAccess(request, params, person, project.id)
      const response = NodeHttpServerRequest.toServerResponse(request)
      yield* Effect.raceFirst(stalled(response), Effect.zipRight(accessEnded, Effect.sleep(grace))).pipe(
        Effect.zipRight(Effect.sync(() => response.destroy())),
        Effect.interruptible,
        Effect.forkScoped
      )
      const looks = live.looks(project.id, sent === undefined ? null : decodePosition(sent), Effect.raceFirst(closing, accessEnded))
      const text = Stream.concat(Stream.succeed(greeting), Stream.map(looks, (look) => look.text))
      return HttpServerResponse.stream(text, {
        contentType: "text/event-stream",
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
      })
    }))
}))
