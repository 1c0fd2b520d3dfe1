/** BullMQ as an engine of the agent: beside an app's own workers, or from outside by the names of its queues. */
export { bullmq } from "./InProcess.ts"
export type { BesideOptions, OutsideOptions } from "./Options.ts"
export { bullmqFromOutside } from "./Outside.ts"
