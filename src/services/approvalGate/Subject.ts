import { Option, Record, Schema } from "effect"
import { hash } from "node:crypto"
import { canonicalize, type JsonInput } from "../../domain/kernel/CanonicalJson.ts"

const Content = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** What an action changes, as the person who decides reads it, and how the brain knows later that it is still the same. */
export const Subject = Schema.Struct({
  before: Schema.NullOr(Content),
  after: Schema.NullOr(Content),
  /** A digest of what the action changes; another one at the approval fails the action. Null: nothing is changed in place. */
  revision: Schema.NullOr(Schema.String),
  /**
   * How much the action takes, by name; more at the approval fails the action. Null: too many to count. `unknown`: not
   * counted, so what is counted at the approval is more.
   */
  amounts: Schema.Record({
    key: Schema.String,
    value: Schema.Union(Schema.Number, Schema.Null, Schema.Literal("unknown"))
  })
})
export type Subject = typeof Subject.Type
type Content = typeof Content.Type

/** Enough that two contents of one rule or project never have the same by chance, and short enough to compare by eye. */
const revisionLength = 16

/** A change of what exists: by the whole content before and after, and by `identity`, where that is more than `before`. */
export const makeChange = (before: Content, after: Content, identity: Content = before): Subject => ({
  before,
  after,
  // the cast: contents are decoded records of rules, projects and people, which are JSON
  revision: hash("sha256", canonicalize(identity as JsonInput), "hex").slice(0, revisionLength),
  amounts: {}
})

/** What did not exist before. */
export const makeNew = (after: Content): Subject => ({ before: null, after, revision: null, amounts: {} })

/** An action on many: it takes at most as many as there were at the request. */
const makeSelection = (before: Content, amounts: Subject["amounts"]): Subject => ({
  before,
  after: null,
  revision: null,
  amounts
})

/** The tasks that match; null: too many to count. */
export const makeTaskSelection = (matching: number | null): Subject => makeSelection({ matching }, { matching })

/** A queue in each of its engines; null: the engine has not said how deep it is. */
export const makeQueueSelection = (queue: string, depths: Readonly<Record<string, number | null>>): Subject =>
  makeSelection({ queue, depths }, Record.map(depths, (depth) => depth ?? "unknown"))

const askAgain = "Nothing was done. If it is still needed, it must be requested again."

const isWithin = (amount: number | "unknown" | null, limit: number | "unknown"): boolean =>
  limit === "unknown" ? amount === "unknown" || amount === 0 : typeof amount === "number" && amount <= limit

/** Why what an approval was asked for is not what it would be done to now; none: it is the same. */
export const findDifference = (requested: Subject, now: Subject): Option.Option<string> => {
  if (requested.revision !== now.revision) {
    return Option.some(`What this changes has changed since it was requested. ${askAgain}`)
  }
  for (const [name, amount] of Object.entries(now.amounts)) {
    const limit = requested.amounts[name] === undefined ? "unknown" : requested.amounts[name]
    if (limit === null || isWithin(amount, limit)) continue
    return Option.some(
      `This would take more than was requested (${name}: ${limit} then, ${
        amount ?? "too many to count"
      } now). ${askAgain}`
    )
  }
  return Option.none()
}
