import * as Timestamp from "../../domain/kernel/Timestamp.ts"

const MIN_MILLIS = -62_167_219_200_000
const MAX_MILLIS = 253_402_300_799_999

/** Epoch milliseconds as a time of the wire; null for none, and for one outside the years 0000 to 9999. */
export const wireTimeOf = (millis: number | null): Timestamp.Timestamp | null =>
  millis === null || !(millis >= MIN_MILLIS && millis <= MAX_MILLIS)
    ? null
    : Timestamp.fromEpochMillis(millis)
