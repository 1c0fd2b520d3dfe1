import { Console, Effect } from "effect"
import { parseHostNames, reloadSeconds } from "../../services/AllowedHosts.ts"
import { readAllowedHosts, parseHost } from "../AllowedHosts.ts"
import { settings } from "../Settings.ts"

export const run = ({ host }: { readonly host: string }) =>
  Effect.gen(function*() {
    const name = yield* parseHost(host)
    const { lines, write } = yield* readAllowedHosts
    if (parseHostNames(lines.join("\n")).includes(name)) return yield* Console.log(`${name} is there already`)
    yield* write([...lines, name])
    yield* Console.log(`added ${name}; a brain that runs on this SVC_HOME answers to it within ${reloadSeconds} seconds`)
  }).pipe(Effect.provide(settings()))
