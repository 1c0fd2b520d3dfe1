/** Texts of `<input type="datetime-local">`, read and written by the wall clock of a zone; undefined is the browser's. */

const fieldsOf = (time: number, zone: string | undefined) => {
  const parts = new Intl.DateTimeFormat("en", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    calendar: "iso8601",
    ...(zone !== undefined && { timeZone: zone })
  }).formatToParts(time)
  return (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? ""
}

/** `2026-11-23T10:00`, to the minute. */
export const toWallClock = (time: number, zone: string | undefined): string => {
  const field = fieldsOf(time, zone)
  return `${field("year").padStart(4, "0")}-${field("month")}-${field("day")}T${field("hour")}:${field("minute")}`
}

/** How far the zone is ahead of UTC at a time, in milliseconds. */
const offsetAt = (time: number, zone: string | undefined): number => {
  const field = fieldsOf(time, zone)
  const wall = Date.UTC(
    Number(field("year")),
    Number(field("month")) - 1,
    Number(field("day")),
    Number(field("hour")),
    Number(field("minute")),
    Number(field("second"))
  )
  return wall - Math.floor(time / 1_000) * 1_000
}

/** Epoch milliseconds of a wall clock; NaN for another text. A time that a clock change leaves out becomes a later one. */
export const fromWallClock = (text: string, zone: string | undefined): number => {
  const wall = Date.parse(`${text}Z`)
  if (Number.isNaN(wall)) return NaN
  // the offset of a guess may be that of the other side of a clock change; one more step is enough
  const guess = wall - offsetAt(wall, zone)
  return wall - Math.min(offsetAt(guess, zone), offsetAt(wall - offsetAt(guess, zone), zone))
}
