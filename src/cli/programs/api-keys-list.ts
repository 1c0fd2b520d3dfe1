import { Effect, Option } from "effect"
import type { ApiKey } from "../../domain/ApiKey.ts"
import { print, remotely } from "../Remote.ts"
import { age, type Column, table, type View } from "../Table.ts"

const stateOf = ({ expires_at, revoked_at }: ApiKey, { nowMillis }: View): string => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && Date.parse(expires_at) <= nowMillis ? "expired" : "active"
}

const columns: ReadonlyArray<Column<ApiKey>> = [
  { head: "NAME", cell: ({ name }) => name, most: 40, least: 12 },
  { head: "STATE", cell: stateOf },
  { head: "PROJECT", cell: ({ project_slug }) => project_slug, least: 8, spare: 2, hidesEmpty: true },
  { head: "SCOPES", cell: ({ scopes }) => scopes.join(","), most: 60, least: 10, spare: 3 },
  { head: "USED", cell: ({ last_used_at }, view) => age(last_used_at, view) },
  { head: "EXPIRES", cell: ({ expires_at }) => expires_at?.slice(0, 10) ?? null, spare: 1 },
  { head: "ID", cell: ({ id }) => id }
]

export const run = ({ json }: { readonly json: boolean }) =>
  remotely(Option.none(), ({ api }) =>
    Effect.flatMap(
      api.api_keys.list({ withResponse: true }),
      (answer) => print(answer, json, (keys, _text, view) => table(columns, keys, view))
    ))
