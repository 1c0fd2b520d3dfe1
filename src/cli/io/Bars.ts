const bars = "▁▂▃▄▅▆▇█"

/** Columns of the line of bars: with more counts, each covers several. */
export const maxBars = 84

/** A line of bars, the highest one of the largest count; a blank for 0. */
export const formatBars = (counts: ReadonlyArray<number>): string => {
  const highest = Math.max(...counts)
  return counts.map((count) => count === 0 ? " " : bars[Math.ceil((count / highest) * bars.length) - 1]).join("")
}
