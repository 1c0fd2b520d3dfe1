import { HttpClient, HttpClientRequest } from "@effect/platform"
import { Effect, type Option } from "effect"
import { canonicalTextOf, JsonArray, type JsonNode, JsonObject, parse } from "../../domain/CanonicalJson.ts"
import type { DiffSchedulesResponse, ImportSchedulesResponse } from "../../domain/Schedule/Import.ts"
import { client } from "../../http/Client.ts"
import { CliError } from "../Explain.ts"
import { type ApiError, type DecodedResponse, printAnswer, type Remote, withRemote, withTimeout } from "../Remote.ts"
import { readScheduleFile } from "../ScheduleFile.ts"
import { escapeText } from "../TerminalText.ts"

/** Sends a file's snapshot as it is: the derived client would change large numbers of arguments. */
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
    const { apiKey, url } = remote.access
    const asWritten = HttpClient.mapRequest(HttpClientRequest.bodyText(snapshot, "application/json"))
    const api = yield* client({ baseUrl: url, apiKey, transform: (self) => asWritten(withTimeout(self)) })
    return yield* call(api.schedules, {
      path: { slug: remote.slug },
      payload: { schedules: [], mode: "upsert", source_filter: null },
      withResponse: true
    })
  })

interface OfFile {
  readonly file: string
  readonly project: Option.Option<string>
  readonly json: boolean
}

const formatCounts = (
  { deleted, inserted, unchanged, updated }: Omit<ImportSchedulesResponse, "failed" | "errors">
): string => `${inserted} new, ${updated} changed, ${deleted} deleted, ${unchanged} unchanged`

export const importFile = ({ file, json, project }: OfFile) =>
  withRemote(project, (remote) =>
    Effect.flatMap(
      sendSnapshot(remote, file, (schedules, request) => schedules.import(request)),
      (answer) => printAnswer(answer, json, (counts) => `imported: ${formatCounts(counts)}`)
    ))

type DiffEntry = DiffSchedulesResponse["updated"][number]

/** The members of an object's JSON text, each with all its digits. */
const membersOf = (node: JsonNode | undefined): ReadonlyMap<string, string> =>
  new Map(
    node instanceof JsonObject ? node.keys.map((key, at) => [key, canonicalTextOf(node.values[at] ?? "null")]) : []
  )

/** The differing fields of an updated schedule, of the answer's text. */
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
  const answer = parse(text)
  const list = answer instanceof JsonObject ? answer.get("updated") : undefined
  const nodes = list instanceof JsonArray ? list.items : []
  return [
    ...inserted.map(formatEntry("+")),
    ...updated.flatMap((entry, at) => [formatEntry("~")(entry), ...formatChanges(nodes[at] ?? "null")]),
    ...deleted.map(formatEntry("-")),
    formatCounts(summary)
  ].join("\n")
}

/** Fails where the import would change something, as diff(1) does, so that a CI job can ask. */
export const diff = ({ file, json, project }: OfFile) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const answer = yield* sendSnapshot(remote, file, (schedules, request) => schedules.diff(request))
      yield* printAnswer(answer, json, formatDiff)
      const { deleted, inserted, updated } = answer[0].summary
      if (inserted + updated + deleted > 0) {
        return yield* new CliError({ message: `the project's schedules differ from ${escapeText(file)}` })
      }
    }))
