import { Schema } from "effect"
import { describeBody, describeField, exampleId, exampleTime } from "../kernel/Describe.ts"
import { DeployId, UserId } from "../kernel/Id.ts"
import { QueryTimestamp, wholeNumber } from "../kernel/Query.ts"
import { nullish, text } from "../kernel/Text.ts"
import { Timestamp } from "../kernel/Timestamp.ts"

/** Marks of one version this close together are one deploy: the jobs of several hosts each send one. */
export const sameDeploySeconds = 600

const version = text(100, 1).pipe(Schema.filter((value) => value.trim() !== "" || "must not be blank"))

/** Ids and the sums of times around a mark are of these years. */
const isInEra = (at: Timestamp) =>
  (at >= "1971-01-01" && at < "9000-01-01") || "must be a time of the years 1971 to 8999"

const isWebAddress = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

/** A version of an application that was deployed. */
export const Deploy = Schema.Struct({
  id: describeField(DeployId, "Its id.", exampleId),
  version: describeField(Schema.String, "What was deployed.", "v1.4.2"),
  at: describeField(Timestamp, "When it was deployed.", exampleTime),
  note: describeField(Schema.NullOr(Schema.String), "What else is known of it.", "New payment provider"),
  url: describeField(
    Schema.NullOr(Schema.String),
    "Where to read about it.",
    "https://github.com/shop/shop/releases/tag/v1.4.2"
  ),
  created_by: describeField(Schema.NullOr(UserId), "Who marked it; null: the program itself.", exampleId),
  created_at: describeField(Timestamp, "When it was marked.", exampleTime)
}).annotations(describeBody("Deploy", "A version that was deployed."))
export type Deploy = typeof Deploy.Type

export const DeployCreate = Schema.Struct({
  version: describeField(version, "What was deployed: a version, a tag or a commit.", "v1.4.2"),
  at: describeField(
    Schema.optional(Timestamp.pipe(Schema.filter(isInEra))),
    "When: not in the future; now unless given.",
    exampleTime
  ),
  note: describeField(nullish(text(500)), "What else is known of it.", "New payment provider"),
  url: describeField(
    nullish(text(2000).pipe(Schema.filter((value) => isWebAddress(value) || "must be an http or https address"))),
    "Where to read about it.",
    "https://github.com/shop/shop/releases/tag/v1.4.2"
  )
}).annotations(describeBody("DeployCreate", "A deploy to mark."))
export type DeployCreate = typeof DeployCreate.Type

const MarkTime = QueryTimestamp.pipe(Schema.filter(isInEra))

/** A time of a query, of which both ends are optional. */
export const timeRangeQuery = {
  from: describeField(Schema.optional(MarkTime), "Only what happened then or later.", exampleTime),
  to: describeField(Schema.optional(MarkTime), "Only what happened before.", exampleTime)
}

/** The query of `GET /projects/{slug}/deploys`. */
export const ListDeploys = Schema.Struct({
  ...timeRangeQuery,
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "The most deploys; 100 unless given.", 100)
})
export type ListDeploys = typeof ListDeploys.Type
