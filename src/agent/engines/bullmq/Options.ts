/** The adapters' options. Types without Effect's, which applications without Effect import too. */
import type { FlowProducer, Queue, Worker } from "bullmq"
import type { RedisOptions } from "ioredis"

export interface BesideOptions {
  /** The application's workers. */
  readonly workers?: ReadonlyArray<Worker>
  /** The application's queues. The agent opens one for each worker whose queue is missing here. */
  readonly queues?: ReadonlyArray<Queue>
  /** The application's flow producers, so that their jobs are reported when they are added. */
  readonly flows?: ReadonlyArray<FlowProducer>
  /** Whether lines that jobs write (`job.log`) are sent to the brain (default: true). */
  readonly logs?: boolean
}

export interface OutsideOptions {
  /** Names of the queues to follow. */
  readonly queues: ReadonlyArray<string>
  /** `redis://…`, or the options of ioredis. */
  readonly connection: string | RedisOptions
  /** Prefix of the queues' keys (default: `bull`). */
  readonly prefix?: string
  /** This agent's name, where agents of different brains follow the same queues (default: `default`). */
  readonly reader?: string
  /** Whether lines that jobs write (`job.log`) are sent to the brain (default: true). */
  readonly logs?: boolean
}
