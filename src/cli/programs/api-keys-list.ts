import { Effect, Option } from "effect"
import type { ApiKey } from "../../domain/ApiKey.ts"
import { printAnswer, withRemote } from "../Remote.ts"
import { formatAge, type Column, formatTable, type View } from "../Table.ts"

const stateOf = ({ expires_at, revoked_at }: ApiKey, { nowMillis }: View): string => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && Date.parse(expires_at) <= nowMillis ? "expired" : "active"
}

const columns: ReadonlyArray<Column<ApiKey>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 40, minLength: 12 },
  { head: "STATE", cell: stateOf },
  { head: "PROJECT", cell: ({ project_slug }) => project_slug, minLength: 8, dropRank: 2, hidesEmpty: true },
  { head: "SCOPES", cell: ({ scopes }) => scopes.join(","), maxLength: 60, minLength: 10, dropRank: 3 },
  { head: "USED", cell: ({ last_used_at }, view) => formatAge(last_used_at, view) },
  { head: "EXPIRES", cell: ({ expires_at }) => expires_at?.slice(0, 10) ?? null, dropRank: 1 },
  { head: "ID", cell: ({ id }) => id }
]

export const run = ({ json }: { readonly json: boolean }) =>
  withRemote(Option.none(), ({ api }) =>
    Effect.flatMap(
      api.api_keys.list({ withResponse: true }),
      (answer) => printAnswer(answer, json, (keys, _text, view) => formatTable(columns, keys, view))
    ))
