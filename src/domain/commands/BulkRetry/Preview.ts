import { Schema } from "effect"
import { describeBody, describeField, exampleId } from "../../kernel/Describe.ts"
import { AgentId } from "../../kernel/Id.ts"

/** The most names, and the most exceptions, of a preview; the most frequent ones. */
export const maxGroups = 50

const count = describeField(Schema.Int, "Its tasks.", 12)

export const BulkRetryPreview = Schema.Struct({
  total: describeField(Schema.NonNegativeInt, "Tasks that would be frozen.", 4213),
  capped: describeField(Schema.Boolean, "More tasks match than it would take.", false),
  engines: describeField(
    Schema.Array(
      Schema.Struct({
        engine: describeField(Schema.String, "The engine.", "celery"),
        count,
        agent_id: describeField(
          Schema.NullOr(AgentId),
          "The agent that would retry them now; null: none is connected that can.",
          exampleId
        ),
        note: describeField(Schema.NullOr(Schema.String), "What prevents their retry.", null)
      }).annotations(describeBody("BulkRetryEngine", "Tasks of one engine."))
    ),
    "By engine, most tasks first."
  ),
  names: describeField(
    Schema.Array(
      Schema.Struct({ name: describeField(Schema.String, "The task's name.", "shop.orders.ship"), count })
        .annotations(describeBody("BulkRetryName", "Tasks of one name."))
    ),
    `By name, most tasks first, at most ${maxGroups}.`
  ),
  exceptions: describeField(
    Schema.Array(
      Schema.Struct({
        exception: describeField(Schema.NullOr(Schema.String), "Its type; null: no exception.", "TimeoutError"),
        count
      }).annotations(describeBody("BulkRetryException", "Tasks of one exception type."))
    ),
    `By the type of the exception, most tasks first, at most ${maxGroups}.`
  )
}).annotations(describeBody("BulkRetryPreview", "What a bulk retry would retry."))
export type BulkRetryPreview = typeof BulkRetryPreview.Type

/** The type of an exception's text (`TaskHistory/Exception.ts`): the part before its message. */
export const exceptionTypeOf = (exception: string): string =>
  /^[\w$.]+(?=[:(\n]|$)/.exec(exception)?.[0] ?? exception.split("\n", 1)[0]?.slice(0, 100) ?? ""
