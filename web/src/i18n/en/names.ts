import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const names = {
  queues: common.queues,
  schedules: "Schedules that fire it",
  noSchedule: "No schedule fires this task.",
  groups: "Failure groups",
  runs: "Last 50 runs",
  noRun: "No run is stored.",
  workers: "Workers of the last 50 runs",
  runTimes: "Distribution of run times",
  queueTimes: "Distribution of queue times",
  tasksOfRange: (count: Count, from: string, to: string) =>
    plural(
      count,
      `# task took ${from} to ${to}`,
      `# tasks took ${from} to ${to}`
    ),
  keysOfDistribution: "The arrow keys go from bar to bar, Shift extends the choice, and Enter opens its tasks."
}
