import type * as Sse from "@effect/experimental/Sse"
import { Console, Effect, type Option, Schema } from "effect"
import { Refused } from "../Explain.ts"
import { follow } from "../Live.ts"
import { remotely } from "../Remote.ts"
import { state } from "../Table.ts"
import { visible, visibleJson } from "../Visible.ts"

/** What is shown of a changed task. */
const Changed = Schema.parseJson(Schema.Struct({
  engine: Schema.String,
  task_id: Schema.String,
  name: Schema.String,
  queue: Schema.NullOr(Schema.String),
  state: Schema.String,
  runtime_ms: Schema.NullOr(Schema.Number),
  updated_at: Schema.String
}))

const lineOf = ({ engine, name, queue, runtime_ms, state: now, task_id, updated_at }: typeof Changed.Type): string =>
  [
    visible(updated_at),
    state(now, 8),
    visible(engine),
    visible(name),
    visible(task_id),
    ...(queue === null ? [] : [visible(queue)]),
    ...(runtime_ms === null ? [] : [`${runtime_ms} ms`])
  ].join("  ")

const tell = (json: boolean) => ({ data, event }: Sse.Event) => {
  if (event === "reset") return Console.error("too much changed at once: some changes are not shown")
  if (event !== "task") return Effect.void
  return Schema.decode(Changed)(data).pipe(
    Effect.mapError(() => new Refused({ message: "the brain's live stream is not one that this svc can read; their versions differ" })),
    Effect.flatMap((task) => Console.log(json ? visibleJson(data) : lineOf(task)))
  )
}

export const run = ({ json, project }: { readonly project: Option.Option<string>; readonly json: boolean }) =>
  remotely(project, (remote) => follow(remote, tell(json)))
