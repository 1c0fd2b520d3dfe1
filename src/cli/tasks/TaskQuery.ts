import { Effect, Option } from "effect"
import { ListTasks } from "../../domain/tasks/Task/Filter.ts"
import { decodeInput } from "../io/DecodeInput.ts"
import { parseInstant } from "../io/Since.ts"

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

/** The filters that were given, by their names. `since` and `until` may be ages. */
export const readFilters = ({ since = Option.none(), until = Option.none(), ...texts }: Texts) =>
  Effect.map(
    Effect.forEach(entriesOf({ since, until }), ([name, text]) =>
      Effect.map(parseInstant(`--${name}`, text), (instant) => [name, instant] as const)),
    (times) =>
      Object.fromEntries([...entriesOf(texts), ...times])
  )

/** The query of a list of tasks, by the same rules as over HTTP. `since` and `until` may be ages; `search` also matches errors. */
export const decodeTaskQuery = (
  filters: TaskFilters,
  { cursor = Option.none(), fields = Option.none(), ...more }: {
    readonly limit?: string
    readonly format?: "csv" | "json" | "xlsx"
    readonly cursor?: Option.Option<string>
    readonly fields?: Option.Option<string>
  }
) =>
  Effect.flatMap(
    readFilters({ ...filters, cursor, fields }),
    (given) => decodeInput(ListTasks, { ...given, ...more, search_exceptions: "true" }, "options")
  )
