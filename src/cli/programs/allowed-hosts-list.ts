import { Console, Effect } from "effect"
import { configuredHostNames, readAllowedHosts } from "../../services/AllowedHosts.ts"
import { Settings } from "../../services/Settings.ts"
import { settings } from "../Settings.ts"

export const run = ({ json }: { readonly json: boolean }) =>
  Effect.gen(function*() {
    const effective = yield* Settings
    const added = yield* readAllowedHosts(effective.home)
    const names = new Map([
      ...added.map((name) => [name, "added"] as const),
      ...configuredHostNames(effective).map((name) => [name, "settings"] as const),
      ...["localhost", "127.0.0.1", "::1"].map((name) => [name, "always"] as const)
    ])
    const rows = [...names].map(([host, source]) => ({ host, source })).sort((one, other) => one.host.localeCompare(other.host, "en"))
    yield* Console.log(json ? JSON.stringify(rows) : rows.map(({ host, source }) => `${host}  # ${source}`).join("\n"))
  }).pipe(Effect.provide(settings()))
