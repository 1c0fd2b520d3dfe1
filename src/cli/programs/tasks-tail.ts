import type * as Sse from "@effect/experimental/Sse"
import { Console, Effect, type Option, Schema } from "effect"
import { Refused } from "../Explain.ts"
import { followStream } from "../LiveStream.ts"
import { withRemote } from "../Remote.ts"
import { formatState } from "../Table.ts"
import { escapeText, escapeJson } from "../TerminalText.ts"

/** What is shown of a changed task. */
const ChangedTask = Schema.parseJson(Schema.Struct({
  engine: Schema.String,
  task_id: Schema.String,
  name: Schema.String,
  queue: Schema.NullOr(Schema.String),
  state: Schema.String,
  runtime_ms: Schema.NullOr(Schema.Number),
  updated_at: Schema.String
}))

const lineOf = ({ engine, name, queue, runtime_ms, state: now, task_id, updated_at }: typeof ChangedTask.Type): string =>
  [
    escapeText(updated_at),
    formatState(now, 8),
    escapeText(engine),
    escapeText(name),
    escapeText(task_id),
    ...(queue === null ? [] : [escapeText(queue)]),
    ...(runtime_ms === null ? [] : [`${runtime_ms} ms`])
  ].join("  ")

const printChange = (json: boolean) => ({ data, event }: Sse.Event) => {
  if (event === "reset") return Console.error("too much changed at once: some changes are not shown")
  if (event !== "task") return Effect.void
  return Schema.decode(ChangedTask)(data).pipe(
    Effect.mapError(() => new Refused({ message: "the brain's live stream is not one that this svc can read; their versions differ" })),
    Effect.flatMap((task) => Console.log(json ? escapeJson(data) : lineOf(task)))
  )
}

export const run = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  withRemote(project, (remote) => followStream(remote, printChange(json)))
