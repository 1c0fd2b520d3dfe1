import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { AgentId, caseInsensitiveId } from "../kernel/Id.ts"
import { wholeNumber } from "../kernel/Query.ts"
import { text, toStorable } from "../kernel/Text.ts"
import * as Timestamp from "../kernel/Timestamp.ts"

/** The most entries of a page (the agents' protocol, section 5.2). */
export const maxDeadLetters = 200

/** Characters of an agent's own cursor. */
const maxCursorLength = 200

/** A failed task that its engine keeps (bodies: DeadLetterEntry). */
export const DeadLetterEntry = Schema.Struct({
  task_id: describeField(Schema.String, "The engine's own id of the task.", "a3f1c2d4-5b6e-4f70-8a91-b2c3d4e5f607"),
  task_name: describeField(Schema.String, "The task's name; empty: the engine does not know it.", "shop.pay"),
  queue: describeField(Schema.String, "Its queue.", "default"),
  failed_at: describeField(Schema.NullOr(Timestamp.Timestamp), "When it failed.", exampleTime),
  error_excerpt: describeField(
    Schema.String,
    "The beginning of its error, at most 512 characters, with secrets masked.",
    "ValueError: no such order"
  ),
  attempts: describeField(Schema.NullOr(Schema.Int), "How often it was tried.", 3)
}).annotations(describeBody("DeadLetter", "A failed task that its engine keeps."))
export type DeadLetterEntry = typeof DeadLetterEntry.Type

/** Dead letters of one agent's engine (bodies: DeadLetterPage). */
export const DeadLetterPage = Schema.Struct({
  engine: describeField(Schema.String, "The engine.", "rq"),
  agent_id: describeField(AgentId, "The agent that returned the page; requeue through it.", exampleId),
  entries: describeField(Schema.Array(DeadLetterEntry), "The dead letters, in the agent's order."),
  next_cursor: describeField(
    Schema.NullOr(Schema.String),
    "`cursor` of the next page of the same agent; null on the last one.",
    "WyJkZWFkLWxldHRlcnMiLCIwMTk5YzBkZSIsIjEwMCJd"
  ),
  total: describeField(Schema.NullOr(Schema.Int), "How many there are; null: the agent does not say.", 1)
}).annotations(describeBody("DeadLetterPage", "A page of dead letters, as the engine has them now."))
export type DeadLetterPage = typeof DeadLetterPage.Type

/** The query of `GET /projects/{slug}/dead-letters`. */
export const ListDeadLetters = Schema.Struct({
  engine: describeField(text(40, 1), "The engine.", "rq"),
  queue: describeField(Schema.optional(text(200)), "One queue; without it all queues of the agent.", "default"),
  agent_id: describeField(
    Schema.optional(caseInsensitiveId(AgentId)),
    "The agent to ask; without it the one that sent the newest message.",
    exampleId
  ),
  limit: describeField(Schema.optional(wholeNumber(1, maxDeadLetters)), "Entries of a page.", 100),
  cursor: describeField(Schema.optional(Schema.String), "`next_cursor` of the page before.", "WyJkZWFkLWxldHRlcnMiXQ")
})
export type ListDeadLetters = typeof ListDeadLetters.Type

/** An agent's result of `dlq.list`; each field may be missing or invalid. */
const ListResult = Schema.parseJson(Schema.Struct({
  entries: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  next_cursor: Schema.optional(Schema.Unknown),
  total: Schema.optional(Schema.Unknown)
}))

const decodeResult = Schema.decodeUnknownOption(ListResult)

const isCount = Schema.is(Schema.NonNegativeInt)

const textOf = (value: unknown, most: number): string => (typeof value === "string" ? toStorable(value, most) : "")

/** A truncated task id would name another task, so such an entry is left out, like one without an id. */
const parseEntry = (entry: Readonly<Record<string, unknown>>, queue: string | null): ReadonlyArray<DeadLetterEntry> => {
  const task_id = textOf(entry["task_id"], 201)
  if (task_id === "" || task_id.length > 200) return []
  return [{
    task_id,
    task_name: textOf(entry["task_name"], 500),
    queue: textOf(entry["queue"], 200) || (queue ?? "unknown"),
    failed_at: Timestamp.parse(textOf(entry["failed_at"], 100)) ?? null,
    error_excerpt: textOf(entry["error_excerpt"], 512),
    attempts: isCount(entry["attempts"]) ? entry["attempts"] : null
  }]
}

/** The page that an agent's result has; none when the result has no list of entries. `queue` is the queue asked for. */
export const parseDeadLetters = (result: string, queue: string | null) => {
  const decoded = decodeResult(result)
  if (decoded._tag === "None") return null
  const { entries, next_cursor, total } = decoded.value
  const isCursor = typeof next_cursor === "string" && next_cursor !== "" && next_cursor.length <= maxCursorLength
  return {
    entries: entries.slice(0, maxDeadLetters).flatMap((entry) => parseEntry(entry, queue)),
    next_cursor: isCursor ? next_cursor : null,
    total: isCount(total) ? total : null
  }
}
