/** `svc-agent/bullmq`: BullMQ as an engine, beside an app's own workers, or from outside by the names of its queues. */
import * as adapter from "../engines/bullmq/BullMQ.ts"
import type { BesideOptions, OutsideOptions } from "../engines/bullmq/Options.ts"
import type { Engine } from "./Engine.ts"
import { hideEngine } from "./OpaqueEngine.ts"

export type { BesideOptions, OutsideOptions } from "../engines/bullmq/Options.ts"

/**
 * The engine beside an application's workers and queues, in their process. It listens to them, so events cost no
 * request to Redis, and it supports all of BullMQ's operations. The application keeps and closes its objects.
 */
export const bullmq = (options: BesideOptions): Engine => hideEngine(adapter.bullmq(options))

/**
 * The engine from outside, by the queues' names, for an application that cannot be changed. It follows the queues'
 * event streams and reads the jobs. It controls queues, but neither workers nor running jobs.
 */
export const bullmqFromOutside = (options: OutsideOptions): Engine => hideEngine(adapter.bullmqFromOutside(options))
