import { Console, Effect } from "effect"
import { parseHostNames, reloadSeconds } from "../../services/AllowedHosts.ts"
import { readAllowedHosts, parseHost } from "../AllowedHosts.ts"
import { Refused } from "../Explain.ts"
import { settings } from "../Settings.ts"

export const run = ({ host }: { readonly host: string }) =>
  Effect.gen(function*() {
    const name = yield* parseHost(host)
    const { lines, write } = yield* readAllowedHosts
    const kept = lines.filter((line) => !parseHostNames(line).includes(name))
    if (kept.length === lines.length) {
      return yield* new Refused({ message: `${name} was not added; svc allowed-hosts list tells where each name comes from` })
    }
    yield* write(kept)
    yield* Console.log(`removed ${name}; a brain that runs on this SVC_HOME refuses it within ${reloadSeconds} seconds`)
  }).pipe(Effect.provide(settings()))
