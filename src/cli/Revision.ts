import { Effect } from "effect"
import { Refused } from "./Explain.ts"

/** A revision as `svc migrate` takes it: a step's number, such as 3; 0 is the empty database. */
export const parseRevision = (text: string): Effect.Effect<number, Refused> =>
  /^\d{1,6}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new Refused({ usage: true, message: `a revision is a number, but is "${text}"` }))
