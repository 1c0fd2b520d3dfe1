import { Console, Effect } from "effect"
import type { Answer } from "./Remote.ts"

/** Says that the brain's largest page is smaller than the one that was asked for. */
export const warnIfClamped = <A>([, { headers }]: Answer<A>) => {
  const applied = headers["x-svc-limit-applied"]
  return applied === undefined
    ? Effect.void
    : Console.error(`the brain gives at most ${applied} rows a page (SVC_REST_MAX_PAGE_SIZE); go on with --cursor`)
}
