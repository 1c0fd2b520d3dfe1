import { Console, Effect } from "effect"
import { namesIn, rereadSeconds } from "../../services/AllowedHosts.ts"
import { allowedHostsLines, hostNamed } from "../AllowedHosts.ts"
import { settings } from "../Settings.ts"

export const run = ({ host }: { readonly host: string }) =>
  Effect.gen(function*() {
    const name = yield* hostNamed(host)
    const { lines, write } = yield* allowedHostsLines
    if (namesIn(lines.join("\n")).includes(name)) return yield* Console.log(`${name} is there already`)
    yield* write([...lines, name])
    yield* Console.log(`added ${name}; a brain that runs on this SVC_HOME answers to it within ${rereadSeconds} seconds`)
  }).pipe(Effect.provide(settings()))
