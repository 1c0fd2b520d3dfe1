/** The days of history that the editor tries a rule on. */
export const backtestDays = [1, 7, 30, 90] as const
export type BacktestDays = (typeof backtestDays)[number]
