import { HttpApiBuilder, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { type Command, commandText } from "../../domain/Command.ts"
import { Commands } from "../../services/Commands.ts"
import { Api } from "../Api.ts"
import { limitApplied } from "../LimitApplied.ts"
import { withOverrides } from "./Overrides.ts"

/** Answers are spliced from the stored JSON texts, so that agents' numbers keep their digits. */
const json = (text: string, status = 200) => HttpServerResponse.text(text, { status, contentType: "application/json" })

const shown = Effect.map((command: Command) => json(commandText(command)))

const accepted = Effect.map((command: Command) => json(commandText(command), 202))

export const layer = HttpApiBuilder.group(Api, "commands", Effect.fnUntraced(function*(handlers) {
  const commands = yield* Commands
  const saysLimit = yield* limitApplied
  return handlers
    .handle("list", ({ urlParams: { cursor = null, limit = null, status = null } }) =>
      Effect.map(commands.list({ cursor, limit, status }), ({ items, next_cursor }) =>
        saysLimit({ limit }, json(`{"items":[${items.map(commandText).join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`))))
    .handle("get", ({ path }) => shown(commands.get(path.command_id)))
    .handle("cancel", ({ path }) => shown(commands.cancel(path.command_id)))
    .handle("retryTask", ({ payload, request }) =>
      Effect.orDie(request.text).pipe( // the payload was decoded from it
        Effect.flatMap((body) => withOverrides(payload, body)),
        Effect.flatMap(commands.retryTask),
        accepted
      ))
    .handle("cancelTask", ({ payload }) => accepted(commands.cancelTask(payload)))
    .handle("requeueDeadLetter", ({ payload }) => accepted(commands.requeueDeadLetter(payload)))
    .handle("bulkRetry", ({ payload }) => accepted(commands.bulkRetry(payload)))
    .handle("purgeQueue", ({ payload }) => accepted(commands.purgeQueue(payload)))
    .handle("restartWorker", ({ payload }) => accepted(commands.restartWorker(payload)))
    .handle("poolResize", ({ payload }) => accepted(commands.poolResize(payload)))
    .handle("addConsumer", ({ payload }) => accepted(commands.addConsumer(payload)))
    .handle("cancelConsumer", ({ payload }) => accepted(commands.cancelConsumer(payload)))
    .handle("rateLimit", ({ payload }) => accepted(commands.rateLimit(payload)))
}))
