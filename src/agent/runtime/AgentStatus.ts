/** What `agent.status()` shows. Types without Effect's, which applications without Effect import too. */

export type FailureKind = "auth" | "incompatible" | "protocol" | "connection"

export type EngineStatus = { readonly state: "starting" | "running" } | {
  readonly state: "failed"
  readonly problem: string
}

/** The agent's state. Times are epoch milliseconds. */
export interface AgentStatus {
  /** `refused`: the options are invalid, and the agent does not run. */
  readonly state: "connecting" | "online" | "waiting" | "closed" | "refused"
  readonly transport: "websocket" | "longpoll" | null
  readonly connectedAt: number | null
  /** Why the last connection failed or ended; null while connected. */
  readonly problem: string | null
  readonly problemKind: FailureKind | null
  readonly nextTryAt: number | null
  readonly buffer: {
    /** Not acknowledged by the brain; `unwritten` of them are still in memory. */
    readonly events: number
    readonly unwritten: number
    readonly bytes: number
    /** Null: no file could be created, and events are in memory. */
    readonly path: string | null
  }
  /** Events lost since the buffer file was created. */
  readonly lostEvents: number
  readonly commandsWaiting: number
  /** Unacknowledged snapshots of schedules, which end with the process. */
  readonly snapshotsWaiting: number
  readonly engines: Readonly<Record<string, EngineStatus>>
}
