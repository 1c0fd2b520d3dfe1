import { HttpRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Stream } from "effect"
import { decodeChangePosition } from "../../../domain/tasks/LiveTask.ts"
import { currentPerson, CurrentProject } from "../../../services/kernel/CurrentActor.ts"
import { NodeServer } from "../../../services/kernel/NodeServer.ts"
import { LiveTasks } from "../../../services/tasks/LiveTasks.ts"
import { ruleOf } from "../../AccessRules.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { makeAccessWatch } from "./AccessWatch.ts"
import { streamEndpoint } from "./Api.ts"
import { makeInboxEvents } from "./InboxEvents.ts"
import { makeSlots } from "./Slots.ts"

/** Node sends the headers with the first byte of the body. */
const firstComment = new TextEncoder().encode(": welcome\n\n")

/** A stream whose access has ended closes after its last event. A reader that does not take it is disconnected after this time. */
const closeGracePeriod = "5 seconds"

export const layer = implementGroup("stream", function*(handlers) {
  const live = yield* LiveTasks
  const { awaitClosing } = yield* NodeServer
  const takeSlot = yield* makeSlots
  const inboxEvents = yield* makeInboxEvents
  const watchAccess = yield* makeAccessWatch(ruleOf(streamEndpoint, streamEndpoint.annotations))
  return handlers.handleRaw("stream", ({ request }) =>
    Effect.gen(function*() {
      const project = yield* CurrentProject
      const person = yield* currentPerson
      const { params } = yield* HttpRouter.RouteContext
      const lastEventId = (yield* HttpServerRequest.HttpServerRequest).headers["last-event-id"]
      yield* takeSlot(person.user_id)
      const accessEnded = yield* watchAccess(request, params, person, project.id)
      const response = NodeHttpServerRequest.toServerResponse(request)
      yield* accessEnded.pipe(
        Effect.zipRight(Effect.sleep(closeGracePeriod)),
        Effect.zipRight(Effect.sync(() => response.destroy())),
        Effect.interruptible,
        Effect.forkScoped
      )
      const batches = live.batches(
        project.id,
        lastEventId === undefined ? null : decodeChangePosition(lastEventId),
        Effect.raceFirst(awaitClosing, accessEnded)
      )
      const events = Stream.merge(
        Stream.map(batches, (batch) => batch.encoded),
        inboxEvents(person),
        { haltStrategy: "left" }
      )
      return HttpServerResponse.stream(Stream.concat(Stream.succeed(firstComment), events), {
        contentType: "text/event-stream",
        headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
      })
    }))
})
