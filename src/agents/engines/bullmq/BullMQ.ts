/** BullMQ as an engine of the agent: beside an app's own workers, or from outside by the names of its queues. */
export { type BesideOptions, bullmq } from "./InProcess.ts"
export { bullmqFromOutside, type OutsideOptions } from "./Outside.ts"
