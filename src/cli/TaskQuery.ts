import { Effect, Option } from "effect"
import { ListTasks } from "../domain/Task/Filter.ts"
import { decodeInput } from "./DecodeInput.ts"
import { parseInstant } from "./Since.ts"

type Texts = Readonly<Record<string, Option.Option<string>>>

/** The filters of tasks, as command-line options. */
export type TaskFilters = Readonly<
  Record<
    | "state"
    | "priority"
    | "name"
    | "search"
    | "engine"
    | "queue"
    | "worker"
    | "fingerprint"
    | "since"
    | "until"
    | "query",
    Option.Option<string>
  >
>

const entriesOf = (texts: Texts): ReadonlyArray<readonly [string, string]> =>
  Object.entries(texts).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))

/** The query of a list of tasks, by the same rules as over HTTP. `since` and `until` may be ages; `search` also matches errors. */
export const decodeTaskQuery = (
  { since, until, ...texts }: TaskFilters,
  { cursor = Option.none(), fields = Option.none(), ...more }: {
    readonly limit?: string
    readonly format?: "csv" | "json" | "xlsx"
    readonly cursor?: Option.Option<string>
    readonly fields?: Option.Option<string>
  }
) =>
  Effect.gen(function*() {
    const times = yield* Effect.forEach(entriesOf({ since, until }), ([name, text]) =>
      Effect.map(parseInstant(`--${name}`, text), (instant) => [name, instant] as const))
    const given = Object.fromEntries([...entriesOf({ ...texts, cursor, fields }), ...times])
    return yield* decodeInput(ListTasks, { ...given, ...more, search_exceptions: "true" }, "options")
  })
