/** Counts of hours by weekday and hour of the day; plain functions, which the tests call. */

/** Monday to Sunday, each from midnight on. */
export type Week = ReadonlyArray<ReadonlyArray<number>>

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

/** Sums counts by the wall clock of a zone, undefined for the browser's; `times` are epoch milliseconds. */
export const sumByWeek = (
  times: ReadonlyArray<number>,
  counts: ReadonlyArray<number>,
  zone: string | undefined
): Week => {
  const format = new Intl.DateTimeFormat("en", {
    weekday: "short",
    hour: "2-digit",
    hourCycle: "h23",
    ...(zone !== undefined && { timeZone: zone })
  })
  const week = weekdays.map(() => Array.from({ length: 24 }, () => 0))
  times.forEach((time, index) => {
    const parts = format.formatToParts(time)
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? ""
    const day = week[weekdays.indexOf(part("weekday"))]
    const hour = Number(part("hour"))
    if (day?.[hour] !== undefined) day[hour] += counts[index] ?? 0
  })
  return week
}

/** The fullest hour of the week; null where all are empty. */
export const fullestOf = (week: Week): { readonly day: number; readonly hour: number; readonly count: number } | null =>
  week.flatMap((hours, day) => hours.map((count, hour) => ({ day, hour, count })))
    .reduce<{ day: number; hour: number; count: number } | null>(
      (best, one) => (one.count > (best?.count ?? 0) ? one : best),
      null
    )
