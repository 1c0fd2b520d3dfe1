/** Where the agent's program stops with a command until a message opens the gate. */
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

/** What it reports to its parent: it is connected, it waits at a gate, it has written a result to its socket. */
export type Report = { readonly report: "connected" } | { readonly report: Gate | "reported"; readonly id: string }
