/** Between the messages' fields and the brain's values. */
import { status } from "@grpc/grpc-js"
import { Data, Effect, Option, Schema } from "effect"
import type { Timestamp as TimestampMessage } from "../../proto/generated/google/protobuf/timestamp.ts"
import { ProjectId, ScheduleId } from "../domain/kernel/Id.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"

/** A call fails with this status, which the client sees. */
export class CallFailed extends Data.TaggedError("CallFailed")<{ readonly code: status; readonly details: string }> {}

export const invalid = (details: string) => new CallFailed({ code: status.INVALID_ARGUMENT, details })

const readAs = <A>(schema: Schema.Schema<A, string>) => {
  const decode = Schema.decodeOption(schema)
  return (field: string, text: string): Effect.Effect<A, CallFailed> =>
    Option.match(decode(text), { onNone: () => invalid(`${field} must be a UUID.`), onSome: Effect.succeed })
}
export const readProjectId = readAs(ProjectId)
export const readScheduleId = readAs(ScheduleId)

/** 0 is unset (the agents' protocol, section 7). Nanoseconds are truncated to microseconds, as the brain has them. */
export const readTime = (
  field: string,
  message: TimestampMessage | undefined
): Effect.Effect<Timestamp.Timestamp | null, CallFailed> =>
  message === undefined || (message.seconds === 0n && message.nanos === 0)
    ? Effect.succeed(null)
    : Effect.try({
      try: () => Timestamp.fromEpochMicros(message.seconds * 1_000_000n + BigInt(Math.floor(message.nanos / 1000))),
      catch: () => invalid(`${field} is outside of the years 0000 to 9999.`)
    })

export const readRequiredTime = (field: string, message: TimestampMessage | undefined) =>
  Effect.filterOrFail(readTime(field, message), (time) => time !== null, () => invalid(`${field} is required.`))

export const writeTime = (time: Timestamp.Timestamp | null): TimestampMessage | undefined =>
  time === null ? undefined : {
    seconds: BigInt(Timestamp.toEpochSeconds(time)),
    nanos: Number(time.slice(20, 26)) * 1000
  }

/** A revision that a client sends; the brain's own are below 2^53. */
export const readRevision = (field: string, value: bigint): Effect.Effect<number, CallFailed> =>
  value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Effect.succeed(Number(value))
    : invalid(`${field} is not a revision of this brain.`)
