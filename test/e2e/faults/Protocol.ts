/** Where the agent's program stops with a command until it is told to go on. */
export type Gate = "ack" | "execute" | "result"

/** What the agent's program is started with. */
export interface Job {
  readonly base: string
  readonly token: string
  readonly hmac_secret: string
  readonly worker_id: string
  /** Each execution appends `<command id> <worker id>`. */
  readonly journal: string
  readonly hold: Gate | null
}

/** What it tells its parent: it has shaken hands, it stands before a gate, it has written a result to its socket. */
export type Told = { readonly told: "connected" } | { readonly told: Gate | "answered"; readonly id: string }
