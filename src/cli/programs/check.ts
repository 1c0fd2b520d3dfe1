import { Console, Effect } from "effect"
import { inspect, linesOf } from "../Inspection.ts"

export const run = ({ json }: { readonly json: boolean }) =>
  Effect.flatMap(inspect, (found) => Console.log(json ? JSON.stringify(found) : linesOf(found).join("\n")))
