const hourMillis = 3_600_000
/** The bars of a week can still be distinguished; the API leaves out hours without failures. */
const shownHours = 168

/** Every hour of the last week until `at` (epoch milliseconds), also those without a failure. */
export const fillHours = (
  hours: ReadonlyArray<{ readonly hour: string; readonly occurrences: number }>,
  at: number
): ReadonlyArray<{ readonly time: number; readonly occurrences: number }> => {
  const counts = new Map(hours.map(({ hour, occurrences }) => [Date.parse(hour), occurrences]))
  const last = Math.max(Math.floor(at / hourMillis) * hourMillis, ...counts.keys())
  return Array.from({ length: shownHours }, (_, index) => {
    const time = last - (shownHours - 1 - index) * hourMillis
    return { time, occurrences: counts.get(time) ?? 0 }
  })
}
