import { Cause, Console, Effect, Option } from "effect"
import {
  asString,
  canonicalTextOf,
  JsonArray,
  type JsonNode,
  JsonObject,
  parse
} from "../../../domain/kernel/CanonicalJson.ts"
import { serviceScheduler } from "../../../domain/schedules/Schedule.ts"
import { definitionNames } from "../../../domain/schedules/Schedule/Definition.ts"
import {
  dashboardSource,
  type DiffSchedulesResponse,
  type ImportSchedulesResponse
} from "../../../domain/schedules/Schedule/Import.ts"
import { escapeJson, escapeText } from "../../io/TerminalText.ts"
import { CliError, explain } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call, show } from "../../remote/Handlers.ts"
import { listPages } from "../../remote/ListAll.ts"
import { type ApiError, clientSending, type DecodedResponse, printResponse, type Remote } from "../../remote/Remote.ts"
import { readScheduleFile } from "../ScheduleFile.ts"
import type { fileDefinitions } from "../schedules.ts"

/** Sends a file's snapshot as it is. */
const sendSnapshot = <A>(
  remote: Remote,
  file: string,
  call: (
    schedules: Remote["api"]["schedules"],
    request: {
      readonly path: { readonly slug: string }
      readonly payload: { readonly schedules: readonly []; readonly mode: "upsert"; readonly source_filter: null }
      readonly withResponse: true
    }
  ) => Effect.Effect<DecodedResponse<A>, ApiError>
) =>
  Effect.gen(function*() {
    const snapshot = yield* readScheduleFile(file)
    const api = yield* clientSending(remote, snapshot)
    return yield* call(api.schedules, {
      path: { slug: remote.slug },
      payload: { schedules: [], mode: "upsert", source_filter: null },
      withResponse: true
    })
  })

const formatCounts = (
  { deleted, inserted, unchanged, updated }: Omit<ImportSchedulesResponse, "failed" | "errors">
): string => `${inserted} new, ${updated} changed, ${deleted} deleted, ${unchanged} unchanged`

type DiffEntry = DiffSchedulesResponse["updated"][number]

/** The members of an object's JSON text, each with all its digits. */
const membersOf = (node: JsonNode | undefined): ReadonlyMap<string, string> =>
  new Map(
    node instanceof JsonObject
      ? node.keys.map((key, index) => [key, canonicalTextOf(node.values[index] ?? "null")])
      : []
  )

/** The differing fields of an updated schedule, from the response's text. */
const formatChanges = (entry: JsonNode): ReadonlyArray<string> => {
  if (!(entry instanceof JsonObject)) return []
  const current = membersOf(entry.get("current"))
  return [...membersOf(entry.get("proposed"))].map(([field, proposed]) =>
    `    ${field}: ${escapeText(current.get(field) ?? "null")} -> ${escapeText(proposed)}`
  )
}

const formatEntry = (sign: string) => ({ is_drifted, name }: DiffEntry): string =>
  `${sign} ${escapeText(name)}${is_drifted ? " (changed since its import)" : ""}`

const formatDiff = ({ deleted, inserted, summary, updated }: DiffSchedulesResponse, text: string): string => {
  const body = parse(text)
  const list = body instanceof JsonObject ? body.get("updated") : undefined
  const nodes = list instanceof JsonArray ? list.items : []
  return [
    ...inserted.map(formatEntry("+")),
    ...updated.flatMap((entry, index) => [formatEntry("~")(entry), ...formatChanges(nodes[index] ?? "null")]),
    ...deleted.map(formatEntry("-")),
    formatCounts(summary)
  ].join("\n")
}

const isDifference = (error: unknown): boolean => error instanceof CliError && error.code === differs

/** The exit codes of diff(1), so that a CI job can distinguish a difference from a failure. */
const differs = 1
const notCompared = 2

/** Fails where the import would change something. */
const diff = call(function*(remote, { file, json }: OptionsOf<typeof fileDefinitions.diff>) {
  const response = yield* sendSnapshot(remote, file, (schedules, request) => schedules.diff(request))
  yield* printResponse(response, json, formatDiff)
  const { deleted, inserted, updated } = response[0].summary
  if (inserted + updated + deleted > 0) {
    return yield* new CliError({ code: differs, message: `the project's schedules differ from ${escapeText(file)}` })
  }
})

/** The fields of a snapshot's schedule. */
const snapshotFields = ["name", ...definitionNames]

/** The snapshot's text of a schedule; null for one that svc does not fire, or of another source. */
const exportSchedule = (schedule: JsonNode, source: Option.Option<string>): string | null => {
  if (!(schedule instanceof JsonObject) || asString(schedule.get("scheduler")) !== serviceScheduler) return null
  const ownSource = asString(schedule.get("source"))
  if (Option.isSome(source) && ownSource !== source.value) return null
  const fields = snapshotFields.filter((field) =>
    schedule.get(field) !== undefined && // a brain of another version may lack it
    (field !== "source" || ownSource !== dashboardSource)
  )
  return `{${
    fields.map((field) => `${JSON.stringify(field)}: ${canonicalTextOf(schedule.get(field) ?? "null")}`).join(", ")
  }}`
}

/** The rows of a response, as the brain wrote them. */
const rowsOf = (text: string): ReadonlyArray<JsonNode> => {
  const body = parse(text)
  const items = body instanceof JsonObject ? body.get("items") : undefined
  return items instanceof JsonArray ? items.items : []
}

export const handlers: HandlersOf<typeof fileDefinitions> = {
  import: show(
    (remote, { file }) => sendSnapshot(remote, file, (schedules, request) => schedules.import(request)),
    (counts) => `imported: ${formatCounts(counts)}`
  ),
  /** Prints a snapshot that `import` reads: JSON, with a line for each schedule. */
  export: call(function*({ api, slug }, { source }) {
    const pages = yield* listPages(Effect.fnUntraced(function*(urlParams) {
      const [{ next_cursor }, response] = yield* api.schedules.list({ path: { slug }, urlParams, withResponse: true })
      return { next_cursor, rows: rowsOf(new TextDecoder().decode(yield* response.arrayBuffer)) }
    }))
    const lines = pages.flatMap(({ rows }) => rows.flatMap((row) => exportSchedule(row, source) ?? [])).map(escapeJson)
    yield* Console.log(`{"schedules": [\n${lines.map((line) => `  ${line}`).join(",\n")}\n]}`)
  }),
  diff: (options) =>
    Effect.catchAllCause(diff(options), (cause) =>
      Cause.isInterruptedOnly(cause) || isDifference(Cause.squash(cause))
        ? Effect.failCause(cause)
        : new CliError({ code: notCompared, message: explain(cause) ?? "the schedules were not compared" }))
}
