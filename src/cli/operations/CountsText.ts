/** Numbers by state, such as those of agents. */
export type Counts = Readonly<Record<string, number>>

/** `2 online, 1 offline`. */
export const countsText = (counts: Counts): string =>
  Object.entries(counts).flatMap(([state, n]) => (n === 0 ? [] : [`${n} ${state}`])).join(", ") || "none"

export const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, n) => sum + n, 0)

export const tasksText = (tasks: Counts): string =>
  totalOf(tasks) === 0 ? "none" : `${totalOf(tasks)} (${countsText(tasks)})`
