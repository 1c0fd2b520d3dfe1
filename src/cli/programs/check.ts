import { Console, Effect } from "effect"
import { inspect, linesOf, requireKeys } from "../Inspection.ts"

export const run = ({ json }: { readonly json: boolean }) =>
  Effect.flatMap(inspect, (found) =>
    Effect.zipRight(Console.log(json ? JSON.stringify(found) : linesOf(found).join("\n")), requireKeys(found)))
