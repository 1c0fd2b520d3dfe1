import { Effect } from "effect"
import { type Command, commandJson } from "../../../domain/commands/Command.ts"
import { hidePayload } from "../../../domain/commands/Command/HiddenPayload.ts"
import { Commands } from "../../../services/commands/Commands.ts"
import { canReadPayload } from "../../../services/kernel/CurrentActor.ts"
import { exactMember, readExactBody } from "../../ExactJson.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithJsonText } from "../../JsonText.ts"
import { makeLimitHeader } from "../../LimitHeader.ts"

/**
 * Writes commands from the stored JSON texts, so that agents' numbers keep their digits; arguments as `payload_role`
 * allows.
 */
const makeWriter = Effect.map(
  canReadPayload,
  (hasPayload) => (command: Command): string => commandJson(hasPayload ? command : hidePayload(command))
)

const respondWith = (status: number) =>
  Effect.flatMap((command: Command) => Effect.map(makeWriter, (write) => respondWithJsonText(write(command), status)))
const respondWithCommand = respondWith(200)
const respondAccepted = respondWith(202)

export const layer = implementGroup("commands", function*(handlers) {
  const commands = yield* Commands
  const withLimitHeader = yield* makeLimitHeader
  return handlers
    .handle(
      "list",
      ({ urlParams: { cursor = null, engine, id = null, limit = null, status = null, task_id } }) => {
        const task = engine === undefined || task_id === undefined ? null : { engine, task_id }
        return Effect.map(
          Effect.all([commands.list({ cursor, idPart: id, limit, status, task }), makeWriter]),
          ([{ items, next_cursor }, write]) =>
            withLimitHeader(
              { limit },
              respondWithJsonText(
                `{"items":[${items.map(write).join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`
              )
            )
        )
      }
    )
    .handle("get", ({ path }) => respondWithCommand(commands.get(path.command_id)))
    .handle("cancel", ({ path }) => respondWithCommand(commands.cancel(path.command_id)))
    .handle("retryTask", ({ payload, request }) =>
      (payload.override_args === null
        ? Effect.succeed({ override_args: null, override_kwargs: null })
        : Effect.map(readExactBody(request), (body) => ({
          override_args: exactMember(body, "override_args"),
          override_kwargs: exactMember(body, "override_kwargs")
        }))).pipe(
          Effect.flatMap((overrides) => commands.retryTask({ ...payload, ...overrides })),
          respondAccepted
        ))
    .handle("cancelTask", ({ payload }) => respondAccepted(commands.cancelTask(payload)))
    .handle("requeueDeadLetter", ({ payload }) => respondAccepted(commands.requeueDeadLetter(payload)))
    .handle("bulkRetry", ({ payload }) => respondAccepted(commands.bulkRetry(payload)))
    .handle("purgeQueue", ({ payload }) => respondAccepted(commands.purgeQueue(payload)))
    .handle("pauseQueue", ({ payload }) => respondAccepted(commands.pauseQueue(payload)))
    .handle("resumeQueue", ({ payload }) => respondAccepted(commands.resumeQueue(payload)))
    .handle("restartWorker", ({ payload }) => respondAccepted(commands.restartWorker(payload)))
    .handle("poolResize", ({ payload }) => respondAccepted(commands.poolResize(payload)))
    .handle("addConsumer", ({ payload }) => respondAccepted(commands.addConsumer(payload)))
    .handle("cancelConsumer", ({ payload }) => respondAccepted(commands.cancelConsumer(payload)))
    .handle("rateLimit", ({ payload }) => respondAccepted(commands.rateLimit(payload)))
})
