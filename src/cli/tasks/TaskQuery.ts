import { Effect, Option } from "effect"
import { ListTasks } from "../../domain/tasks/Task/Filter.ts"
import { decodeInput, givenOf } from "../io/DecodeInput.ts"
import { parseInstant } from "../io/Since.ts"
import type { OptionsOf } from "../program/Group.ts"
import type { taskFilters } from "../program/Options.ts"

export type TaskFilters = OptionsOf<typeof taskFilters>

/** The filters that were given, by their names. `since` and `until` may be ages. */
export const readFilters = (
  { since = Option.none(), until = Option.none(), ...texts }: Readonly<Record<string, Option.Option<string>>>
) =>
  Effect.map(
    Effect.forEach(Object.entries(givenOf({ since, until })), ([name, text]) =>
      Effect.map(parseInstant(`--${name}`, text), (instant) => [name, instant] as const)),
    (times) => ({ ...givenOf(texts), ...Object.fromEntries(times) })
  )

/** A stored filter of a bulk operation in one line, such as `name=shop.pay state=failure`. */
export const describeFilter = (filter: Readonly<Record<string, unknown>>): string =>
  Object.entries(filter).flatMap(([field, value]) => {
    const name = field.replace(/^filter_/, "")
    if (name === "query" && value === null) return ["(hidden conditions on arguments)"]
    if (value === null || value === false) return []
    if (name === "task_ids") return [typeof value === "number" ? `${value} tasks` : "chosen tasks"]
    return name === "query" ? [String(value)] : [`${name}=${Array.isArray(value) ? value.join(",") : String(value)}`]
  }).join(" ") || "all tasks"

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
    (values) => decodeInput(ListTasks, { ...values, ...more, search_exceptions: "true" }, "options")
  )
