/** Options of the agent whose types are not Effect's, which applications without Effect import too. */
import type { Log } from "./Log.ts"

export interface BrainAddress {
  /** `https://svc.example.com`, without `/api/v1`; a path prefix is kept. */
  readonly brainUrl: string
  /** Plain `http://` to other machines than this one, for development. */
  readonly allowInsecure?: boolean
  /** Folder of the buffer files (default: `~/.svc/agent`). */
  readonly home?: string
}

/** The two secrets that the brain showed when the agent was created. */
export interface BrainSecrets {
  readonly token: string
  readonly hmacSecret: string
}

export type Transport = "auto" | "ws" | "longpoll"

export interface HostOptions extends BrainAddress {
  /** Shown beside the process, at most 64 characters. */
  readonly name?: string
  /** The host's framework, for people; at most 40 characters (default: `node`). */
  readonly framework?: string
  /** Commands go to a process with the role `task` first (default: `task`). */
  readonly role?: "web" | "task" | "scheduler" | "beat" | "other"
  /** `auto`: WebSocket, and long-poll while that does not get through (default). */
  readonly transport?: Transport
  /** With `auto`, the time on long-poll before the next attempt by WebSocket (30; doubles up to 600). */
  readonly webSocketRetrySeconds?: number
  /** Capacity of the buffer: events (100 000) and their bytes (256 MiB). Beyond it the oldest are dropped. */
  readonly bufferMaxEvents?: number
  readonly bufferMaxBytes?: number
  /** More key names whose values are masked before anything leaves the process. */
  readonly redactExtraKeys?: ReadonlyArray<string>
  /** Largest queue that is purged without force (1000). */
  readonly purgeThreshold?: number
  /** Receives log lines (default: warnings and errors go to standard error). */
  readonly log?: Log
}
